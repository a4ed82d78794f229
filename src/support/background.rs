//! One-shot values from background threads.
//!
//! [`Background::start`] makes the value on a thread of its own. If a long-lived thread makes many
//! values, each of them is a [`Promise`] that it keeps.

use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender};
use propjit_stop::Stop;

use crate::support::threads;

/// The interval of checks for a stop.
const LOOKS: Duration = Duration::from_millis(5);

/// A value that another thread makes once. Clones share it.
///
/// There always is a value in the end: a fallback takes the place of one that is not made
/// because a thread panicked or could not be started.
pub(crate) struct Background<T> {
    value: Arc<OnceLock<T>>,
    /// Disconnected as soon as the value is there.
    ready: Receiver<Infallible>,
}

impl<T> Clone for Background<T> {
    fn clone(&self) -> Background<T> {
        Background {
            value: self.value.clone(),
            ready: self.ready.clone(),
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Background<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Background").field(&self.get()).finish()
    }
}

impl<T> Background<T> {
    /// Makes a value and the promise to make it. `fallback` is the value of a promise that is
    /// dropped without being kept.
    pub(crate) fn promised(
        fallback: impl FnOnce() -> T + Send + 'static,
    ) -> (Promise<T>, Background<T>) {
        let value = Arc::new(OnceLock::new());
        let (done, ready) = crossbeam_channel::bounded(0);
        let promise = Promise {
            value: value.clone(),
            fallback: Some(Box::new(fallback)),
            _done: done,
        };
        (promise, Background { value, ready })
    }

    /// The value, if it is there.
    pub(crate) fn get(&self) -> Option<&T> {
        self.value.get()
    }

    /// Waits for the value.
    pub(crate) fn wait(&self) -> &T {
        self.value.wait()
    }

    /// Waits for the value; `None` if it is not there at `deadline`.
    pub(crate) fn wait_until(&self, deadline: Instant) -> Option<&T> {
        // Nothing is ever sent: this ends when the value is there, or at the deadline.
        let _ = self.ready.recv_deadline(deadline);
        self.get()
    }

    /// Waits for the value; `None` if a stop comes before it.
    pub(crate) fn wait_or_stop(&self, stop: &Stop) -> Option<&T> {
        while self.get().is_none() && !stop.is_set() {
            let look = Instant::now() + LOOKS;
            self.wait_until(stop.deadline().map_or(look, |end| end.min(look)));
        }
        self.get()
    }
}

impl<T: Send + Sync + 'static> Background<T> {
    /// Starts to make a value on a new thread of this name.
    pub(crate) fn start(
        name: &str,
        fallback: impl FnOnce() -> T + Send + 'static,
        make: impl FnOnce() -> T + Send + 'static,
    ) -> Background<T> {
        let (promise, background) = Background::promised(fallback);
        threads::or_without(threads::start(name, move || promise.keep(make())));
        background
    }
}

/// The duty to make a [`Background`] value.
pub(crate) struct Promise<T> {
    value: Arc<OnceLock<T>>,
    fallback: Option<Box<dyn FnOnce() -> T + Send>>,
    /// Dropped after the value is set.
    _done: Sender<Infallible>,
}

impl<T> Promise<T> {
    /// Passes the value to all that wait for it.
    pub(crate) fn keep(mut self, value: T) {
        self.fallback = None;
        // The value is set nowhere else.
        let _ = self.value.set(value);
    }
}

impl<T> Drop for Promise<T> {
    fn drop(&mut self) {
        if let Some(fallback) = self.fallback.take() {
            self.value.get_or_init(fallback);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_value_is_shared_by_all_who_wait_for_it() {
        let (go, gate) = crossbeam_channel::bounded::<()>(0);
        let made = Background::start("test", || 0, move || gate.recv().map_or(42, |()| 1));
        assert_eq!((made.get(), made.wait_until(Instant::now())), (None, None));
        let waiting = [made.clone(), made.clone()].map(|made| thread::spawn(move || *made.wait()));
        drop(go);
        let deadline = Instant::now() + Duration::from_secs(100);
        assert_eq!(made.wait_until(deadline), Some(&42));
        assert_eq!(made.get(), Some(&42));
        assert_eq!(made.wait_or_stop(&Stop::new()), Some(&42));
        assert_eq!(waiting.map(|thread| thread.join().unwrap()), [42, 42]);
    }

    #[test]
    fn a_fallback_replaces_the_value_where_no_thread_can_be_started() {
        let made = threads::testing::without_threads(|| Background::start("test", || 7, || 8));
        assert_eq!(*made.wait(), 7);
    }

    #[test]
    fn a_fallback_replaces_the_value_of_a_thread_that_panics() {
        let made = Background::start("test", || 7, || panic!("this is a test"));
        assert_eq!(*made.wait(), 7);
        let (promise, promised) = Background::promised(|| 8);
        let (over, flagged) = (Stop::new().within(Duration::ZERO), Stop::new());
        flagged.set();
        for stop in [over, flagged] {
            assert_eq!(promised.wait_or_stop(&stop), None);
        }
        drop(promise);
        assert_eq!(promised.wait_until(Instant::now()), Some(&8));
    }
}
