//! How threads come by new engines.

use std::sync::Arc;

use super::Darkening;
use crate::machine::ScopedEngine;

/// Tells one thread when there is another engine to use.
pub struct Follower {
    darkening: Arc<Darkening>,
    /// Which engine it has told of, by number.
    seen: u64,
}

impl Follower {
    /// Follows from the game's own engine on.
    pub fn new(darkening: Arc<Darkening>) -> Follower {
        Follower { darkening, seen: 0 }
    }

    /// The engine to use from now on, if that has changed since the last call: the newest
    /// one for the present root. Costs next to nothing if not.
    pub fn news(&mut self) -> Option<ScopedEngine> {
        let number = self.darkening.number();
        let changed = std::mem::replace(&mut self.seen, number) != number;
        changed.then(|| self.darkening.engine())
    }
}
