//! Pause gate, with which one thread suspends others.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// A pause for all threads that wait for its end. Clones are the same pause, which has not begun at
/// first.
#[derive(Clone, Default, Debug)]
pub(crate) struct Pause(Arc<Shared>);

#[derive(Default, Debug)]
struct Shared {
    is_on: Mutex<bool>,
    ended: Condvar,
}

impl Pause {
    /// Begins it: threads go on with their work until they next wait.
    pub(crate) fn begin(&self) {
        *self.0.is_on.lock() = true;
    }

    /// Returns whether it has begun and not ended.
    pub(crate) fn is_on(&self) -> bool {
        *self.0.is_on.lock()
    }

    /// Ends it for all waiting threads.
    pub(crate) fn end(&self) {
        *self.0.is_on.lock() = false;
        self.0.ended.notify_all();
    }

    /// Waits until it is over, and returns how long that took.
    pub(crate) fn wait(&self) -> Duration {
        let start = Instant::now();
        let mut is_on = self.0.is_on.lock();
        self.0.ended.wait_while(&mut is_on, |is_on| *is_on);
        start.elapsed()
    }

    /// Ends it when the returned value is dropped, whatever happens until then.
    pub(crate) fn end_in_any_case(&self) -> EndOfPause {
        EndOfPause(self.clone())
    }
}

/// Ends a pause when it is dropped.
pub(crate) struct EndOfPause(Pause);

impl Drop for EndOfPause {
    fn drop(&mut self) {
        self.0.end();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn who_waits_goes_on_when_it_is_over() {
        let pause = Pause::default();
        pause.wait();
        pause.begin();
        let (others, start) = (pause.clone(), Instant::now());
        let waiting = thread::spawn(move || others.wait());
        thread::sleep(Duration::from_millis(50));
        assert!(!waiting.is_finished() && pause.is_on());
        pause.end();
        assert!(!pause.is_on());
        assert!(waiting.join().unwrap() <= start.elapsed());
        pause.begin();
        drop(pause.end_in_any_case());
        pause.wait();
    }
}
