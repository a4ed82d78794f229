//! Assumptions about the inputs of a circuit, on which passes may rely.

use crate::circuit::{InputId, OutputId};

/// Facts about the inputs, promised by the circuit's user. A fact need not hold while
/// outputs are read that depend neither on the inputs it is about nor on inputs
/// that facts connect with these: legality may be read before moves are chosen.
///
/// For a game, the inputs are base propositions and moves, and the promises are
/// that every role makes exactly one move and that moves are legal.
#[derive(Clone, Default, Debug)]
pub struct Assumptions {
    /// In each group exactly one input is true.
    pub exactly_one: Vec<Vec<InputId>>,
    /// The input is true only if the output is.
    pub implies: Vec<(InputId, OutputId)>,
}
