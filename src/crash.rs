//! Crashes: panics that end a part of the work, and not all of it.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Does some work; if it panics, what the panic says. What the work has left half-done must not be
/// used again.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        text.unwrap_or_else(|| "a panic without a message".to_string())
    })
}
