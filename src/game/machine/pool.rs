//! Machine pools, which answer queries of all threads.

use std::fmt;

use parking_lot::Mutex;
use propjit_stop::Stop;

use super::StateMachine;

/// Machines for queries about single states, by any number of threads: states and moves of one
/// answer are valid in all queries.
pub struct MachinePool {
    roles: Vec<String>,
    machines: Machines,
    stop: Stop,
}

type Make = dyn Fn() -> Box<dyn StateMachine> + Send + Sync;

enum Machines {
    /// Those of a ground game that are idle; more are made when threads need them.
    Many {
        idle: Mutex<Vec<Box<dyn StateMachine>>>,
        make: Box<Make>,
    },
    /// The only one, since its numbers of states and moves are its own.
    One(Mutex<Box<dyn StateMachine>>),
}

impl MachinePool {
    /// Creates a pool of machines with the numbers of the ground game, one for each concurrent query.
    pub(crate) fn of_many(
        stop: &Stop,
        make: impl Fn() -> Box<dyn StateMachine> + Send + Sync + 'static,
    ) -> MachinePool {
        let first = make();
        MachinePool {
            stop: stop.clone(),
            roles: first.roles().to_vec(),
            machines: Machines::Many {
                idle: Mutex::new(vec![first]),
                make: Box::new(make),
            },
        }
    }

    /// Creates a pool of one machine, for which threads wait.
    pub(crate) fn of_one(machine: Box<dyn StateMachine>, stop: &Stop) -> MachinePool {
        MachinePool {
            stop: stop.clone(),
            roles: machine.roles().to_vec(),
            machines: Machines::One(Mutex::new(machine)),
        }
    }

    /// Returns the names of the roles in rulesheet order.
    pub fn roles(&self) -> &[String] {
        &self.roles
    }

    /// Returns whether states and moves are known to have the numbers of the ground game.
    pub fn is_ground(&self) -> bool {
        matches!(self.machines, Machines::Many { .. })
    }

    /// Returns the token that stops queries, unless they have their own.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Queries a machine. If `stop` is set first, methods of the machine that can fail return an error that [says
    /// so](super::MachineError::is_stopped).
    pub fn query<T>(&self, stop: &Stop, question: impl FnOnce(&mut dyn StateMachine) -> T) -> T {
        match &self.machines {
            Machines::One(machine) => {
                let mut machine = machine.lock();
                machine.set_stop(stop);
                question(&mut **machine)
            }
            Machines::Many { idle, make } => {
                let known = idle.lock().pop();
                let mut machine = known.unwrap_or_else(make);
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
