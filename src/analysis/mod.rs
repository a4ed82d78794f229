//! What can be found out about a game, and about a state, without playing.
//!
//! - [`ternary`] tells what can never change again from a state on.

pub mod ternary;
