//! Gates that matter only while a guard is true.

use crate::circuit::NodeId;

/// Which gates belong to which guard's group.
#[derive(Default, Debug)]
pub(super) struct Groups {
    groups: usize,
}

impl Groups {
    pub fn len(&self) -> usize {
        self.groups
    }
    pub fn of(&self, _node: NodeId) -> Option<usize> {
        None
    }
    pub fn guard(&self, _group: usize) -> super::plan::Guard {
        unreachable!()
    }
    pub fn idle(&self, _node: NodeId) -> Option<bool> {
        None
    }
}
