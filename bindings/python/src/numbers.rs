//! Numbers that callers pass, with one kind of error for all that are out of range.

use std::fmt;

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;

/// An integer that should not be negative: none if it is, or is too large for 64 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number(pub(crate) Option<u64>);

impl<'py> FromPyObject<'_, 'py> for Number {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Number> {
        match given.extract::<u64>() {
            Ok(number) => Ok(Number(Some(number))),
            Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => Ok(Number(None)),
            Err(error) => Err(error),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(number) => write!(out, "{number}"),
            None => out.write_str("of that number"),
        }
    }
}

impl Number {
    /// Returns the number if it is less than `end`.
    pub(crate) fn less_than(self, end: usize) -> Option<usize> {
        let number = self.0.and_then(|number| usize::try_from(number).ok());
        number.filter(|&number| number < end)
    }

    /// Returns the number if it is from `least` to the greatest one of its type.
    ///
    /// # Errors
    /// If it is not.
    pub(crate) fn at_least<T: TryFrom<u64>>(self, name: &str, least: u64) -> PyResult<T> {
        let number = self.0.filter(|&number| number >= least);
        let number = number.and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| {
            let bits = 8 * size_of::<T>();
            PyValueError::new_err(format!(
                "`{name}` must be at least {least}, and less than 2**{bits}"
            ))
        })
    }
}
