//! Darkening: what can never change again in a match, and the circuit that is left without it.
//!
//! As a match goes on, more and more of the game cannot change any more: squares are taken,
//! walls stand, counters have passed. What cannot is *dark*, and need not be computed. So the
//! circuit is specialised for the root of a search (partial evaluation): all that is dark
//! [from there on](ternary) becomes constant, and the circuit smaller. (The word is that of
//! Sancho's authors.)
//!
//! - [`ternary`] finds what is dark.
//! - A [`Specialisation`] is a root, what is dark from there on, and the circuit that is left.
//!
//! The [engine room](crate::game::engine::darkening) decides when it pays to compile such circuits.
//!
//! # What holds
//!
//! The inputs and outputs of a specialised circuit have the same numbers as those of the whole
//! circuit. For every state that agrees with the root in all dark propositions, and all legal
//! moves, it says of legal moves, next state, end and goals what the whole circuit says; and
//! what follows agrees with the root again.

mod specialisation;
pub mod ternary;

pub use specialisation::Specialisation;
pub(crate) use specialisation::whole_work;
