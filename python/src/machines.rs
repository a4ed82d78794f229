//! Machines that answer the questions of all threads about single states.

use std::sync::{Mutex, PoisonError};

use propjit::{Backend, Game, MachineError, StateMachine};

/// Machines of a game.
pub(crate) enum Machines {
    /// Those that nobody uses at the moment; more are made where threads need them.
    Ground(Mutex<Vec<Box<dyn StateMachine>>>),
    /// The only one, since what a prover calls its states and moves is its own.
    Prover(Mutex<Box<dyn StateMachine>>),
}

impl Machines {
    /// # Errors
    /// If the rules cannot be evaluated.
    pub(crate) fn new(game: &Game) -> Result<Machines, MachineError> {
        let machine = game.machine(game.backend())?;
        Ok(match game.backend() {
            Backend::Prover => Machines::Prover(Mutex::new(machine)),
            _ => Machines::Ground(Mutex::new(vec![machine])),
        })
    }

    /// Asks a machine.
    ///
    /// # Errors
    /// When there is no answer.
    pub(crate) fn ask<T>(
        &self,
        game: &Game,
        question: impl FnOnce(&mut dyn StateMachine) -> Result<T, MachineError>,
    ) -> Result<T, MachineError> {
        // A machine does not remember a question that ended with a panic.
        match self {
            Machines::Prover(machine) => {
                let mut machine = machine.lock().unwrap_or_else(PoisonError::into_inner);
                question(&mut **machine)
            }
            Machines::Ground(idle) => {
                let idle = || idle.lock().unwrap_or_else(PoisonError::into_inner);
                let known = idle().pop();
                let mut machine = match known {
                    Some(machine) => machine,
                    None => game.machine(game.backend())?,
                };
                let answer = question(&mut *machine);
                idle().push(machine);
                answer
            }
        }
    }
}
