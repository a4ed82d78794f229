//! Progress of a solver, for observers.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::proof::regret::RegretProgress;

/// Progress of a solver, updated while it works, on other threads.
#[derive(Default, Debug)]
pub struct SolveProgress {
    states: AtomicU64,
    depth: AtomicU32,
    bounds: Mutex<Vec<(i32, i32)>>,
    regret: RegretProgress,
}

impl SolveProgress {
    /// The number of states that were found.
    pub fn states(&self) -> u64 {
        self.states.load(Ordering::Relaxed)
    }

    /// The number of joint moves after which all states are known.
    pub fn depth(&self) -> u32 {
        self.depth.load(Ordering::Relaxed)
    }

    /// The bounds of the value of each role so far.
    pub fn bounds(&self) -> Vec<(i32, i32)> {
        self.bounds.lock().clone()
    }

    /// The progress of regret minimisation.
    pub fn regret(&self) -> &RegretProgress {
        &self.regret
    }

    pub(super) fn note_states(&self, states: usize, depth: u32) {
        self.states.store(states as u64, Ordering::Relaxed);
        self.depth.store(depth, Ordering::Relaxed);
    }

    pub(super) fn note_bounds(&self, bounds: impl Iterator<Item = (i32, i32)>) {
        *self.bounds.lock() = bounds.collect();
    }
}
