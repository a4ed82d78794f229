//! The exchange of cubes between searches for proofs about the same target.

use std::sync::Arc;

use parking_lot::Mutex;

use super::cube::Cube;

/// The number of cubes that may wait for a search to take them. Further cubes are not exchanged.
const MAX_WAITING: usize = 1 << 14;

/// Cubes for states of phases that a search has not taken yet.
type Inbox = Mutex<Vec<(usize, Arc<Cube>)>>;

/// The cubes proved by other searches, and a way to share cubes with them.
#[derive(Debug)]
pub(super) struct Exchange {
    /// The inboxes of all searches.
    inboxes: Arc<[Inbox]>,
    /// The number of this one.
    own: usize,
}

impl Exchange {
    /// Returns exchanges between `count` searches.
    pub(super) fn among(count: usize) -> Vec<Exchange> {
        let inboxes: Arc<[Inbox]> = (0..count).map(|_| Mutex::default()).collect();
        let exchange = |own| Exchange {
            inboxes: inboxes.clone(),
            own,
        };
        (0..count).map(exchange).collect()
    }

    /// Offers a cube for states of a phase to the others.
    pub(super) fn offer(&self, phase: usize, cube: &Arc<Cube>) {
        for (number, inbox) in self.inboxes.iter().enumerate() {
            if number == self.own {
                continue;
            }
            let mut inbox = inbox.lock();
            if inbox.len() < MAX_WAITING {
                inbox.push((phase, cube.clone()));
            }
        }
    }

    /// The cubes that others have offered since, with their phases.
    pub(super) fn take(&self) -> Vec<(usize, Arc<Cube>)> {
        std::mem::take(&mut *self.inboxes[self.own].lock())
    }
}
