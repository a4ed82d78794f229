//! Numbers of moves among those of all roles.

use std::ops::Range;

use crate::game::machine::RoleId;

/// The numbers of moves among those of all roles: first the moves of the first role.
#[derive(Clone, Debug)]
pub struct MoveNumbers {
    /// The starts of the moves of each role, and the end of the last ones.
    starts: Box<[u32]>,
}

impl MoveNumbers {
    /// Creates the numbering for roles with these numbers of moves.
    pub fn new(moves: impl Iterator<Item = usize>) -> MoveNumbers {
        let mut end = 0;
        let ends = moves.map(|moves| {
            end += moves as u32;
            end
        });
        MoveNumbers {
            starts: std::iter::once(0).chain(ends).collect(),
        }
    }

    /// Returns the numbers of the moves of a role.
    pub fn of(&self, role: RoleId) -> Range<usize> {
        self.starts[role.index()] as usize..self.starts[role.index() + 1] as usize
    }

    /// Returns the number of moves.
    pub fn count(&self) -> usize {
        self.starts[self.starts.len() - 1] as usize
    }
}
