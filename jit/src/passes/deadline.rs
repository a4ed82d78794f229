//! The time limit of optimisation, asked for cheaply.

use std::time::{Duration, Instant};

/// When to stop.
#[derive(Clone, Copy)]
pub(super) struct Deadline(Option<Instant>);

impl Deadline {
    /// The end of a time that starts now; never, if that is beyond the clock's range.
    pub(super) fn after(budget: Duration) -> Deadline {
        Deadline(Instant::now().checked_add(budget))
    }

    /// No end.
    #[cfg(test)]
    pub(super) fn never() -> Deadline {
        Deadline(None)
    }

    /// Whether it is too late.
    pub(super) fn passed(&self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }

    /// For asking in inner loops.
    pub(super) fn ticker(&self) -> Ticker {
        Ticker {
            deadline: *self,
            calls: 0,
            passed: false,
        }
    }
}

/// Asks the clock now and then only.
pub(super) struct Ticker {
    deadline: Deadline,
    calls: u32,
    passed: bool,
}

impl Ticker {
    /// Whether it was too late when the clock was last asked. Once it is, it remains so.
    pub(super) fn passed(&mut self) -> bool {
        if self.calls.is_multiple_of(256) {
            self.passed |= self.deadline.passed();
        }
        self.calls = self.calls.wrapping_add(1);
        self.passed
    }
}
