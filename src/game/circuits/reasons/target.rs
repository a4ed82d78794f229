//! What a role is to achieve.

use serde::Serialize;

use crate::game::vocabulary::moves::RoleId;

/// A goal that a proof search looks for: that a role has at least this goal value when the match
/// is over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Target {
    /// The role.
    pub role: RoleId,
    /// The least value that counts.
    pub value: i32,
}
