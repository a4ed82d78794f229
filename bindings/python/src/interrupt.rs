//! Interruption of long work by Ctrl-C.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use propjit::Stop;
use pyo3::prelude::*;

use crate::errors::no_thread;

/// The interval of checks for signals.
const INTERVAL: Duration = Duration::from_millis(20);

/// Does work that may take long on a thread of its own, while other Python threads run. If Python
/// has a signal to answer meanwhile, as after Ctrl-C, the token is set.
///
/// # Errors
/// What the signal raises; or if no thread can be started.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    stop: &Stop,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let wait = || {
        let (sender, end) = channel::<()>();
        thread::scope(|scope| {
            // The sender is dropped with the end of the work, even by a panic.
            let started = thread::Builder::new().spawn_scoped(scope, move || {
                let _sender = sender;
                work()
            });
            let worker = started.map_err(|error| no_thread(&error))?;
            let raised = signals_until(&end);
            if raised.is_err() {
                stop.set();
            }
            let result = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
            raised.map(|()| result)
        })
    };
    py.detach(wait)
}

/// Waits for work that goes on in any case, on a thread of its own, while other Python threads run. If Python has a
/// signal to answer meanwhile, the wait ends.
///
/// # Errors
/// What the signal raises; or if no thread can be started.
pub(crate) fn waiting(py: Python<'_>, wait: impl FnOnce() + Send + 'static) -> PyResult<()> {
    let (sender, end) = channel::<()>();
    let started = thread::Builder::new().spawn(move || {
        let _sender = sender;
        wait();
    });
    started.map_err(|error| no_thread(&error))?;
    py.detach(move || signals_until(&end))
}

/// Answers signals until the sender is dropped.
///
/// # Errors
/// What a signal raises.
fn signals_until(end: &Receiver<()>) -> PyResult<()> {
    while let Err(RecvTimeoutError::Timeout) = end.recv_timeout(INTERVAL) {
        Python::attach(|py| py.check_signals())?;
    }
    Ok(())
}
