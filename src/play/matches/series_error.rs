//! Errors of series and tournaments.

use std::sync::Arc;

use thiserror::Error;

use crate::game::load::LoadError;
use crate::game::machine::MachineError;

/// Names the players that these roles need.
fn needed(roles: &[String]) -> String {
    match roles {
        [] => "no player: every role is played by chance".to_string(),
        roles => format!("a player for each of {}", roles.join(", ")),
    }
}

/// Why a series cannot be played.
#[derive(Debug, Error)]
pub enum SeriesError {
    /// The game needs another number of players.
    #[error("the game needs {}; given: {given}", needed(.roles))]
    Players {
        /// The roles that need a player.
        roles: Vec<String>,
        /// How many players there are.
        given: usize,
    },
    /// A player takes no match.
    #[error("{0}")]
    Absent(String),
    /// The game cannot be loaded.
    #[error(transparent)]
    Load(#[from] Arc<LoadError>),
    /// The game cannot be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
}
