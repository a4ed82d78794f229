//! Texts of errors with their causes, and of panics.

use std::any::Any;
use std::error::Error;

/// Returns the error and its causes, in one line.
///
/// ```
/// use propjit::support::error_text::with_causes;
/// use propjit::{Game, Setup};
///
/// let error = Game::load("missing.kif".as_ref(), &Setup::default()).unwrap_err();
/// assert!(with_causes(&error).starts_with("cannot read missing.kif: "));
/// ```
pub fn with_causes(error: &dyn Error) -> String {
    let causes = std::iter::successors(error.source(), |&error| error.source());
    let mut text = error.to_string();
    for cause in causes {
        let cause = cause.to_string();
        // Some errors include their cause themselves.
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Returns the message of a panic, from the result of [`catch_unwind`](std::panic::catch_unwind).
pub fn panic_text(panic: Box<dyn Any + Send>) -> String {
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => match panic.downcast_ref::<&str>() {
            Some(text) => text.to_string(),
            None => "a panic without a message".to_string(),
        },
    }
}
