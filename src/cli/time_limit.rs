//! A limit to the time of work that begins after its token was given away.

use std::thread;
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, bounded};
use propjit::Stop;

use super::output::Failure;

/// Does some work, and sets a token once it has taken this time: such as that with which a game was
/// loaded, which what is made of the game heeds. Fails if no thread can be started that looks at the clock.
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
                "no thread can be started that looks at the clock: {error}"
            ))
        })?;
        let done = work();
        drop(working);
        Ok(done)
    })
}
