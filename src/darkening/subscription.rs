//! How threads come by new engines.

use std::sync::Arc;

use super::Darkening;
use crate::machine::ValidEngine;

/// Tells one thread when there is another engine to use.
pub struct EngineSubscription {
    darkening: Arc<Darkening>,
    /// Which engine it has told of, by number.
    seen: u64,
}

impl EngineSubscription {
    /// Follows from the game's own engine on.
    pub fn new(darkening: Arc<Darkening>) -> EngineSubscription {
        EngineSubscription { darkening, seen: 0 }
    }

    /// The engine to use from now on, if that has changed since the last call: the newest
    /// one for the present root. Costs next to nothing if not.
    pub fn poll(&mut self) -> Option<ValidEngine> {
        let number = self.darkening.number();
        let changed = std::mem::replace(&mut self.seen, number) != number;
        changed.then(|| self.darkening.engine())
    }
}
