//! The meter of a query, which counts its cost and reports when it hits a limit.

use std::time::Instant;

use propjit_stop::Stop;

use super::limits::{ProverLimitKind, ProverLimits};

/// The cause why a proof stopped.
pub(super) enum Cause {
    Limit {
        limit: ProverLimitKind,
        allowed: u64,
    },
    Unstratified,
    Stopped,
    /// The requested number of rows has been found.
    Enough,
}

/// The cost of one query, and its limits.
#[derive(Clone)]
pub(super) struct Meter {
    limits: ProverLimits,
    started: Instant,
    steps: u64,
    /// The step at which the limits are checked next.
    next_check: u64,
}

/// The memory in use when a step is taken.
pub(super) struct MemoryUsage {
    pub cells: usize,
    pub terms: usize,
}

/// The number of steps between two checks of the clock and the memory.
const STEPS_PER_CHECK: u64 = 4096;

impl Meter {
    pub(super) fn new(limits: ProverLimits) -> Meter {
        let next_check = STEPS_PER_CHECK.min(limits.steps);
        Meter {
            limits,
            started: Instant::now(),
            steps: 0,
            next_check,
        }
    }

    pub(super) fn limits(&self) -> &ProverLimits {
        &self.limits
    }

    /// The steps since the query started.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// Sets the token that stops queries.
    pub(super) fn set_stop(&mut self, stop: Stop) {
        self.limits.stop = stop;
    }

    /// Starts a new query.
    pub(super) fn restart(&mut self) {
        *self = Meter::new(self.limits.clone());
    }

    /// Whether queries are stopped.
    pub(super) fn is_stopped(&self) -> bool {
        self.limits.stop.is_set()
    }

    /// Counts steps; the error is the limit that is hit.
    #[inline]
    pub(super) fn step(
        &mut self,
        steps: u64,
        usage: impl FnOnce() -> MemoryUsage,
    ) -> Result<(), Cause> {
        self.steps += steps;
        if self.steps >= self.next_check {
            self.check(usage())
        } else {
            Ok(())
        }
    }

    #[cold]
    fn check(&mut self, usage: MemoryUsage) -> Result<(), Cause> {
        let limits = &self.limits;
        self.next_check = (self.steps + STEPS_PER_CHECK).min(limits.steps);
        let hit = |limit, allowed| Err(Cause::Limit { limit, allowed });
        if self.steps >= limits.steps {
            return hit(ProverLimitKind::Steps, limits.steps);
        }
        if usage.cells >= limits.cells {
            return hit(ProverLimitKind::Cells, limits.cells as u64);
        }
        if usage.terms >= limits.terms {
            return hit(ProverLimitKind::Terms, limits.terms as u64);
        }
        if limits.stop.is_set() {
            return Err(Cause::Stopped);
        }
        match limits.time {
            Some(time) if self.started.elapsed() >= time => {
                hit(ProverLimitKind::Milliseconds, time.as_millis() as u64)
            }
            _ => Ok(()),
        }
    }
}
