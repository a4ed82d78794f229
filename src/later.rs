//! A value that comes later.

use std::sync::{Arc, OnceLock};
use std::thread;

/// A value that a thread of its own makes, while others go on. Clones share it.
#[derive(Debug)]
pub struct Later<T>(Arc<OnceLock<T>>);

impl<T> Clone for Later<T> {
    fn clone(&self) -> Later<T> {
        Later(self.0.clone())
    }
}

impl<T: Default + Send + Sync + 'static> Later<T> {
    /// Starts to make it, in a thread of this name. It is the default if there is no thread to
    /// be had, or if that panics.
    ///
    /// ```
    /// use propjit::later::Later;
    /// let answer = Later::start("thinker", || 42);
    /// assert_eq!(answer.wait(), &42);
    /// assert_eq!(answer.get(), Some(&42));
    /// ```
    pub fn start(name: &str, make: impl FnOnce() -> T + Send + 'static) -> Later<T> {
        let later = Later(Arc::new(OnceLock::new()));
        let promise = Promise(later.clone());
        let thread = thread::Builder::new().name(name.to_string());
        let started = thread.spawn(move || {
            let value = make();
            // Nobody else sets it.
            let _ = promise.0.0.set(value);
        });
        if let Err(error) = started {
            tracing::warn!(%error, name, "there is no thread");
        }
        later
    }

    /// The value, if it is there.
    pub fn get(&self) -> Option<&T> {
        self.0.get()
    }

    /// Waits for the value.
    pub fn wait(&self) -> &T {
        self.0.wait()
    }
}

/// That there will be a value, whatever happens.
struct Promise<T: Default>(Later<T>);

impl<T: Default> Drop for Promise<T> {
    fn drop(&mut self) {
        self.0.0.get_or_init(T::default);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_for_a_thread_that_panics_gets_the_default() {
        let later: Later<Option<u32>> = Later::start("unlucky", || panic!("this is a test"));
        assert_eq!(*later.wait(), None);
    }
}
