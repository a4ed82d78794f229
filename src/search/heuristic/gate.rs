//! A gate that lets learning go on at certain times only.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// What a learner waits at before each round while it is closed. Clones are the same gate, which is open at first.
#[derive(Clone, Default, Debug)]
pub(super) struct Gate(Arc<Shared>);

#[derive(Default, Debug)]
struct Shared {
    is_closed: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    /// Closes it: who passed goes on until the next time.
    pub(super) fn close(&self) {
        *self.0.is_closed.lock() = true;
    }

    /// Opens it to all who wait.
    pub(super) fn open(&self) {
        *self.0.is_closed.lock() = false;
        self.0.opened.notify_all();
    }

    /// Waits until it is open, and tells how long that took.
    pub(super) fn pass(&self) -> Duration {
        let start = Instant::now();
        let mut is_closed = self.0.is_closed.lock();
        self.0.opened.wait_while(&mut is_closed, |closed| *closed);
        start.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn nobody_passes_while_it_is_closed() {
        const SHUT: Duration = Duration::from_millis(50);
        let gate = Gate::default();
        gate.pass();
        gate.close();
        let waiting = gate.clone();
        let start = Instant::now();
        let passing = thread::spawn(move || waiting.pass());
        thread::sleep(SHUT);
        assert!(!passing.is_finished());
        gate.open();
        let waited = passing.join().unwrap();
        assert!(waited <= start.elapsed());
        gate.pass();
    }
}
