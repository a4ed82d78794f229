//! Fallible allocation, for sizes that callers choose.

use std::collections::TryReserveError;

/// Allocates this number of equal values.
///
/// # Errors
/// When there is no memory for them.
pub(super) fn filled<T: Clone>(value: T, length: usize) -> Result<Vec<T>, TryReserveError> {
    let mut values = with_room(length)?;
    values.resize(length, value);
    Ok(values)
}

/// Allocates an empty vector with room for this number of values.
///
/// # Errors
/// When there is no memory for them.
pub(super) fn with_room<T>(length: usize) -> Result<Vec<T>, TryReserveError> {
    let mut values = Vec::new();
    values.try_reserve_exact(length)?;
    Ok(values)
}
