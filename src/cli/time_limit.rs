//! A time limit for work that begins after its token was passed on.

use std::thread;
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, bounded};
use propjit::Stop;

use super::output::Failure;

/// Does some work, and sets a token once it has taken this time: such as the token with which a game was
/// loaded, which the compilation and analysis of the game respect. Fails if the thread that watches the
/// clock cannot be started.
pub(super) fn within<T>(
    stop: &Stop,
    time: Duration,
    work: impl FnOnce() -> T,
) -> Result<T, Failure> {
    let (working, is_done) = bounded::<()>(0);
    thread::scope(|scope| {
        let clock = move || {
            if is_done.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                stop.set();
            }
        };
        let started = thread::Builder::new().spawn_scoped(scope, clock);
        started.map_err(|error| {
            Failure::Work(format!(
                "cannot start the thread for the time limit: {error}"
            ))
        })?;
        let done = work();
        drop(working);
        Ok(done)
    })
}
