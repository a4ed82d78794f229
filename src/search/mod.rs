//! Searches for the best move.
//!
//! - [`mcts`] is Monte Carlo tree search.
//! - [`expansion`] is what a search asks of a game: the states in which some role decides, with all forced moves
//!   passed over, and the moves that are legal there, for many states at a time.
//! - [`learned`] is an evaluation that is learned here, [`external`] one that comes from outside; `symmetry` finds
//!   renamings by which matches stay matches.
//! - A [`SearchBudget`] has the limits of a search.

mod budget;
pub mod expansion;
pub mod external;
pub mod learned;
pub mod mcts;
mod symmetry;

pub use budget::SearchBudget;
