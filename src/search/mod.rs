//! Searches: which move is best.
//!
//! [`mcts`] is Monte Carlo tree search. What a search asks of a game is in [`evaluator`]: the
//! states in which somebody decides ([`successor`]), with all forced moves passed over, and what
//! may be done there ([`legal`]), many at a time.

pub mod evaluator;
pub mod legal;
pub mod mcts;
pub mod successor;

use std::time::Instant;

use propjit_stop::Stop;

/// When a search ends, if it does not come to an end by itself.
#[derive(Clone, Copy, Debug)]
pub struct Budget<'a> {
    /// At this time.
    pub deadline: Option<Instant>,
    /// After this many playouts, or a few more. Those that are spared because it is known
    /// what comes of them count too.
    pub playouts: Option<u64>,
    /// When this is set.
    pub stop: &'a Stop,
}
