//! Search algorithms for the best move.
//!
//! - [`chooser`] is the search by the algorithm that suits a game: [`mcts`] is Monte Carlo tree search, [`minimax`] searches
//!   on a learned evaluation.
//! - [`expansion`] has the queries of a search about a game: the states in which some role decides, with all
//!   forced moves passed over, and the legal moves there, for many states at a time.
//! - [`learned`] is an evaluation that is learned here, [`external`] one that comes from outside, and [`network`] one from a file; `symmetry` finds
//!   automorphisms of a game.
//! - [`beliefs`] has the states that a role thinks possible where it does not see all.
//!   [`ismcts`] is tree search on these, [`determinised`] searches some of them as if they were known, and [`hidden`] chooses
//!   between them.
//! - [`batched`] searches many states at once, by an evaluation from outside, for self-play.
//! - A [`SearchBudget`] has the limits of a search.

pub mod batched;
pub mod beliefs;
mod budget;
pub mod chooser;
pub mod determinised;
pub mod expansion;
pub mod external;
pub mod hidden;
pub mod ismcts;
pub mod learned;
pub mod mcts;
pub mod minimax;
pub mod network;
mod symmetry;

pub use budget::SearchBudget;
