//! Random matches, recorded with one machine to be replayed with others.

use std::time::Instant;

use rand::seq::IndexedRandom;

use super::config::CompareConfig;
use crate::game::machine::{MachineError, Move, State, StateMachine};
use crate::lab::verify::difference::{Comparison, Difference};
use crate::lab::verify::joint::{apply, parse_joint};
use crate::lab::verify::snapshot::{Snapshot, all_goals};
use crate::support::rng::GameRng;
use propjit_stop::Stop;

/// Random matches.
pub(super) struct Recording {
    steps: Vec<Step>,
}

/// A state of a match.
struct Step {
    /// The number of the match, from 1, and of the state in it, from 0.
    at: (u64, usize),
    said: Snapshot,
    /// All goal values of each role.
    goals: Vec<Vec<i32>>,
    /// The move of each role; none where the match ends.
    joint: Option<Vec<String>>,
}

/// The outcome of a replay.
pub(super) struct Replay {
    /// The number of states that were compared.
    pub compared: usize,
    /// The first difference; nothing is replayed after it.
    pub difference: Option<Difference>,
    /// The states as the machine has them.
    pub positions: Vec<Position>,
}

/// A state and the joint move played in it, in the numbers of one machine.
pub(super) struct Position {
    pub state: State,
    /// The move of each role; none where the match ends.
    pub joint: Option<Vec<Move>>,
}

impl Recording {
    /// Records as many states as the configuration says, or as many as its time allows.
    pub(super) fn new(
        machine: &mut dyn StateMachine,
        config: &CompareConfig,
        mut rng: GameRng,
        stop: &Stop,
    ) -> Result<Recording, MachineError> {
        let start = Instant::now();
        let mut steps: Vec<Step> = Vec::new();
        let mut state = machine.initial_state()?;
        let mut at = (1, 0);
        while steps.len() < config.states.max(1) {
            let said = Snapshot::of(machine, &state)?;
            let goals = all_goals(machine, &state)?;
            let choices = said.legal.iter().map(|texts| texts.choose(&mut rng));
            // There is none for a role that is stuck, and no role in terminal states.
            let joint: Option<Vec<String>> = choices.map(Option::<&String>::cloned).collect();
            let joint = joint.filter(|joint| !joint.is_empty());
            let next;
            (state, next) = match &joint {
                Some(joint) => {
                    let joint = parse_joint(machine, joint)?;
                    (apply(machine, &state, &joint)?, (at.0, at.1 + 1))
                }
                None => (machine.initial_state()?, (at.0 + 1, 0)),
            };
            steps.push(Step {
                at,
                said,
                goals,
                joint,
            });
            at = next;
            if stop.is_set() || start.elapsed() >= config.time {
                break;
            }
        }
        Ok(Recording { steps })
    }

    /// Returns the number of recorded states.
    pub(super) fn states(&self) -> usize {
        self.steps.len()
    }

    /// Replays the matches with a machine, up to the first difference or the deadline.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub(super) fn replay(
        &self,
        machine: &mut dyn StateMachine,
        deadline: Instant,
        stop: &Stop,
    ) -> Result<Replay, MachineError> {
        let mut replay = Replay {
            compared: 0,
            difference: None,
            positions: Vec::new(),
        };
        let mut comparison = Comparison::default();
        let mut state = State::new();
        for step in &self.steps {
            if step.at.1 == 0 {
                state = machine.initial_state()?;
            }
            comparison.at = step.at;
            let got = Snapshot::of(machine, &state)?;
            comparison.snapshots(machine.roles(), &step.said, &got);
            let goals = all_goals(machine, &state)?;
            comparison.values("goals", None, &step.goals, &goals);
            replay.compared += 1;
            if comparison.first.is_some() {
                break;
            }
            let joint = match &step.joint {
                Some(joint) => Some(parse_joint(machine, joint)?),
                None => None,
            };
            let next = match &joint {
                Some(joint) => apply(machine, &state, joint)?,
                None => State::new(),
            };
            let state = std::mem::replace(&mut state, next);
            replay.positions.push(Position { state, joint });
            if stop.is_set() || Instant::now() >= deadline {
                break;
            }
        }
        replay.difference = comparison.first;
        Ok(replay)
    }
}
