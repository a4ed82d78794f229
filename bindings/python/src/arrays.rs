//! NumPy arrays that environments write to, and integer arrays as their input.

use numpy::ndarray::IxDyn;
use numpy::{
    Element, IntoPyArray, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArrayDyn,
    PyUntypedArrayMethods,
};
use propjit::jit::memory::is_available;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{IllegalMoveError, no_memory};

/// The form in which observations are written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ObservationForm {
    Bits,
    Bytes,
    Floats,
}

/// The array of observations.
pub(crate) enum ObservationArray {
    Bits(Py<PyArrayDyn<u8>>),
    Bytes(Flags),
    Floats(Py<PyArrayDyn<f32>>),
}

impl ObservationForm {
    /// The form of this name.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn parse(name: &str) -> PyResult<ObservationForm> {
        match name {
            "bits" => Ok(ObservationForm::Bits),
            "bool" => Ok(ObservationForm::Bytes),
            "float32" => Ok(ObservationForm::Floats),
            other => Err(PyValueError::new_err(format!(
                "`{other}` is not a form of observations; forms are `bool`, `float32` and `bits`"
            ))),
        }
    }

    /// The size of an observation of this number of propositions, in bytes.
    pub(crate) fn bytes(self, propositions: usize) -> usize {
        match self {
            ObservationForm::Bits => propositions.div_ceil(8),
            ObservationForm::Bytes => propositions,
            ObservationForm::Floats => propositions * size_of::<f32>(),
        }
    }

    /// Makes an array for `count` observations of `propositions` propositions.
    pub(crate) fn zeros(
        self,
        py: Python<'_>,
        count: usize,
        propositions: usize,
    ) -> PyResult<ObservationArray> {
        Ok(match self {
            ObservationForm::Bits => {
                ObservationArray::Bits(zeros(py, &[count, propositions.div_ceil(8)])?)
            }
            ObservationForm::Bytes => {
                ObservationArray::Bytes(Flags::new(py, &[count, propositions])?)
            }
            ObservationForm::Floats => ObservationArray::Floats(zeros(py, &[count, propositions])?),
        })
    }
}

impl ObservationArray {
    /// Returns the array as a Python object.
    pub(crate) fn view<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        match self {
            ObservationArray::Bits(bits) => bits.bind(py).clone().into_any(),
            ObservationArray::Bytes(flags) => flags.view.bind(py).clone(),
            ObservationArray::Floats(floats) => floats.bind(py).clone().into_any(),
        }
    }
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
///
/// # Errors
/// If there is no memory for it.
pub(crate) fn zeros<T: Element + Default + Clone>(
    py: Python<'_>,
    shape: &[usize],
) -> PyResult<Py<PyArrayDyn<T>>> {
    let zeros = vector::<T>(shape.iter().product())?.into_pyarray(py);
    Ok(zeros.reshape(IxDyn(shape))?.unbind())
}

/// Makes a vector of `length` zeros.
///
/// # Errors
/// If there is no memory for them.
pub(crate) fn vector<T: Default + Clone>(length: usize) -> PyResult<Vec<T>> {
    let mut zeros = Vec::new();
    let reserved = zeros.try_reserve_exact(length);
    reserved.map_err(|_| no_memory(length.saturating_mul(size_of::<T>())))?;
    zeros.resize(length, T::default());
    Ok(zeros)
}

/// Checks that there is memory for arrays of this total size, in bytes.
///
/// # Errors
/// If there is not.
pub(crate) fn require(bytes: usize) -> PyResult<()> {
    match is_available(bytes) {
        true => Ok(()),
        false => Err(no_memory(bytes)),
    }
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

/// Reads integers as the environment takes them, in an array of this shape. The environment checks their number.
///
/// # Errors
/// If they have another shape, are no integers, or do not fit into 32 bits.
pub(crate) fn integers<'py>(
    given: &Bound<'py, PyAny>,
    shape: &[usize],
) -> PyResult<PyReadonlyArrayDyn<'py, i32>> {
    let array = match given.cast::<PyArrayDyn<i32>>() {
        Ok(array) if array.is_c_contiguous() => array.clone(),
        _ => converted(given)?,
    };
    if array.len() == shape.iter().product::<usize>() && array.shape() != shape {
        let given = array.shape();
        let message =
            format!("an array of shape {given:?} was given, but shape {shape:?} is needed");
        return Err(PyValueError::new_err(message));
    }
    readable(&array)
}

/// Integers as an array of 32 bits each.
///
/// # Errors
/// If they are none or do not fit.
fn converted<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArrayDyn<i32>>> {
    let py = given.py();
    let numpy = py.import("numpy")?;
    let how = PyDict::new(py);
    how.set_item("casting", "same_kind")?;
    how.set_item("order", "C")?;
    let wide = numpy.call_method1("asarray", (given,))?;
    let array = wide.call_method("astype", ("int32",), Some(&how))?;
    let is_same = numpy.call_method1("array_equal", (&wide, &array))?;
    if !is_same.is_truthy()? {
        let message = "a number that does not fit into 32 bits is not the number of a move";
        return Err(IllegalMoveError::new_err(message));
    }
    Ok(array.cast_into::<PyArrayDyn<i32>>()?)
}

/// An array to read from.
///
/// # Errors
/// When it is being written to meanwhile, as an environment's own arrays are.
pub(crate) fn readable<'py, T: Element>(
    array: &Bound<'py, PyArrayDyn<T>>,
) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
    let read = array.try_readonly();
    read.map_err(|error| PyRuntimeError::new_err(format!("an array that was given: {error}")))
}
