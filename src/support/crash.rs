//! Panic isolation: panics end a part of the work, and not all of it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::support::error_text::panic_text;

/// Does some work; returns the panic's message if it panics. The half-finished state of the work
/// must not be used again.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(panic_text)
}
