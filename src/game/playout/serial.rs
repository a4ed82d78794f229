//! Serial playouts by a state machine.

use std::fmt;
use std::time::{Duration, Instant};

use propjit_stop::Stop;

use super::queue::{JobId, PlayoutQueue};
use super::random_match::{MatchSteps, RandomMatch, pick};
use super::runner::{PlayoutRunner, RunLimits};
use super::tally::{Ending, Line};
use crate::game::ground::Phases;
use crate::game::machine::{MachineError, RoleId, State, StateMachine};
use crate::support::rng::GameRng;

/// The time that a query may take when no matches are to be started any more.
const OVERTIME: Duration = Duration::from_secs(1);

/// Plays matches with a state machine. They share its memory, so that none of them allocates.
pub struct SerialPlayouts {
    machine: Box<dyn StateMachine>,
    rng: GameRng,
    steps: MatchSteps,
    queue: PlayoutQueue,
    values: Vec<i32>,
    /// For each role, the goal at the end of the match, if it has exactly one.
    goals: Vec<Option<i32>>,
    /// Only lines with a greater goal are tracked, if any: see
    /// [`PlayoutRunner::track_best_line`].
    lines_above: Option<i32>,
}

impl SerialPlayouts {
    /// Creates a runner without jobs, for matches of at most `max_steps` joint moves.
    pub fn new(machine: Box<dyn StateMachine>, max_steps: u32, rng: GameRng) -> SerialPlayouts {
        SerialPlayouts {
            rng,
            steps: MatchSteps::new(machine.roles().len(), max_steps as usize),
            queue: PlayoutQueue::new(machine.roles().len(), Phases::none(), State::new()),
            values: Vec::new(),
            goals: Vec::new(),
            lines_above: None,
            machine,
        }
    }

    /// Returns the machine that plays, for other queries while it does not play.
    pub fn machine(&mut self) -> &mut dyn StateMachine {
        &mut *self.machine
    }

    /// Plays a match and counts it, unless it is stopped, or a query takes too long when the time
    /// is up.
    fn play_match(&mut self, id: JobId, limits: &RunLimits) -> Result<(), MachineError> {
        self.steps.start(self.queue.state(id).0);
        self.machine.set_stop(&overtime(limits, limits.deadline));
        // Whether the time was up during a query.
        let mut is_late = false;
        let ending = loop {
            if limits.stop.is_set() {
                self.abandon(id);
                return Ok(());
            }
            if is_late {
                let now = Some(Instant::now());
                self.machine.set_stop(&overtime(limits, now));
            }
            match self.step() {
                Ok(None) => {}
                Ok(Some(ending)) => break ending,
                Err(error) if error.is_stopped() && (is_late || limits.stop.is_set()) => {
                    self.abandon(id);
                    if !limits.stop.is_set() {
                        tracing::warn!(%error, "match skipped: it takes too long");
                        self.queue.tally_mut(id).given_up += 1;
                    }
                    return Ok(());
                }
                // Each query may take that long.
                Err(error) if error.is_stopped() => is_late = true,
                Err(error) => {
                    self.abandon(id);
                    return Err(error);
                }
            }
        };
        let tally = self.queue.end(id, 1);
        tally.end(self.steps.length() as u32, ending);
        if ending == Ending::Terminal {
            for (goals, goal) in tally.goals.iter_mut().zip(&self.goals) {
                match *goal {
                    Some(goal) => goals.values.add(goal, 1),
                    None => goals.undefined += 1,
                }
            }
            // Lines are kept for a single role.
            if let (Some(above), &[Some(goal)]) = (self.lines_above, &self.goals[..])
                && goal > above
                && tally.is_better(goal)
            {
                let moves = self.steps.moves().to_vec();
                tally.best = Some(Line { goal, moves });
            }
        }
        limits.progress.add(1);
        Ok(())
    }

    /// Makes a joint move, unless the match ends here.
    fn step(&mut self) -> Result<Option<Ending>, MachineError> {
        let (machine, rng) = (&mut *self.machine, &mut self.rng);
        let end = self.steps.choose(machine, |legal| pick(legal, rng))?;
        Ok(Some(match end {
            None => {
                self.steps.advance(machine)?;
                return Ok(None);
            }
            Some(RandomMatch::Terminal) => {
                self.goals.clear();
                for role in RoleId::first(machine.roles().len()) {
                    machine.goals(self.steps.state(), role, &mut self.values)?;
                    self.goals.push(match *self.values {
                        [value] => Some(value),
                        _ => None,
                    });
                }
                Ending::Terminal
            }
            Some(RandomMatch::Truncated) => Ending::Truncated,
            Some(RandomMatch::Stuck(_)) => Ending::Stuck,
        }))
    }

    /// Drops the match.
    fn abandon(&mut self, id: JobId) {
        self.queue.abandon(id, self.steps.length() as u64);
    }
}

/// Returns the token that stops queries made up to a time, if there is one.
fn overtime(limits: &RunLimits, time: Option<Instant>) -> Stop {
    limits
        .stop
        .by(time.and_then(|time| time.checked_add(OVERTIME)))
}

impl PlayoutRunner for SerialPlayouts {
    fn queue(&self) -> &PlayoutQueue {
        &self.queue
    }

    fn queue_mut(&mut self) -> &mut PlayoutQueue {
        &mut self.queue
    }

    fn initial_state(&mut self) -> Result<State, MachineError> {
        self.machine.initial_state()
    }

    fn lanes(&self) -> usize {
        1
    }

    fn track_best_line(&mut self, above: Option<i32>) {
        self.lines_above = above.filter(|_| self.machine.roles().len() == 1);
    }

    fn clear(&mut self) {
        self.queue.clear();
    }

    fn play(&mut self, limits: &RunLimits) -> Result<(), MachineError> {
        while self.queue.finished() < limits.enough && !limits.stop.is_set() && !limits.are_up() {
            let Some((id, _)) = self.queue.next(0, 1) else {
                break;
            };
            let played = self.play_match(id, limits);
            // Other queries have no time limit.
            self.machine.set_stop(&Stop::new());
            played?;
        }
        Ok(())
    }
}

impl fmt::Debug for SerialPlayouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SerialPlayouts")
            .field("steps", &self.steps)
            .field("queue", &self.queue)
            .finish_non_exhaustive()
    }
}
