//! Renamings of propositions and roles.

use crate::game::vocabulary::moves::RoleId;
use crate::game::vocabulary::state::State;

/// A permutation of the base propositions of a game, and one of its roles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Renaming {
    /// For each base proposition, the one that it becomes.
    bases: Box<[u32]>,
    /// For each role, the one that it becomes.
    roles: Box<[RoleId]>,
}

impl Renaming {
    /// Creates it from the images of all propositions and roles; none if these are not permutations.
    pub(super) fn new(bases: Box<[u32]>, roles: Box<[RoleId]>) -> Option<Renaming> {
        let numbers = roles.iter().map(|role| role.index());
        let is_valid =
            is_permutation(bases.iter().map(|&base| base as usize)) && is_permutation(numbers);
        is_valid.then_some(Renaming { bases, roles })
    }

    /// Returns whether a proposition or role becomes another one.
    pub(super) fn changes(&self) -> bool {
        let mut bases = self.bases.iter().zip(0..);
        let mut roles = self.roles.iter().zip(0..);
        bases.any(|(&image, base)| image != base) || roles.any(|(&image, role)| image.0 != role)
    }

    /// Returns the number of base propositions.
    pub fn bases(&self) -> usize {
        self.bases.len()
    }

    /// Returns the proposition that one becomes.
    pub fn base(&self, base: usize) -> usize {
        self.bases[base] as usize
    }

    /// Returns the role that one becomes.
    pub fn role(&self, role: RoleId) -> RoleId {
        self.roles[role.index()]
    }

    /// Returns what a state becomes.
    pub fn state(&self, state: &State) -> State {
        state.iter().map(|base| self.base(base)).collect()
    }
}

/// Returns whether each number from 0 on is there once.
fn is_permutation(images: impl ExactSizeIterator<Item = usize>) -> bool {
    let mut seen = vec![false; images.len()];
    images.into_iter().all(|image| {
        let place = seen.get_mut(image);
        place.is_some_and(|seen| !std::mem::replace(seen, true))
    })
}
