//! Targets of proof searches.

use serde::Serialize;

use crate::game::vocabulary::moves::RoleId;

/// The target of a proof search: a role has at least this goal value when the match is over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Target {
    /// The role.
    pub role: RoleId,
    /// The least value that counts.
    pub value: i32,
}
