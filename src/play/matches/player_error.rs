//! Errors of players.

use std::io;
use std::sync::Arc;

use crate::game::load::LoadError;
use crate::game::machine::MachineError;
use crate::search::beliefs::Unexplained;
use crate::search::network::NetworkError;

/// Why a player has no move, or cannot go on.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PlayerError {
    /// The time is up.
    #[error("no answer in time")]
    TimedOut,
    /// The player was stopped.
    #[error("stopped")]
    Stopped,
    /// The player cannot be reached.
    #[error("the connection failed")]
    Connection(#[source] Arc<io::Error>),
    /// The player's answer violates the protocol.
    #[error("the answer is `{0}`")]
    Answer(String),
    /// The remote player reported a failure, or its answer cannot be parsed.
    #[error("{0}")]
    Failed(String),
    /// The role has no legal move.
    #[error("there is no legal move")]
    NoMove,
    /// What was perceived is not possible by the rules.
    #[error(transparent)]
    Unexplained(#[from] Unexplained),
    /// Information is hidden, and the game can be played by the prover only.
    #[error("games with hidden information are played only if they can be grounded")]
    NotGround,
    /// The player can follow a match only if it is told all moves, and they are hidden.
    #[error("the player plays no games in which the moves of others are hidden")]
    Hidden,
    /// The network of the player does not fit.
    #[error(transparent)]
    Network(Arc<NetworkError>),
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

impl From<Arc<LoadError>> for PlayerError {
    fn from(error: Arc<LoadError>) -> PlayerError {
        PlayerError::Load(error)
    }
}

impl From<MachineError> for PlayerError {
    fn from(error: MachineError) -> PlayerError {
        PlayerError::Machine(Arc::new(error))
    }
}
