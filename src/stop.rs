//! A flag by which long work is asked to end early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// How often work with a time of its own is told that the flag is set.
const PATIENCE: Duration = Duration::from_millis(2);

/// A flag shared by whoever may stop the work and those who do it.
///
/// Work that takes a `&Stop` looks at it often and ends with what it has.
#[derive(Clone, Default, Debug)]
pub struct Stop(Arc<AtomicBool>);

impl From<Arc<AtomicBool>> for Stop {
    fn from(flag: Arc<AtomicBool>) -> Stop {
        Stop(flag)
    }
}

impl Stop {
    /// A flag that is not set.
    pub fn new() -> Stop {
        Stop::default()
    }

    /// Asks the work to end.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work should end.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag itself, for libraries that know no `Stop`.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }

    /// Does work that is asked to end when this flag is set, or after a time.
    pub fn within<T>(&self, time: Duration, work: impl FnOnce(&Stop) -> T) -> T {
        let start = Instant::now();
        let asked = &Stop::new();
        let (done, is_done) = mpsc::channel::<()>();
        thread::scope(|scope| {
            scope.spawn(move || {
                while !asked.is_set() {
                    let left = time.saturating_sub(start.elapsed());
                    match is_done.recv_timeout(left.min(PATIENCE)) {
                        Err(RecvTimeoutError::Timeout) => {}
                        // The work is done.
                        _ => break,
                    }
                    if self.is_set() || start.elapsed() >= time {
                        asked.set();
                    }
                }
            });
            let result = work(asked);
            drop(done);
            result
        })
    }
}
