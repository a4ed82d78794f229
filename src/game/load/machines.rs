//! The machines of a game that answer the questions of all threads.

use std::fmt;

use parking_lot::Mutex;

use super::Game;
use crate::game::machine::{Backend, MachineError, StateMachine};

/// Machines for questions about single states, by any number of threads: states and moves of one
/// answer are states and moves for all questions.
pub struct Machines(Kind);

enum Kind {
    /// Those that nobody uses at the moment; more are made where threads need them.
    Ground(Mutex<Vec<Box<dyn StateMachine>>>),
    /// The only one, since what a prover calls its states and moves is its own.
    Prover(Mutex<Box<dyn StateMachine>>),
}

impl Machines {
    /// Machines of a game with its [fastest backend](Game::backend).
    ///
    /// # Errors
    /// If the rules cannot be evaluated.
    pub fn new(game: &Game) -> Result<Machines, MachineError> {
        let machine = game.machine(game.backend())?;
        Ok(Machines(match game.backend() {
            Backend::Prover => Kind::Prover(Mutex::new(machine)),
            _ => Kind::Ground(Mutex::new(vec![machine])),
        }))
    }

    /// Asks a machine of this game, the same one that the machines were made for.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn ask<T>(
        &self,
        game: &Game,
        question: impl FnOnce(&mut dyn StateMachine) -> Result<T, MachineError>,
    ) -> Result<T, MachineError> {
        match &self.0 {
            Kind::Prover(machine) => question(&mut **machine.lock()),
            Kind::Ground(idle) => {
                let known = idle.lock().pop();
                let mut machine = match known {
                    Some(machine) => machine,
                    None => game.machine(game.backend())?,
                };
                let answer = question(&mut *machine);
                idle.lock().push(machine);
                answer
            }
        }
    }
}

impl fmt::Debug for Machines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Machines").finish_non_exhaustive()
    }
}
