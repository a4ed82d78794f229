//! The lanes in which matches end.

use crate::game::vocabulary::lane_mask::LaneMask;

/// The lanes in which matches have ended.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Ends {
    /// In a terminal state.
    pub(super) terminated: LaneMask,
    /// Otherwise: they were too long, or a role had no legal move.
    pub(super) truncated: LaneMask,
}

impl Ends {
    pub(super) fn all(self) -> LaneMask {
        self.terminated.or(self.truncated)
    }

    pub(super) fn or(self, other: Ends) -> Ends {
        Ends {
            terminated: self.terminated.or(other.terminated),
            truncated: self.truncated.or(other.truncated),
        }
    }
}
