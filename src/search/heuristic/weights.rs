//! The weights of an evaluation.

use serde::{Deserialize, Serialize};

use crate::machine::RoleId;

/// How many hidden units there are.
pub(in crate::search) const HIDDEN: usize = 32;

/// How many outputs there are: one for each role to move and each role that gets something, see
/// [`column`].
pub(in crate::search) const COLUMNS: usize = 4;

/// The output for what a role gets where another one, or the same, is to move.
pub(super) fn column(to_move: RoleId, role: RoleId) -> usize {
    2 * to_move.index() + role.index()
}

/// The weights of a network with one hidden layer, and with connections past that layer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::search) struct Weights {
    /// From what every state has.
    pub constant: InputWeights,
    /// From each proposition, and then from the inputs of the patterns.
    pub inputs: Vec<InputWeights>,
    /// From the hidden units to each output.
    pub outputs: [[f32; HIDDEN]; COLUMNS],
}

/// The weights from an input.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::search) struct InputWeights {
    /// To each output.
    pub direct: [f32; COLUMNS],
    /// To each hidden unit.
    pub hidden: [f32; HIDDEN],
}

impl Weights {
    /// All weights of so many inputs are zero.
    pub(in crate::search) fn zero(inputs: usize) -> Weights {
        Weights {
            constant: InputWeights::default(),
            inputs: vec![InputWeights::default(); inputs],
            outputs: [[0.0; HIDDEN]; COLUMNS],
        }
    }

    /// Each weight.
    #[cfg(test)]
    pub(super) fn each_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        let inputs = self.inputs.iter_mut().chain([&mut self.constant]);
        let inputs = inputs.flat_map(|input| input.direct.iter_mut().chain(&mut input.hidden));
        inputs.chain(self.outputs.iter_mut().flatten())
    }

    /// With all outputs multiplied by this.
    pub(super) fn scaled(mut self, scale: f32) -> Weights {
        let inputs = self.inputs.iter_mut().chain([&mut self.constant]);
        let direct = inputs.flat_map(|input| &mut input.direct);
        let outputs = self.outputs.iter_mut().flatten();
        direct.chain(outputs).for_each(|weight| *weight *= scale);
        self
    }
}
