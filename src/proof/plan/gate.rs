//! The pause gate for planner threads.

use parking_lot::{Condvar, Mutex};
use propjit_stop::Stop;

/// Lets threads work from time to time. It is closed at first.
#[derive(Debug, Default)]
pub(super) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Closed,
    /// The token is set when the gate is closed.
    Open(Stop),
    /// It will never be open again.
    Over,
}

impl Gate {
    /// Lets threads work.
    pub(super) fn open(&self) {
        let mut state = self.state.lock();
        if matches!(*state, State::Closed) {
            *state = State::Open(Stop::new());
            self.changed.notify_all();
        }
    }

    /// Stops threads until the gate is opened again.
    pub(super) fn close(&self) {
        self.leave(State::Closed);
    }

    /// Stops threads for ever.
    pub(super) fn end(&self) {
        self.leave(State::Over);
        self.changed.notify_all();
    }

    fn leave(&self, next: State) {
        let mut state = self.state.lock();
        if let State::Open(stop) = &*state {
            stop.set();
        }
        if !matches!(*state, State::Over) {
            *state = next;
        }
    }

    /// Waits until work may be done. It should pause when the token is set that this returns;
    /// `None` says that it is over.
    pub(super) fn pass(&self) -> Option<Stop> {
        let mut state = self.state.lock();
        loop {
            match &*state {
                State::Open(stop) => return Some(stop.clone()),
                State::Over => return None,
                State::Closed => self.changed.wait(&mut state),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;

    #[test]
    fn threads_work_while_the_gate_is_open() {
        let gate = Arc::new(Gate::default());
        let worker = thread::spawn({
            let gate = gate.clone();
            move || {
                let mut passed = 0;
                while let Some(stop) = gate.pass() {
                    passed += 1;
                    while !stop.is_set() {
                        thread::yield_now();
                    }
                }
                passed
            }
        });
        gate.close();
        assert!(!worker.is_finished());
        gate.open();
        let first = gate.pass().unwrap();
        gate.open();
        assert!(!first.is_set(), "it was open");
        gate.close();
        assert!(first.is_set());
        gate.end();
        gate.open();
        assert!(gate.pass().is_none());
        assert!(worker.join().unwrap() <= 1);
    }
}
