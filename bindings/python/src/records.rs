//! Results as data classes, which are defined in Python (`propjit/records.py`).

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Makes a value of a data class from its fields.
///
/// # Errors
/// If the class has other fields.
pub(crate) fn record<'py>(
    py: Python<'py>,
    class: &str,
    fields: impl FnOnce(&Bound<'py, PyDict>) -> PyResult<()>,
) -> PyResult<Bound<'py, PyAny>> {
    let values = PyDict::new(py);
    fields(&values)?;
    let class = py.import("propjit.records")?.getattr(class)?;
    class.call((), Some(&values))
}
