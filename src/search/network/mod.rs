//! Neural networks from files, as evaluations of positions.
//!
//! A [`Network`] is read from a file in the safetensors format, whose metadata say what it is for and which layers it has:
//! convolutions, residual blocks and linear layers. It evaluates the positions of a game by what the player with a choice
//! observes. The file format is described in `docs/networks.md`.
//!
//! ```no_run
//! use propjit::search::SearchBudget;
//! use propjit::search::mcts::{Mcts, MctsConfig};
//! use propjit::search::network::Network;
//! use propjit::{Backend, Game, Setup, Stop};
//!
//! let game = Game::load("connectFour.kif".as_ref(), &Setup::default())?;
//! let network = Network::read("connectFour.safetensors".as_ref())?;
//! let leaves = network.evaluation(&game, &Stop::new())?;
//! let mut search = Mcts::new(&game, Backend::Lanes, MctsConfig::default().with_leaves(Some(leaves)))?;
//! search.run(&SearchBudget::default().with_playouts(Some(800)))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - `file`: reading. `layer`: the layers and what they compute. `evaluator`: the network of a game.

mod error;
mod evaluator;
mod file;
mod layer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::game::environment::Rewards;
use layer::Layer;

pub use error::NetworkError;
pub use evaluator::NetworkEvaluator;

/// A network, as it is in a file.
#[derive(Clone, Debug)]
pub struct Network(Arc<Contents>);

/// What is in the file of a network.
#[derive(Debug)]
struct Contents {
    path: PathBuf,
    /// The [hash](crate::game::ground::GroundGame::vocabulary_hash) of the vocabulary of the game that it is for.
    game: String,
    observation: Observation,
    rewards: Rewards,
    /// The layers that both heads share.
    body: Vec<Layer>,
    /// The layers that make logits of the result.
    policy: Vec<Layer>,
    /// The layers that make values of the result.
    value: Vec<Layer>,
}

/// What a network gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Observation {
    /// Whether each base proposition holds.
    Fluents,
    /// [Planes](crate::game::boards::Planes), relative to the player with a choice or not.
    Planes { relative: bool },
}

impl Network {
    /// Reads a network.
    ///
    /// # Errors
    /// If the file cannot be read, or has no network of a known version.
    pub fn read(path: &Path) -> Result<Network, NetworkError> {
        file::read(path).map(|contents| Network(Arc::new(contents)))
    }

    /// Returns the file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }
}
