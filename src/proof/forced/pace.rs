//! The pace of a search: its end, and its share of the time.

use std::thread;
use std::time::{Duration, Instant};

use propjit_stop::Stop;

/// How long a search works before it rests, if it is to rest.
const WORK: Duration = Duration::from_millis(1);

/// How long it rests at most before it checks its stop token again.
const REST: Duration = Duration::from_millis(5);

/// The least share of the time that it works.
const MIN_SHARE: f64 = 0.001;

/// When a search ends, and what share of the time it works.
#[derive(Clone, Debug)]
pub struct Pace {
    stop: Stop,
    /// The time to rest for each second of work, in seconds.
    rest: f64,
    since: Instant,
    /// The number of nodes after which it ends.
    nodes: u64,
}

impl Pace {
    /// A search that works all the time until a stop comes.
    pub fn new(stop: &Stop) -> Pace {
        Pace::with_share(stop, 1.0)
    }

    /// A search that works this share of the time, from a thousandth to all, and rests in between.
    pub fn with_share(stop: &Stop, share: f64) -> Pace {
        let share = share.clamp(MIN_SHARE, 1.0);
        Pace {
            stop: stop.clone(),
            rest: (1.0 - share) / share,
            since: Instant::now(),
            nodes: u64::MAX,
        }
    }

    /// Limits the search to this many nodes from now on, too.
    pub fn allow(&mut self, nodes: u64) {
        self.nodes = nodes;
    }

    /// Whether a stop has come.
    pub(super) fn has_ended(&self) -> bool {
        self.stop.is_set()
    }

    /// Whether the search is to end before the next node; rests before, if it is time to.
    pub(super) fn is_over(&mut self) -> bool {
        if self.nodes == 0 {
            return true;
        }
        self.nodes -= 1;
        if self.rest > 0.0 {
            let worked = self.since.elapsed();
            if worked >= WORK {
                let mut rest = worked.mul_f64(self.rest);
                while !rest.is_zero() && !self.stop.is_set() {
                    let part = rest.min(REST);
                    thread::sleep(part);
                    rest -= part;
                }
                self.since = Instant::now();
            }
        }
        self.stop.is_set()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_share_can_be_rested_for() {
        for share in [f64::NEG_INFINITY, 0.0, 1e-300, 0.5, 1.0, f64::INFINITY] {
            let stop = Stop::new();
            let mut pace = Pace::with_share(&stop, share);
            pace.since -= WORK;
            // It does not rest for longer than until a stop comes.
            stop.set();
            pace.is_over();
            assert!(pace.has_ended());
        }
    }
}
