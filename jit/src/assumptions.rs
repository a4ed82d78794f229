//! What the user of a circuit promises about its inputs.

use crate::circuit::{InputId, OutputId};

/// Facts about the inputs that passes may rely on. They need not hold while
/// outputs are read that do not depend on the inputs concerned.
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
