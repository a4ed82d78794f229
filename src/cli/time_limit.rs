//! A limit to the time of work that begins after its token was given away.

use std::thread;
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, bounded};
use propjit::Stop;

/// Does some work, and sets a token once it has taken this time: such as that with which a game was
/// loaded, which what is made of the game heeds.
pub(super) fn within<T>(stop: &Stop, time: Duration, work: impl FnOnce() -> T) -> T {
    let (working, is_done) = bounded::<()>(0);
    thread::scope(|scope| {
        scope.spawn(move || {
            if is_done.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                stop.set();
            }
        });
        let done = work();
        drop(working);
        done
    })
}
