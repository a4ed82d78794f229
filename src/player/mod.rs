//! Players: whoever chooses moves for a role in a match.
//!
//! A [`Player`] gets a [`Seat`] and then hears of the match what the GGP protocol
//! tells: the clocks and the joint moves. Moves are text, because the numbers of a
//! prover are its own, and because a program at the other end of a connection is a
//! player too.
//!
//! - [`spec`] makes players from what the command line calls them.
//! - [`searcher`], [`simple`] and [`remote`] are players.
//! - [`board`] follows a match, as most players and all referees need.
//! - [`rulesheet`] is a game that several players share, prepared when first needed.
//! - [`worker`] runs a player on a thread of its own, with time-outs that hold
//!   whatever the player does.

pub mod board;
pub mod remote;
pub mod rulesheet;
pub mod searcher;
pub mod simple;
pub mod spec;
pub(crate) mod worker;

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::game::LoadError;
use crate::machine::{MachineError, RoleId};
use propjit_stop::Stop;

use rulesheet::Rulesheet;

/// What a player knows before the match.
#[derive(Clone, Debug)]
pub struct Seat {
    /// The match's name, a KIF name.
    pub match_id: String,
    /// The number of the match among those of this process, from 0.
    pub number: u64,
    /// The game.
    pub rulesheet: Arc<Rulesheet>,
    /// The role to play.
    pub role: RoleId,
    /// Time to prepare.
    pub start_clock: Duration,
    /// Time for each move.
    pub play_clock: Duration,
    /// A random number for this seat in this match alone.
    pub seed: u64,
}

/// A move and why it was chosen.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// The move in KIF.
    pub text: String,
    /// What the player wants to have recorded with it.
    pub statistics: Option<serde_json::Value>,
}

impl Choice {
    /// A move without statistics.
    pub fn new(text: impl Into<String>) -> Choice {
        Choice {
            text: text.into(),
            statistics: None,
        }
    }
}

/// How a match is over for a player.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It was played to its end, with these last moves if there were any.
    Complete(Option<Vec<String>>),
    /// It was given up.
    Aborted,
}

/// Why a player has no move, or cannot go on.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PlayerError {
    /// The time is up.
    #[error("no answer in time")]
    TimedOut,
    /// Somebody asked the player to stop.
    #[error("stopped")]
    Stopped,
    /// The player cannot be reached.
    #[error("the connection failed")]
    Connection(#[source] Arc<io::Error>),
    /// The player said what it must not say.
    #[error("the answer is `{0}`")]
    Answer(String),
    /// The role has no legal move.
    #[error("there is no legal move")]
    NoMove,
    /// The game cannot be loaded.
    #[error(transparent)]
    Load(Arc<LoadError>),
    /// The game cannot be evaluated, or a joint move is not legal in it.
    #[error(transparent)]
    Machine(Arc<MachineError>),
    /// The player panicked, in this or an earlier turn of the match.
    #[error("the player crashed: {0}")]
    Crashed(String),
}

impl From<MachineError> for PlayerError {
    fn from(error: MachineError) -> PlayerError {
        PlayerError::Machine(Arc::new(error))
    }
}

/// Chooses moves for one role in one match.
///
/// [`prepare`](Player::prepare) comes first, and every joint move is told once by
/// [`advance`](Player::advance). [`choose`](Player::choose) may be asked for more than once in a
/// state, or not at all where nobody waits for the answer any more. Methods that get a [`Stop`]
/// return within some 10 ms after it is set.
pub trait Player: Send {
    /// Uses the start clock, which ends at `deadline`; may return before.
    ///
    /// # Errors
    /// When the player is not fit to play. It is asked for moves all the same.
    fn prepare(&mut self, deadline: Instant, stop: &Stop) -> Result<(), PlayerError>;

    /// A move of its role in the current state, by `deadline` at the latest. When
    /// stopped, the best it has by then, or an error.
    ///
    /// # Errors
    /// When it has none.
    fn choose(&mut self, deadline: Instant, stop: &Stop) -> Result<Choice, PlayerError>;

    /// All roles have made their moves of `joint`, in role order.
    ///
    /// # Errors
    /// When the player cannot follow. The state is then what it was.
    fn advance(&mut self, joint: &[String]) -> Result<(), PlayerError>;

    /// May think until it is stopped, while nobody waits for it; may return before.
    fn ponder(&mut self, stop: &Stop) {
        let _ = stop;
    }

    /// The match is over.
    fn end(&mut self, ending: &Ending) {
        let _ = ending;
    }
}
