//! Circuits that are derived from a game's.
//!
//! - [`stepping`] puts the choice of moves into the circuit, [`decisive`] that of moves that win at once.
//! - [`darkening`] leaves out what can no longer change.
//! - [`reasons`] says which inputs make wires what they are.

pub mod darkening;
pub mod decisive;
pub mod reasons;
pub mod stepping;
