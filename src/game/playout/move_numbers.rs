//! Numbers of moves among those of all roles.

use std::ops::Range;

use crate::game::machine::RoleId;

/// The numbers of moves among those of all roles: first the moves of the first role.
#[derive(Clone, Debug)]
pub struct MoveNumbers {
    /// Where the moves of each role start, and where the last ones end.
    starts: Box<[u32]>,
}

impl MoveNumbers {
    /// The numbers where the roles have so many moves.
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

    /// The numbers of the moves of a role.
    pub fn of(&self, role: RoleId) -> Range<usize> {
        self.starts[role.index()] as usize..self.starts[role.index() + 1] as usize
    }

    /// How many moves there are.
    pub fn count(&self) -> usize {
        self.starts[self.starts.len() - 1] as usize
    }
}
