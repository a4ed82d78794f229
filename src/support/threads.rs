//! Starting threads, which may fail.

use std::io;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

use parking_lot::Mutex;

/// About how much memory a thread takes for itself. If it is not available, the thread may die as soon as it is
/// started.
pub(crate) const BYTES: usize = 4 << 20;

/// A thread could not be started.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot start the thread `{name}` ({source}): use fewer threads, or raise the process's thread or memory limit"
)]
pub struct ThreadError {
    name: String,
    source: io::Error,
}

/// Starts a thread of this name.
///
/// # Errors
/// When the system does not start it.
pub(crate) fn start<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, ThreadError> {
    builder(name)
        .spawn(work)
        .map_err(|source| failed(name, source))
}

/// Starts a thread of this name that ends before the scope does.
///
/// # Errors
/// When the system does not start it.
pub(crate) fn start_scoped<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>, ThreadError> {
    let started = builder(name).spawn_scoped(scope, work);
    started.map_err(|source| failed(name, source))
}

/// Like [`start_scoped`]. If the thread is not started, this is logged, and the work comes back.
///
/// # Errors
/// The work, when the system does not start the thread.
pub(crate) fn start_scoped_or_return<'scope, T: Send + 'scope, F: FnOnce() -> T + Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: F,
) -> Result<ScopedJoinHandle<'scope, T>, F> {
    let kept = Arc::new(Mutex::new(Some(work)));
    let take = |kept: &Mutex<Option<F>>| kept.lock().take().expect("it is done once");
    let run = {
        let kept = kept.clone();
        move || take(&kept)()
    };
    or_without(start_scoped(scope, name, run)).ok_or_else(|| take(&kept))
}

fn builder(name: &str) -> Builder {
    let builder = Builder::new().name(name.to_string());
    #[cfg(test)]
    if testing::NONE.get() {
        // More than there is.
        return builder.stack_size(1 << 46);
    }
    builder
}

fn failed(name: &str, source: io::Error) -> ThreadError {
    let name = name.to_string();
    ThreadError { name, source }
}

/// Returns the started thread, if there is one. If not, this is logged, and the program goes on
/// without.
pub(crate) fn or_without<T>(started: Result<T, ThreadError>) -> Option<T> {
    let told = started.inspect_err(|error| tracing::warn!(%error, "continuing without it"));
    told.ok()
}

#[cfg(test)]
pub(crate) mod testing {
    use std::cell::Cell;

    thread_local! {
        /// Whether this thread can start no others.
        pub(super) static NONE: Cell<bool> = const { Cell::new(false) };
    }

    /// Does some work on this thread, which can start no others meanwhile.
    pub(crate) fn without_threads<T>(work: impl FnOnce() -> T) -> T {
        NONE.set(true);
        let done = work();
        NONE.set(false);
        done
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::testing::without_threads;
    use super::*;

    #[test]
    fn what_is_not_started_is_an_error_or_comes_back() {
        let work = || 7;
        without_threads(|| {
            let error = start("idle", work).unwrap_err().to_string();
            assert!(
                error.starts_with("cannot start the thread `idle` ("),
                "{error}"
            );
            thread::scope(|scope| {
                assert!(or_without(start_scoped(scope, "idle", work)).is_none());
                let back = start_scoped_or_return(scope, "idle", work);
                assert_eq!(back.err().map(|work| work()), Some(7));
            });
        });
        assert_eq!(start("busy", work).unwrap().join().unwrap(), 7);
        thread::scope(|scope| {
            let started = start_scoped_or_return(scope, "busy", work);
            assert_eq!(started.ok().unwrap().join().unwrap(), 7);
        });
    }
}
