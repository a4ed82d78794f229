//! The weights of an evaluation.

use serde::{Deserialize, Serialize};

use super::inputs::Inputs;
use crate::game::machine::RoleId;

/// How many hidden units there are.
pub(in crate::search) const HIDDEN: usize = 32;

/// How many outputs there are: see [`Roles::column`].
pub(in crate::search) const COLUMNS: usize = 4;

/// A value for each role, as a share of the range of its goals; 0 for roles that do not exist.
pub(in crate::search) type Shares = [f32; Roles::MOST];

/// The number of roles of a game that may have an evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::search) struct Roles(usize);

impl Roles {
    /// The greatest number.
    pub(in crate::search) const MOST: usize = 4;

    /// Two of them.
    pub(super) const TWO: Roles = Roles(2);

    /// Returns this number of roles, if there may be an evaluation.
    pub(in crate::search) fn new(count: usize) -> Option<Roles> {
        (2..=Roles::MOST).contains(&count).then_some(Roles(count))
    }

    /// One after the other.
    pub(in crate::search) fn each(self) -> impl Iterator<Item = RoleId> {
        RoleId::first(self.0)
    }

    /// Whether there are two.
    pub(super) fn are_two(self) -> bool {
        self.0 == 2
    }

    /// The data for each role.
    #[inline(always)]
    pub(in crate::search) fn shares(self, mut of: impl FnMut(RoleId) -> f32) -> Shares {
        let mut shares = [0.0; Roles::MOST];
        for (role, share) in self.each().zip(&mut shares) {
            *share = of(role);
        }
        shares
    }

    /// Returns the share of the pairs of a role of its own and another one, with one that got more, in
    /// which that was its own; a half if there are none.
    pub(in crate::search) fn pairs_won(
        self,
        results: &Shares,
        is_own: impl Fn(RoleId) -> bool,
    ) -> f32 {
        let (mut more, mut unequal) = (0.0, 0.0);
        for own in self.each().filter(|&role| is_own(role)) {
            for other in self.each().filter(|&role| !is_own(role)) {
                let (own, other) = (results[own.index()], results[other.index()]);
                more += f32::from(u8::from(own > other));
                unequal += f32::from(u8::from(own != other));
            }
        }
        if unequal > 0.0 { more / unequal } else { 0.5 }
    }

    /// The output for what a role gets. With two roles, each has outputs of its own for when it is to move;
    /// with more, propositions give the role to move.
    #[inline(always)]
    pub(super) fn column(self, to_move: RoleId, role: RoleId) -> usize {
        match self.0 {
            2 => 2 * to_move.index() + role.index(),
            _ => role.index(),
        }
    }
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
    /// From each cell of tuples to each output.
    pub cells: Vec<[f32; COLUMNS]>,
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
    /// Returns weights of these inputs that are all zero.
    pub(in crate::search) fn zero(inputs: &Inputs) -> Weights {
        Weights {
            constant: InputWeights::default(),
            inputs: vec![InputWeights::default(); inputs.count()],
            cells: vec![[0.0; COLUMNS]; inputs.tuples().cells()],
            outputs: [[0.0; HIDDEN]; COLUMNS],
        }
    }

    /// Each weight.
    #[cfg(test)]
    pub(super) fn each_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        let inputs = self.inputs.iter_mut().chain([&mut self.constant]);
        let inputs = inputs.flat_map(|input| input.direct.iter_mut().chain(&mut input.hidden));
        let outputs = self.outputs.iter_mut().flatten();
        inputs.chain(outputs).chain(self.cells.iter_mut().flatten())
    }

    /// With all outputs multiplied by this.
    pub(super) fn scaled(mut self, scale: f32) -> Weights {
        let inputs = self.inputs.iter_mut().chain([&mut self.constant]);
        let direct = inputs.flat_map(|input| &mut input.direct);
        let outputs = self.outputs.iter_mut().flatten();
        let cells = self.cells.iter_mut().flatten();
        let all = direct.chain(outputs).chain(cells);
        all.for_each(|weight| *weight *= scale);
        self
    }
}
