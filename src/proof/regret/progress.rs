//! Progress of regret minimisation, for observers.

use std::sync::atomic::{AtomicU64, Ordering};

/// Progress of regret minimisation, updated while it works, on other threads.
#[derive(Default, Debug)]
pub struct RegretProgress {
    steps: AtomicU64,
    histories: AtomicU64,
    iterations: AtomicU64,
    /// The bits of a floating-point number.
    exploitability: AtomicU64,
}

impl RegretProgress {
    /// The number of joint moves after which all histories are enumerated.
    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// The number of different histories that were enumerated, see [`Equilibrium::nodes`](super::Equilibrium::nodes).
    pub fn histories(&self) -> u64 {
        self.histories.load(Ordering::Relaxed)
    }

    /// The number of iterations.
    pub fn iterations(&self) -> u64 {
        self.iterations.load(Ordering::Relaxed)
    }

    /// The exploitability of the strategies when it was last computed, in goals.
    pub fn exploitability(&self) -> f64 {
        f64::from_bits(self.exploitability.load(Ordering::Relaxed))
    }

    pub(super) fn note_histories(&self, steps: u64, histories: u64) {
        self.steps.store(steps, Ordering::Relaxed);
        self.histories.store(histories, Ordering::Relaxed);
    }

    pub(super) fn note_iterations(&self, iterations: u64, exploitability: f64) {
        self.iterations.store(iterations, Ordering::Relaxed);
        let bits = exploitability.to_bits();
        self.exploitability.store(bits, Ordering::Relaxed);
    }
}
