//! When optimisation is to end, asked for cheaply.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// When to stop: at the end of a time, or when somebody sets a flag.
#[derive(Clone)]
pub(super) struct Deadline {
    /// Never, if it would be beyond the clock's range.
    end: Option<Instant>,
    stop: Arc<AtomicBool>,
}

impl Deadline {
    /// The end of a time that starts now.
    pub(super) fn new(budget: Duration, stop: Arc<AtomicBool>) -> Deadline {
        let end = Instant::now().checked_add(budget);
        Deadline { end, stop }
    }

    /// No end.
    #[cfg(test)]
    pub(super) fn never() -> Deadline {
        Deadline::new(Duration::MAX, Arc::default())
    }

    /// Whether it is too late.
    pub(super) fn passed(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// For asking in inner loops.
    pub(super) fn ticker(&self) -> Ticker {
        Ticker {
            deadline: self.clone(),
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
