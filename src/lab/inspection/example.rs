//! Examples: a state that illustrates a finding, and the history that leads there.

use std::fmt;
use std::time::Duration;

use propjit_stop::Stop;
use rand::SeedableRng;
use serde::Serialize;

use crate::game::load::Game;
use crate::game::machine::{MachineError, RoleId, StateMachine};
use crate::game::playout::{MatchSteps, RandomMatch, RandomMatches};
use crate::support::rng::GameRng;

/// The most joint moves that are shown as text.
const SHOWN: usize = 12;

/// A state, and the joint moves that lead there from the initial one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Example {
    /// The joint moves, one move for each role in role order.
    pub history: Vec<Vec<String>>,
    /// The propositions that hold in the state.
    pub state: Vec<String>,
}

impl Example {
    /// Returns the state in which the last match ended.
    pub fn of(matches: &mut RandomMatches) -> Example {
        let (last, machine) = matches.last();
        Example::at(machine, last)
    }

    /// Returns the current state of a match.
    pub(super) fn at(machine: &mut dyn StateMachine, steps: &MatchSteps) -> Example {
        let joint = |joint: &[_]| {
            let moves = RoleId::first(joint.len()).zip(joint);
            moves
                .map(|(role, &played)| machine.move_text(role, played))
                .collect()
        };
        Example {
            history: steps.history().map(joint).collect(),
            state: machine.fluents(steps.state()),
        }
    }
}

impl fmt::Display for Example {
    /// The history as the option `--moves` of commands reads it, unless it is long, and the state.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = self.history.len();
        let plural = if length == 1 { "" } else { "s" };
        write!(f, "    after {length} joint move{plural}")?;
        if length > SHOWN {
            write!(f, ", the last of them")?;
        }
        let last = &self.history[length.saturating_sub(SHOWN)..];
        let joints: Vec<String> = last.iter().map(|joint| joint.join(" | ")).collect();
        if length > 0 {
            write!(f, ": {}", joints.join("; "))?;
        }
        write!(f, "\n    state: {}", self.state.join(" "))
    }
}

/// Finds a random match that ends where a role has no legal move; returns the role, and the state.
/// Searches for `time`, unless `stop` is set before.
///
/// # Errors
/// When the game cannot be evaluated.
pub fn find_stuck(
    game: &Game,
    seed: u64,
    max_steps: usize,
    time: Duration,
    stop: &Stop,
) -> Result<Option<(RoleId, Example)>, MachineError> {
    let rng = GameRng::seed_from_u64(seed);
    let mut matches = RandomMatches::new(game.follower()?, max_steps, rng);
    let stop = stop.within(time);
    while let Some(end) = matches.play(&stop, &mut |_, _, _| Ok(()))? {
        if let RandomMatch::Stuck(role) = end {
            return Ok(Some((role, Example::of(&mut matches))));
        }
    }
    Ok(None)
}
