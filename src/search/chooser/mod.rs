//! The search of a game by the algorithm that suits it.
//!
//! - `search`: the search; `config`: its configuration.
//! - `beside`: minimax beside tree search, and which of both is to search.
//! - `trial`: matches between both at equal time; `score`: what they show; `store`: what is kept of that.

mod beside;
mod config;
mod score;
mod search;
mod store;
mod trial;

pub use config::{SearchConfig, SearchKind, learning_time};
pub use score::TrialScore;
pub use search::{Search, SearchChoice};
