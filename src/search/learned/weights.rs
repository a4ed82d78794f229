//! The weights of an evaluation.

use serde::{Deserialize, Serialize};

use super::inputs::Inputs;
use crate::game::ground::GroundGame;
use crate::game::machine::RoleId;

/// How many hidden units there are.
pub(in crate::search) const HIDDEN: usize = 32;

/// How many outputs there are: see [`Roles::column`].
pub(in crate::search) const COLUMNS: usize = 4;

/// A value for each role, as a share of the range of its goals; 0 for roles that do not exist or play at random.
pub(in crate::search) type Shares = [f32; Roles::MOST];

/// The roles of a game that may have an evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::search) struct Roles {
    count: usize,
    /// The one that plays at random, which expects nothing.
    random: Option<RoleId>,
}

impl Roles {
    /// The greatest number.
    pub(in crate::search) const MOST: usize = 4;

    /// Two of them.
    pub(super) const TWO: Roles = Roles {
        count: 2,
        random: None,
    };

    /// Returns the roles of a game, if there may be an evaluation.
    pub(in crate::search) fn of(game: &GroundGame) -> Option<Roles> {
        Roles::new(game.roles().len(), game.random_role())
    }

    /// Returns this number of roles, of which one may play at random, if there may be an evaluation: if several do not
    /// play at random, and there are not too many.
    pub(in crate::search) fn new(count: usize, random: Option<RoleId>) -> Option<Roles> {
        let are_several = count - usize::from(random.is_some()) >= 2;
        (are_several && count <= Roles::MOST).then_some(Roles { count, random })
    }

    /// Those that do not play at random, one after the other.
    pub(in crate::search) fn each(self) -> impl Iterator<Item = RoleId> {
        RoleId::first(self.count).filter(move |&role| !self.is_random(role))
    }

    /// The first one that does not play at random.
    pub(super) fn first(self) -> RoleId {
        RoleId(u32::from(self.random == Some(RoleId(0))))
    }

    /// The number of all of them.
    pub(super) fn count(self) -> usize {
        self.count
    }

    /// The one that plays at random, if there is one.
    pub(in crate::search) fn random(self) -> Option<RoleId> {
        self.random
    }

    /// Whether a role plays at random.
    pub(super) fn is_random(self, role: RoleId) -> bool {
        self.random == Some(role)
    }

    /// Whether there are two, and no chance.
    pub(super) fn are_two(self) -> bool {
        self.count == 2
    }

    /// Returns the side that a role is on, of `sides`, in the match of this number: roles change sides from
    /// match to match.
    pub(in crate::search) fn side(self, number: u64, role: RoleId, sides: usize) -> usize {
        let is_after = self.random.is_some_and(|random| random < role);
        let place = u64::from(role.0) - u64::from(is_after);
        ((number + place) % sides as u64) as usize
    }

    /// The data for each role.
    #[inline(always)]
    pub(in crate::search) fn shares(self, mut of: impl FnMut(RoleId) -> f32) -> Shares {
        let mut shares = [0.0; Roles::MOST];
        for (at, share) in shares.iter_mut().enumerate().take(self.count) {
            let role = RoleId(at as u32);
            if !self.is_random(role) {
                *share = of(role);
            }
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
    /// with more, propositions give the role to move, or that chance is.
    #[inline(always)]
    pub(super) fn column(self, to_move: RoleId, role: RoleId) -> usize {
        match self.count {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_on_no_side_and_expects_nothing() {
        for random in 0..3 {
            let roles = Roles {
                count: 3,
                random: Some(RoleId(random)),
            };
            let players: Vec<RoleId> = roles.each().collect();
            assert_eq!(players.len(), 2);
            assert_eq!(players[0], roles.first());
            assert!(players.iter().all(|&role| !roles.is_random(role)));
            let sides = |number| players.iter().map(move |&role| roles.side(number, role, 2));
            assert!(sides(4).eq([0, 1]) && sides(5).eq([1, 0]));
            let shares = roles.shares(|role| 1.0 + role.0 as f32);
            assert_eq!(shares[random as usize], 0.0);
            assert!(
                players
                    .iter()
                    .all(|role| shares[role.index()] == 1.0 + role.0 as f32)
            );
            // A draw counts as one, whatever chance gets.
            let results = roles.shares(|_| 0.5);
            assert_eq!(roles.pairs_won(&results, |role| role == players[1]), 0.5);
        }
    }
}
