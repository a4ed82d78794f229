//! Darkening: parts of the circuit that can never change again in a match, and the circuit that is
//! left without them.
//!
//! As a match continues, more and more of the game becomes constant: squares are taken,
//! walls stand, counters have passed. A part that cannot change is *dark*, and need not be
//! computed. So the circuit is specialised for the root of a search (partial evaluation): all that
//! is dark [from there on](ternary) becomes constant, and the circuit smaller. (The word is that of
//! Sancho's authors.)
//!
//! - [`ternary`] finds the dark parts.
//! - A [`Specialisation`] is a root, the parts that are dark from there on, and the circuit that is
//!   left.
//!
//! The [engine](crate::game::engine::darkening) decides when it pays off to compile such circuits.
//!
//! # Guarantees
//!
//! The inputs and outputs of a specialised circuit have the same numbers as those of the whole
//! circuit. For every state that agrees with the root in all dark propositions, and all legal
//! moves, it computes the same legal moves, next state, end and goals as the whole circuit; and the
//! next state agrees with the root again.

mod specialisation;
pub mod ternary;

pub use specialisation::Specialisation;
pub(crate) use specialisation::whole_work;
