//! Crashes: panics that end a part of the work, and not all of it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::support::error_text::panic_text;

/// Does some work; if it panics, what the panic says. What the work has left half-done must not be
/// used again.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(panic_text)
}
