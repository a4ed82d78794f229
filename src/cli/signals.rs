//! Handling of signals that ask the process to end: one rule for all commands.
//!
//! The first INT (Ctrl-C), TERM or HUP (its terminal is closed) ends the work with the result so far.
//! Wrappers such as `timeout` send a signal more than once, so another one ends the process only if it
//! comes a second later.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use propjit::Stop;
#[cfg(unix)]
use signal_hook::consts::SIGHUP;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use super::output::message;

/// The signals that ask for an end.
const HEEDED: &[i32] = &[
    SIGINT,
    SIGTERM,
    #[cfg(unix)]
    SIGHUP,
];

/// How long after the first signal further ones are ignored.
const DEAF: Duration = Duration::from_secs(1);

/// The interval of checks for signals.
const SLICE: Duration = Duration::from_millis(10);

/// Returns a token that the first signal sets, so that long work ends with its result so far. A
/// second one ends the process.
pub(super) fn stop_on_signals() -> Stop {
    let stop = Stop::new();
    let signalled = Arc::new(AtomicBool::new(false));
    let heeded = HEEDED
        .iter()
        .try_for_each(|&signal| flag::register(signal, signalled.clone()).map(drop));
    let watched = heeded.and_then(|()| {
        let stop = stop.clone();
        let thread = thread::Builder::new().name("signals".to_string());
        thread.spawn(move || watch(&signalled, &stop)).map(drop)
    });
    match watched {
        Ok(()) => tracing::debug!("waits for signals"),
        Err(error) => tracing::warn!(%error, "a signal will end the work without a result"),
    }
    stop
}

/// Sets the token with the first signal, and ends the process with a later one.
fn watch(signalled: &AtomicBool, stop: &Stop) {
    let mut first: Option<Instant> = None;
    loop {
        if signalled.swap(false, Ordering::Relaxed) {
            match answer(first.map(|first| first.elapsed())) {
                Answer::Stop => {
                    first = Some(Instant::now());
                    stop.set();
                    message("stopping; press Ctrl-C again to exit at once");
                }
                Answer::Nothing => {}
                Answer::End => std::process::exit(1),
            }
        }
        thread::sleep(SLICE);
    }
}

/// The reaction to a signal.
#[derive(PartialEq, Eq, Debug)]
enum Answer {
    /// The work ends with the result so far.
    Stop,
    /// It is one of a burst.
    Nothing,
    /// The process ends at once.
    End,
}

/// Returns the reaction to a signal that comes `after` the first one, if there was one.
fn answer(after: Option<Duration>) -> Answer {
    match after {
        None => Answer::Stop,
        Some(after) if after < DEAF => Answer::Nothing,
        Some(_) => Answer::End,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_signal_counts_from_a_second_on() {
        assert_eq!(answer(None), Answer::Stop);
        for (milliseconds, expected) in [
            (0, Answer::Nothing),
            (999, Answer::Nothing),
            (1000, Answer::End),
            (60_000, Answer::End),
        ] {
            assert_eq!(answer(Some(Duration::from_millis(milliseconds))), expected);
        }
    }
}
