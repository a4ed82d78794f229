//! Time budgets for analyses.

use std::time::{Duration, Instant};

use propjit_stop::Stop;

/// A time budget that several stages share, and a token that ends all of them.
pub(super) struct TimeBudget<'a> {
    start: Instant,
    time: Duration,
    stop: &'a Stop,
}

impl<'a> TimeBudget<'a> {
    /// Starts the time.
    pub(super) fn start(time: Duration, stop: &'a Stop) -> TimeBudget<'a> {
        let start = Instant::now();
        TimeBudget { start, time, stop }
    }

    /// Returns a token for the end of this part of the time, counted from the start: time that one
    /// stage does not use is left to later ones.
    pub(super) fn part(&self, part: f64) -> Stop {
        // A time that overflows is treated as unlimited.
        self.stop
            .by(self.start.checked_add(self.time.mul_f64(part)))
    }

    /// Returns the time since the start.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}
