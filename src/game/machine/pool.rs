//! Machines that answer the questions of all threads.

use std::fmt;

use parking_lot::Mutex;
use propjit_stop::Stop;

use super::{MachineError, StateMachine};

/// Machines for questions about single states, by any number of threads: states and moves of one
/// answer are states and moves for all questions.
pub struct MachinePool {
    roles: Vec<String>,
    machines: Machines,
    stop: Stop,
    is_ground: bool,
}

type Make = dyn Fn() -> Result<Box<dyn StateMachine>, MachineError> + Send + Sync;

enum Machines {
    /// Those that nobody uses at the moment; more are made where threads need them.
    Many {
        idle: Mutex<Vec<Box<dyn StateMachine>>>,
        make: Box<Make>,
    },
    /// The only one, since its numbers of states and moves are its own.
    One(Mutex<Box<dyn StateMachine>>),
}

impl MachinePool {
    /// Machines that agree on the numbers of states and moves, one for each thread that asks at the same time.
    ///
    /// # Errors
    /// When the first one cannot be made.
    pub(crate) fn of_many(
        stop: &Stop,
        make: impl Fn() -> Result<Box<dyn StateMachine>, MachineError> + Send + Sync + 'static,
    ) -> Result<MachinePool, MachineError> {
        let first = make()?;
        Ok(MachinePool {
            stop: stop.clone(),
            is_ground: true,
            roles: first.roles().to_vec(),
            machines: Machines::Many {
                idle: Mutex::new(vec![first]),
                make: Box::new(make),
            },
        })
    }

    /// One machine, for which threads wait. It may have the numbers of the ground game.
    pub(crate) fn of_one(
        machine: Box<dyn StateMachine>,
        is_ground: bool,
        stop: &Stop,
    ) -> MachinePool {
        MachinePool {
            stop: stop.clone(),
            is_ground,
            roles: machine.roles().to_vec(),
            machines: Machines::One(Mutex::new(machine)),
        }
    }

    /// The names of the roles in rulesheet order.
    pub fn roles(&self) -> &[String] {
        &self.roles
    }

    /// Whether states and moves have the numbers of the ground game, as in all machines but the prover.
    pub fn is_ground(&self) -> bool {
        self.is_ground
    }

    /// What ends questions, unless they have a stop of their own.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Asks a machine. The answer is an error that [says so](MachineError::is_stopped) if `stop` comes first.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn ask<T>(
        &self,
        stop: &Stop,
        question: impl FnOnce(&mut dyn StateMachine) -> Result<T, MachineError>,
    ) -> Result<T, MachineError> {
        match &self.machines {
            Machines::One(machine) => {
                let mut machine = machine.lock();
                machine.set_stop(stop);
                question(&mut **machine)
            }
            Machines::Many { idle, make } => {
                let known = idle.lock().pop();
                let mut machine = known.map_or_else(make, Ok)?;
                let answer = question(&mut *machine);
                idle.lock().push(machine);
                answer
            }
        }
    }
}

impl fmt::Debug for MachinePool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MachinePool").finish_non_exhaustive()
    }
}
