//! What can be found out about a game, and about a state, without playing.
//!
//! - [`ternary`] tells what can never change again from a state on.
//! - [`achievable`] tells what goals are still possible.

pub mod achievable;
pub mod ternary;
