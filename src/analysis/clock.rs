//! Who works until when.

use std::time::{Duration, Instant};

use crate::stop::Stop;

/// A time that several stages share, and a flag that ends all of them.
pub(super) struct Clock<'a> {
    start: Instant,
    time: Duration,
    stop: &'a Stop,
}

impl<'a> Clock<'a> {
    /// Starts now.
    pub(super) fn start(time: Duration, stop: &'a Stop) -> Clock<'a> {
        let start = Instant::now();
        Clock { start, time, stop }
    }

    /// The end of this part of the time, counted from the start: what one stage does not
    /// use is left to those after it.
    pub(super) fn part(&self, part: f64) -> Deadline {
        Deadline {
            // A time without an end is as good as none.
            at: self.start.checked_add(self.time.mul_f64(part)),
            stop: self.stop.clone(),
        }
    }

    /// The time since the start.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}

/// When work has to end.
#[derive(Clone)]
pub(super) struct Deadline {
    at: Option<Instant>,
    stop: Stop,
}

impl Deadline {
    /// Whether it is time to end.
    pub(super) fn passed(&self) -> bool {
        self.stop.is_set() || self.at.is_some_and(|at| Instant::now() >= at)
    }
}
