//! Expansion: legal moves and successors of many states at a time, in lanes.
//!
//! An [`Expander`] fills a [`Batch`](super::batch::Batch) with parents and plays their moves there, on the best engine
//! available. Successors remain in lanes, as rows; they are packed into columns for those who keep them. With
//! [`Expander::expand`] these are the successors by all joint moves, which exhaustive searches need; with
//! [`Expander::follow`], those by joint moves that are given, from which forced moves are
//! [skipped](Expander::skip_forced_moves), as searches of decisions do. A [`team`] does the first on several threads.

mod expander;
pub mod legal;
pub mod successor;
pub(crate) mod team;

pub use expander::Expander;

/// About how many moves are evaluated in one call: enough for many lanes, few enough to be held.
pub(crate) const MAX_MOVES: usize = 1 << 16;
