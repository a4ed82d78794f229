//! Threads, which may fail to start.

use std::io;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

use parking_lot::Mutex;

/// A thread could not be started.
#[derive(Debug, thiserror::Error)]
#[error(
    "the thread `{name}` cannot be started ({source}): ask for fewer threads, or let the process have \
     more threads or memory"
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
    let thread = Builder::new().name(name.to_string());
    thread.spawn(work).map_err(|source| failed(name, source))
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
    let thread = Builder::new().name(name.to_string());
    let started = thread.spawn_scoped(scope, work);
    started.map_err(|source| failed(name, source))
}

/// As [`start_scoped`]. If the thread is not started, the log says so, and the work comes back.
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

fn failed(name: &str, source: io::Error) -> ThreadError {
    let name = name.to_string();
    ThreadError { name, source }
}

/// What was started, if it was. If not, the log says so, and all goes on without.
pub(crate) fn or_without<T>(started: Result<T, ThreadError>) -> Option<T> {
    let told = started.inspect_err(|error| tracing::warn!(%error, "all goes on without it"));
    told.ok()
}
