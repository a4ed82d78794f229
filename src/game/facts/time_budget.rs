//! Time budgets for analyses.

use std::time::{Duration, Instant};

use propjit_stop::Stop;

/// A time that several stages share, and a token that ends all of them.
pub(super) struct TimeBudget<'a> {
    start: Instant,
    time: Duration,
    stop: &'a Stop,
}

impl<'a> TimeBudget<'a> {
    /// Starts now.
    pub(super) fn start(time: Duration, stop: &'a Stop) -> TimeBudget<'a> {
        let start = Instant::now();
        TimeBudget { start, time, stop }
    }

    /// The end of this part of the time, counted from the start: what one stage does not
    /// use is left to those after it.
    pub(super) fn part(&self, part: f64) -> Stop {
        // A time without an end is as good as none.
        self.stop
            .by(self.start.checked_add(self.time.mul_f64(part)))
    }

    /// The time since the start.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}
