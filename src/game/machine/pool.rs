//! Machine pools, which answer queries of all threads.

use std::fmt;

use parking_lot::Mutex;
use propjit_stop::Stop;

use super::{MachineError, StateMachine};

/// Machines for queries about single states, by any number of threads: states and moves of one
/// answer are valid in all queries.
pub struct MachinePool {
    roles: Vec<String>,
    machines: Machines,
    stop: Stop,
    is_ground: bool,
}

type Make = dyn Fn() -> Result<Box<dyn StateMachine>, MachineError> + Send + Sync;

enum Machines {
    /// Those that are idle; more are made when threads need them.
    Many {
        idle: Mutex<Vec<Box<dyn StateMachine>>>,
        make: Box<Make>,
    },
    /// The only one, since its numbers of states and moves are its own.
    One(Mutex<Box<dyn StateMachine>>),
}

impl MachinePool {
    /// Creates a pool of machines that agree on the numbers of states and moves, one for each concurrent
    /// query.
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

    /// Creates a pool of one machine, for which threads wait. It may have the numbers of the ground game.
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

    /// Returns the names of the roles in rulesheet order.
    pub fn roles(&self) -> &[String] {
        &self.roles
    }

    /// Returns whether states and moves have the numbers of the ground game, as in all machines but the prover.
    pub fn is_ground(&self) -> bool {
        self.is_ground
    }

    /// Returns the token that stops queries, unless they have their own.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Queries a machine. If `stop` is set first, the result is an error that [says
    /// so](MachineError::is_stopped).
    ///
    /// # Errors
    /// When the query fails.
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
