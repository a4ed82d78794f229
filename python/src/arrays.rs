//! NumPy arrays that environments write to, and integers that they take.

use numpy::ndarray::IxDyn;
use numpy::{
    Element, IntoPyArray, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArrayDyn,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The array of observations.
pub(crate) enum ObservationArray {
    Bits(Py<PyArrayDyn<u8>>),
    Bytes(Flags),
    Floats(Py<PyArrayDyn<f32>>),
}

/// Truth values: bytes to write to, and the same memory as an array of `bool`.
pub(crate) struct Flags {
    pub(crate) bytes: Py<PyArrayDyn<u8>>,
    pub(crate) view: Py<PyAny>,
}

impl Flags {
    pub(crate) fn new(py: Python<'_>, shape: &[usize]) -> PyResult<Flags> {
        let bytes = zeros(py, shape)?;
        let view = bytes.bind(py).call_method1("view", ("bool",))?.unbind();
        Ok(Flags { bytes, view })
    }
}

/// An array of zeros. Its memory is not NumPy's, and so is not moved by `resize`.
pub(crate) fn zeros<T: Element + Default + Clone>(
    py: Python<'_>,
    shape: &[usize],
) -> PyResult<Py<PyArrayDyn<T>>> {
    let zeros = vec![T::default(); shape.iter().product()].into_pyarray(py);
    Ok(zeros.reshape(IxDyn(shape))?.unbind())
}

/// The array, to be written to.
pub(crate) fn writable<'py, T: Element>(
    py: Python<'py>,
    array: &Py<PyArrayDyn<T>>,
) -> PyResult<PyReadwriteArrayDyn<'py, T>> {
    let array = array.bind(py).try_readwrite();
    array.map_err(|error| PyRuntimeError::new_err(format!("an array of the environment: {error}")))
}

pub(crate) fn elements<'a, T: Element>(
    array: &'a mut PyReadwriteArrayDyn<'_, T>,
) -> PyResult<&'a mut [T]> {
    Ok(array.as_slice_mut()?)
}

/// Integers as the environment takes them.
pub(crate) fn integers<'py>(given: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArrayDyn<'py, i32>> {
    if let Ok(array) = given.cast::<PyArrayDyn<i32>>()
        && array.is_c_contiguous()
    {
        return Ok(array.readonly());
    }
    let py = given.py();
    let how = PyDict::new(py);
    how.set_item("casting", "same_kind")?;
    how.set_item("order", "C")?;
    let array = py.import("numpy")?.call_method1("asarray", (given,))?;
    let array = array.call_method("astype", ("int32",), Some(&how))?;
    Ok(array.cast_into::<PyArrayDyn<i32>>()?.readonly())
}
