//! Errors of networks.

use std::io;
use std::path::PathBuf;

use crate::game::environment::EnvironmentError;
use crate::game::machine::MachineError;

/// The reason why a network cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// The file cannot be read.
    #[error("cannot read the network {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file has no network.
    #[error("{} is not the file of a network: {reason}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The network is in another version of the format.
    #[error(
        "the network {} has version {found} of the format, and this program reads version {known}: export it again, or use another version of propjit",
        path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: String,
        /// The version that can be read.
        known: &'static str,
    },
    /// The network is for another game.
    #[error(
        "the network {} is for another game: its propositions, moves or roles have the hash {expected}, and those of {game} have {found}",
        path.display()
    )]
    Game {
        /// The file.
        path: PathBuf,
        /// The name of the game that is played.
        game: String,
        /// The hash in the file.
        expected: String,
        /// The hash of the game.
        found: String,
    },
    /// A layer does not fit to what comes before, or the network not to the game.
    #[error("the network {} does not fit: {reason}", path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },
    /// The game cannot be evaluated by a network.
    #[error("a network cannot evaluate {game}: {reason}")]
    Unsuitable {
        /// The name of the game.
        game: String,
        /// Why not.
        reason: &'static str,
    },
    /// What is rewarded could not be found out.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// Boards could not be found.
    #[error(transparent)]
    Machine(#[from] MachineError),
}
