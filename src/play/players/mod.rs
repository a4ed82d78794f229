//! The players of propjit, and how the command line calls them.
//!
//! - [`spec`] makes players from texts such as `random:seed=5`.
//! - [`MctsPlayer`] searches; [`SimplePlayer`] plays at random, or the first legal move.
//! - [`RemotePlayer`](crate::play::ggp::RemotePlayer) is a player at the other end of a connection.

mod mcts;
mod simple;
pub mod spec;

pub use mcts::{MctsPlayer, MctsPlayerConfig, MoveBudget};
pub use simple::SimplePlayer;
pub use spec::SpecError;
