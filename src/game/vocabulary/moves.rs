//! Roles and moves, by number.

pub use propjit_gdl::rules::RANDOM_ROLE;
use serde::Serialize;

/// The number of a role in rulesheet order, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub struct RoleId(pub u32);

impl RoleId {
    /// Returns the role's index.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the first `count` roles.
    pub fn first(count: usize) -> impl Iterator<Item = RoleId> + Clone {
        (0..count as u32).map(RoleId)
    }
}

/// The number of a move among the moves of its role, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move(pub u32);

impl Move {
    /// Returns the move's index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
