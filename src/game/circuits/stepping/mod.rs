//! Circuits of random steps, which choose moves in the circuit from a random number.
//!
//! A random step has two halves. The first computes how many legal moves each role has; a number
//! below that is drawn for each; and the second finds the moves with these numbers, and their
//! results. So moves are neither stored nor visited one by one, and gates that matter for the
//! choice can be kept in registers.
//!
//! A match that starts from the initial state does so within the step, too: an input says in which
//! lanes the next state is that one. In games with several phases, states of each have rows of their
//! own, and a step writes the next state there: nothing is copied.
//!
//! There is such a circuit for each [phase](crate::game::ground::Phases), in which the propositions of the
//! phase are constant: nothing is left of roles that are not to move, nor of `ends` that no step leads to,
//! and propositions that are [constant](crate::game::ground::PhaseConstants) there are neither read nor
//! evaluated. It takes states in that phase only, and of these only the initial one, those that are not
//! terminal, and their successors.
//!
//! Such a circuit represents states by a [`StateCode`]: large groups of propositions of which at most
//! one is true are binary numbers; `next_number` computes their next values.

mod circuit;
mod code;
mod ends;
mod layout;
mod next_number;

pub use circuit::step_circuit;
pub use code::StateCode;
pub use layout::{StepLayout, StepPhase};
