//! Saved states: states as text, for files and messages.
//!
//! The text holds the propositions by name, so every backend of the same game
//! reads it, and two hashes, so that text of another game and damaged text are
//! noticed:
//!
//! ```text
//! propjit-state 1 game=0123456789abcdef fluents=fedcba9876543210
//! (cell 1 1 b)
//! (control white)
//! ```

use std::fmt;
use std::str::FromStr;

use super::{MachineError, State, StateMachine};
use crate::support::fnv::Fnv64;

/// A state of a game by the names of its propositions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SavedState {
    game: Fnv64,
    fluents: Vec<String>,
}

/// The reason why a text is not a saved state of this game.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// The text does not start like a saved state.
    #[error("this is not a saved state")]
    NotAState,
    /// The hash of the propositions is not the one that was saved.
    #[error("the saved state is damaged: its propositions do not have the hash {0}")]
    Damaged(Fnv64),
    /// The state is one of another rulesheet.
    #[error("the saved state belongs to another game: it has the hash {saved}, this one {game}")]
    ForeignGame {
        /// The hash of the rulesheet that the state belongs to.
        saved: Fnv64,
        /// The hash of this game's rulesheet.
        game: Fnv64,
    },
    /// A proposition is not one of the game.
    #[error(transparent)]
    Machine(#[from] MachineError),
}

impl SavedState {
    /// Saves a state of `machine`, for a game with the given
    /// [fingerprint](crate::game::load::Game::fingerprint).
    pub fn new(game: Fnv64, machine: &dyn StateMachine, state: &State) -> SavedState {
        let fluents = machine.fluents(state);
        SavedState { game, fluents }
    }

    /// Returns the canonical texts of the propositions that hold, sorted bytewise.
    pub fn fluents(&self) -> &[String] {
        &self.fluents
    }

    /// Restores the state as one of `machine`, for a game with the given fingerprint.
    ///
    /// # Errors
    /// When it is the state of another game.
    pub fn restore(
        &self,
        game: Fnv64,
        machine: &mut dyn StateMachine,
    ) -> Result<State, RestoreError> {
        if self.game != game {
            let saved = self.game;
            return Err(RestoreError::ForeignGame { saved, game });
        }
        let fluents: Vec<&str> = self.fluents.iter().map(String::as_str).collect();
        Ok(machine.parse_state(&fluents)?)
    }
}

impl fmt::Display for SavedState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hash = Fnv64::of_lines(&self.fluents);
        writeln!(f, "propjit-state 1 game={} fluents={hash}", self.game)?;
        self.fluents
            .iter()
            .try_for_each(|fluent| writeln!(f, "{fluent}"))
    }
}

impl FromStr for SavedState {
    type Err = RestoreError;
    fn from_str(text: &str) -> Result<SavedState, RestoreError> {
        let (head, body) = text.split_once('\n').ok_or(RestoreError::NotAState)?;
        let (game, hash) = read_head(head).ok_or(RestoreError::NotAState)?;
        let fluents: Vec<String> = body.lines().map(str::to_string).collect();
        if Fnv64::of_lines(&fluents) != hash {
            return Err(RestoreError::Damaged(hash));
        }
        Ok(SavedState { game, fluents })
    }
}

fn read_head(head: &str) -> Option<(Fnv64, Fnv64)> {
    let rest = head.trim_end().strip_prefix("propjit-state 1 game=")?;
    let (game, fluents) = rest.split_once(" fluents=")?;
    Some((game.parse().ok()?, fluents.parse().ok()?))
}
