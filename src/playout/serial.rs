//! Playouts one after the other, by a state machine.

use std::fmt;

use rand::RngExt;

use super::queue::{JobId, PlayoutQueue};
use super::runner::{PlayoutRunner, RunLimits};
use super::tally::{Ending, Line};
use crate::ground::Phases;
use crate::machine::{MachineError, Move, RoleId, State, StateMachine};
use crate::rng::GameRng;

/// Plays matches with a state machine. They share its memory, so that none of them allocates.
pub struct SerialPlayouts {
    machine: Box<dyn StateMachine>,
    rng: GameRng,
    max_steps: u32,
    queue: PlayoutQueue,
    state: State,
    next: State,
    legal: Vec<Move>,
    joint: Vec<Move>,
    values: Vec<i32>,
    /// Only lines with a greater goal are tracked, if any: see
    /// [`PlayoutRunner::track_best_line`].
    lines_above: Option<i32>,
    /// The moves of the match, if lines are tracked.
    line: Vec<Move>,
}

impl SerialPlayouts {
    /// A runner without jobs, for matches of at most `max_steps` joint moves.
    pub fn new(machine: Box<dyn StateMachine>, max_steps: u32, rng: GameRng) -> SerialPlayouts {
        SerialPlayouts {
            rng,
            max_steps,
            queue: PlayoutQueue::new(machine.roles().len(), Phases::none()),
            state: State::new(),
            next: State::new(),
            legal: Vec::new(),
            joint: Vec::new(),
            values: Vec::new(),
            lines_above: None,
            line: Vec::new(),
            machine,
        }
    }

    /// The machine that plays, for other questions while it does not play.
    pub fn machine(&mut self) -> &mut dyn StateMachine {
        &mut *self.machine
    }

    /// Plays a match and counts it, unless a stop comes.
    fn play_match(&mut self, id: JobId, limits: &RunLimits) -> Result<(), MachineError> {
        self.state.assign(self.queue.state(id).0.words());
        self.line.clear();
        let mut length = 0;
        let ending = loop {
            if limits.stop.is_set() {
                self.queue.abandon(id, u64::from(length));
                return Ok(());
            }
            if self.machine.is_terminal(&self.state)? {
                break Ending::Terminal;
            }
            if length == self.max_steps {
                break Ending::Truncated;
            }
            if !self.choose_moves()? {
                break Ending::Stuck;
            }
            self.machine
                .next_state_unchecked(&self.state, &self.joint, &mut self.next)?;
            if self.lines_above.is_some() {
                self.line.extend_from_slice(&self.joint);
            }
            std::mem::swap(&mut self.state, &mut self.next);
            length += 1;
        };
        let tally = self.queue.end(id, 1);
        tally.end(length, ending);
        if ending == Ending::Terminal {
            let goals = tally.goals.iter_mut();
            for (role, goals) in RoleId::first(goals.len()).zip(goals) {
                self.machine.goals(&self.state, role, &mut self.values)?;
                match *self.values {
                    [value] => goals.values.add(value, 1),
                    _ => goals.undefined += 1,
                }
            }
            // Lines are kept of a single role, whose goals were the last.
            if let (Some(above), &[goal]) = (self.lines_above, &self.values[..])
                && goal > above
                && tally.is_better(goal)
            {
                let moves = self.line.clone();
                tally.best = Some(Line { goal, moves });
            }
        }
        limits.progress.add(1);
        Ok(())
    }

    /// Chooses each role's move uniformly; false if a role has none.
    fn choose_moves(&mut self) -> Result<bool, MachineError> {
        self.joint.clear();
        for role in RoleId::first(self.machine.roles().len()) {
            self.machine
                .legal_moves(&self.state, role, &mut self.legal)?;
            let choice = match self.legal.len() {
                0 => return Ok(false),
                1 => 0,
                count => self.rng.random_range(0..count as u32) as usize,
            };
            self.joint.push(self.legal[choice]);
        }
        Ok(true)
    }
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
            self.play_match(id, limits)?;
        }
        Ok(())
    }
}

impl fmt::Debug for SerialPlayouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SerialPlayouts")
            .field("max_steps", &self.max_steps)
            .field("queue", &self.queue)
            .finish_non_exhaustive()
    }
}
