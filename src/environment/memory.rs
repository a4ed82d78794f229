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

/// Whether there are so many bytes in one piece. Where systems promise more memory than they have,
/// many small pieces are granted whose sum is refused.
///
/// # Errors
/// When there are not.
pub(super) fn require(bytes: usize) -> Result<(), TryReserveError> {
    with_room::<u8>(bytes).map(drop)
}
