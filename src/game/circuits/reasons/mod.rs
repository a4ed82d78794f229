//! Reasons (justifications): a game's circuit in one of its phases, with support sets of its
//! outputs.
//!
//! A *reason* for the value of a wire, in a state with a joint move, is a set of base
//! propositions: in every state that agrees on them, the wire has the same value with the same
//! moves (see [`propjit_jit::reasons`]). The [proof search](crate::proof::forced) puts proofs together
//! from the reasons for the steps that they consist of.
//!
//! In a phase, the propositions that identify it are constants, and so are not part of reasons. The
//! moves of roles that have only one are constants, too.

mod circuit;
pub mod layout;
mod target;

pub use circuit::PhaseCircuit;
pub use layout::PhaseLayout;
pub use target::Target;
