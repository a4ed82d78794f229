//! Expansion: legal moves and successors of many states at a time, in lanes.
//!
//! An [`Expander`] fills a [`Batch`](super::batch::Batch) with parents and plays their moves there, on the best engine
//! available. Successors remain in lanes, as rows; only those that are kept are packed into columns. They are those by
//! all joint moves, which exhaustive searches need, also on several threads (`team`); or those by joint moves that are
//! given, with forced moves skipped, as searches of decisions do.

mod expander;
pub(crate) mod forced;
pub mod legal;
pub mod successor;
pub(crate) mod team;

pub use expander::Expander;

/// About how many moves are evaluated in one call: enough for many lanes, few enough to be held.
pub(crate) const MAX_MOVES: usize = 1 << 16;
