//! Memory that may not be there, as its size is what a caller asks for.

use std::collections::TryReserveError;

/// So many equal values.
///
/// # Errors
/// When there is no memory for them.
pub(super) fn filled<T: Clone>(value: T, length: usize) -> Result<Vec<T>, TryReserveError> {
    let mut values = with_room(length)?;
    values.resize(length, value);
    Ok(values)
}

/// Room for so many values.
///
/// # Errors
/// When there is no memory for them.
pub(super) fn with_room<T>(length: usize) -> Result<Vec<T>, TryReserveError> {
    let mut values = Vec::new();
    values.try_reserve_exact(length)?;
    Ok(values)
}
