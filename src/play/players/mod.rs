//! The built-in players, and their names on the command line.
//!
//! - [`spec`] makes players from texts such as `random:seed=5`; `options` is the table of options of `mcts`.
//! - [`MctsPlayer`] searches; [`SimplePlayer`] plays at random, or the first legal move.
//! - [`RemotePlayer`](crate::play::ggp::RemotePlayer) is a player at the other end of a connection.

mod mcts;
mod options;
mod simple;
pub mod spec;
mod spec_error;

pub use mcts::{MctsPlayer, MctsPlayerConfig, MoveBudget};
pub use options::{MctsOptions, PlayerOption, mcts_options, mcts_options_as_markdown};
pub use simple::SimplePlayer;
pub use spec::with_all_cores;
pub use spec_error::SpecError;
