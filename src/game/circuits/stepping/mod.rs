//! Circuits of random steps: moves are chosen in the circuit, from a number that is drawn.
//!
//! A random step has two halves. The first tells how many legal moves each role has; a number
//! below that is drawn for each; and the second finds the moves with these numbers, and what comes
//! of them. So moves are neither stored nor looked at one by one, and gates for which the choice
//! matters can be kept in registers.
//!
//! A match that starts from the initial state does so within the step, too: an input says in which
//! lanes the next state is that one. In games with several phases, states of each have rows of their
//! own, and a step writes the next state there: nothing is copied.
//!
//! There is such a circuit for each [phase](crate::game::ground::Phases), in which what says so is
//! constant: nothing is left of roles that are not to move, nothing of `ends` that no step leads
//! to, and propositions that are [constant](crate::game::ground::PhaseConstants) there are neither read nor
//! evaluated. It takes states in that phase only, and of these only the initial one, those that are not
//! terminal, and what follows from them.
//!
//! What states are in such a circuit is a [`StateCode`]: large groups of propositions of which one at
//! most is true are numbers in binary, of which `next_number` tells the next.

mod circuit;
mod code;
mod ends;
mod layout;
mod next_number;

pub use circuit::step_circuit;
pub use code::StateCode;
pub use layout::{StepLayout, StepPhase};
