//! Circuits derived from the circuit of a game.
//!
//! - [`stepping`] puts the choice of moves into the circuit, [`decisive`] restricts it to moves that win
//!   at once.
//! - [`darkening`] removes the parts that can no longer change.
//! - [`reasons`] adds justifications: sets of inputs that determine the values of wires.

pub mod darkening;
pub mod decisive;
pub mod reasons;
pub mod stepping;
