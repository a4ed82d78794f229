//! NumPy arrays that environments write to, and integer arrays as their input.

use numpy::{
    Element, IntoPyArray, PyArrayDescr, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn,
    PyReadwriteArrayDyn, PyUntypedArrayMethods,
};
use propjit::game::environment::Observation;
use propjit::jit::memory::is_available;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice, PyTuple};

use crate::errors::{IllegalMoveError, no_memory};

/// The type of the elements of observations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ObservationType {
    Bits,
    Bool,
    Bytes,
    Floats,
}

/// The array of observations.
pub(crate) enum ObservationArray {
    Bytes(Py<PyArrayDyn<u8>>),
    Bool(Flags),
    Floats(Py<PyArrayDyn<f32>>),
}

/// By its name, or as a type of NumPy's.
impl<'py> FromPyObject<'_, 'py> for ObservationType {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<ObservationType> {
        let name: String = match given.extract() {
            Ok(name) => name,
            Err(_) => PyArrayDescr::new(given.py(), given)?
                .getattr("name")?
                .extract()?,
        };
        let all = [
            ObservationType::Bool,
            ObservationType::Bytes,
            ObservationType::Floats,
            ObservationType::Bits,
        ];
        let found = all.into_iter().find(|one| one.name() == name);
        found.ok_or_else(|| {
            PyValueError::new_err(format!(
                "`dtype` is one of `bool`, `uint8`, `float32` and `bits`, not `{name}`"
            ))
        })
    }
}

impl ObservationType {
    /// Its name, as callers give it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ObservationType::Bits => "bits",
            ObservationType::Bool => "bool",
            ObservationType::Bytes => "uint8",
            ObservationType::Floats => "float32",
        }
    }

    /// The size of an observation of this number of elements, in bytes.
    pub(crate) fn bytes(self, elements: usize) -> usize {
        match self {
            ObservationType::Bits => elements.div_ceil(8),
            ObservationType::Bool | ObservationType::Bytes => elements,
            ObservationType::Floats => elements * size_of::<f32>(),
        }
    }

    /// The shape of an array of observations with elements in an array of the shape `each`. Bits have no shape.
    pub(crate) fn shape(self, count: &[usize], each: &[usize]) -> Vec<usize> {
        match self {
            ObservationType::Bits => {
                let elements: usize = each.iter().product();
                [count, &[elements.div_ceil(8)]].concat()
            }
            _ => [count, each].concat(),
        }
    }

    /// Makes an array of this shape.
    pub(crate) fn zeros(self, py: Python<'_>, shape: &[usize]) -> PyResult<ObservationArray> {
        Ok(match self {
            ObservationType::Bits | ObservationType::Bytes => {
                ObservationArray::Bytes(zeros(py, shape)?)
            }
            ObservationType::Bool => ObservationArray::Bool(Flags::new(py, shape)?),
            ObservationType::Floats => ObservationArray::Floats(zeros(py, shape)?),
        })
    }

    /// Takes an array of the caller.
    ///
    /// # Errors
    /// If it does not have this shape and type, or cannot be written to.
    pub(crate) fn given(
        self,
        name: &str,
        array: &Bound<'_, PyAny>,
        shape: &[usize],
    ) -> PyResult<ObservationArray> {
        Ok(match self {
            ObservationType::Bits | ObservationType::Bytes => {
                ObservationArray::Bytes(given(name, "uint8", array, shape)?)
            }
            ObservationType::Bool => ObservationArray::Bool(Flags::given(name, array, shape)?),
            ObservationType::Floats => {
                ObservationArray::Floats(given(name, "float32", array, shape)?)
            }
        })
    }
}

impl ObservationArray {
    /// Returns the array as a Python object.
    pub(crate) fn view<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        match self {
            ObservationArray::Bytes(bytes) => bytes.bind(py).clone().into_any(),
            ObservationArray::Bool(flags) => flags.view.bind(py).clone(),
            ObservationArray::Floats(floats) => floats.bind(py).clone().into_any(),
        }
    }

    pub(crate) fn clone_ref(&self, py: Python<'_>) -> ObservationArray {
        match self {
            ObservationArray::Bytes(bytes) => ObservationArray::Bytes(bytes.clone_ref(py)),
            ObservationArray::Bool(flags) => ObservationArray::Bool(flags.clone_ref(py)),
            ObservationArray::Floats(floats) => ObservationArray::Floats(floats.clone_ref(py)),
        }
    }

    /// Borrows the array, to be written to.
    ///
    /// # Errors
    /// When it is being used meanwhile.
    pub(crate) fn writable<'py>(&self, py: Python<'py>) -> PyResult<WritableObservation<'py>> {
        Ok(match self {
            ObservationArray::Bytes(bytes) => WritableObservation::Bytes(writable(py, bytes)?),
            ObservationArray::Bool(flags) => {
                WritableObservation::Bytes(writable(py, &flags.bytes)?)
            }
            ObservationArray::Floats(floats) => WritableObservation::Floats(writable(py, floats)?),
        })
    }
}

/// The array of observations while it is written to.
pub(crate) enum WritableObservation<'py> {
    Bytes(PyReadwriteArrayDyn<'py, u8>),
    Floats(PyReadwriteArrayDyn<'py, f32>),
}

impl WritableObservation<'_> {
    pub(crate) fn of_type(&mut self, kind: ObservationType) -> PyResult<Observation<'_>> {
        Ok(match self {
            WritableObservation::Bytes(bytes) => match kind {
                ObservationType::Bits => Observation::Bits(elements(bytes)?),
                _ => Observation::Bytes(elements(bytes)?),
            },
            WritableObservation::Floats(floats) => Observation::Floats(elements(floats)?),
        })
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

    /// Takes an array of the caller.
    ///
    /// # Errors
    /// If it does not have this shape and type, or cannot be written to.
    pub(crate) fn given(name: &str, array: &Bound<'_, PyAny>, shape: &[usize]) -> PyResult<Flags> {
        let view: Py<PyArrayDyn<bool>> = given(name, "bool", array, shape)?;
        let view = view.into_any();
        let bytes = view.bind(array.py()).call_method1("view", ("uint8",))?;
        Ok(Flags {
            bytes: bytes.cast_into::<PyArrayDyn<u8>>()?.unbind(),
            view,
        })
    }

    pub(crate) fn clone_ref(&self, py: Python<'_>) -> Flags {
        Flags {
            bytes: self.bytes.clone_ref(py),
            view: self.view.clone_ref(py),
        }
    }
}

/// Takes an array of the caller, to be written to.
///
/// # Errors
/// If it is not of this type and shape, or its memory is not writable and contiguous.
pub(crate) fn given<T: Element>(
    name: &str,
    dtype: &str,
    array: &Bound<'_, PyAny>,
    shape: &[usize],
) -> PyResult<Py<PyArrayDyn<T>>> {
    let wrong = || {
        let text = |name: &str| {
            let value = array.getattr(name).and_then(|value| value.str()?.extract());
            value.unwrap_or_else(|_: PyErr| "nothing".to_string())
        };
        PyValueError::new_err(format!(
            "the array for `{name}` must be a writable, C-contiguous NumPy array of {dtype} and of the shape {}; it has \
             the type {} and the shape {}",
            tuple(shape),
            text("dtype"),
            text("shape"),
        ))
    };
    let found = array.cast::<PyArrayDyn<T>>().map_err(|_| wrong())?;
    let is_right = found.shape() == shape && found.is_c_contiguous();
    let is_writable = || found.getattr("flags")?.getattr("writeable")?.is_truthy();
    match is_right && is_writable()? {
        true => Ok(found.clone().unbind()),
        false => Err(wrong()),
    }
}

/// A shape as Python writes it.
pub(crate) fn tuple(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        all => {
            let all: Vec<String> = all.iter().map(usize::to_string).collect();
            format!("({})", all.join(", "))
        }
    }
}

/// The alignment of arrays, in bytes: a cache line, which JAX needs to take an array without copying it.
const ALIGNMENT: usize = 64;

/// An array of zeros, in memory that starts at a multiple of 64. It does not own its memory, and so is not moved by
/// `resize`.
///
/// # Errors
/// If there is no memory for it.
pub(crate) fn zeros<T: Element>(py: Python<'_>, shape: &[usize]) -> PyResult<Py<PyArrayDyn<T>>> {
    let bytes = shape.iter().product::<usize>() * size_of::<T>();
    let memory = vector::<u8>(bytes.saturating_add(ALIGNMENT))?;
    let start = memory.as_ptr().align_offset(ALIGNMENT);
    let memory = memory.into_pyarray(py);
    let aligned = memory.get_item(PySlice::new(
        py,
        start as isize,
        (start + bytes) as isize,
        1,
    ))?;
    let array = aligned.call_method1("view", (T::get_dtype(py),))?;
    let array = array.call_method1("reshape", (PyTuple::new(py, shape)?,))?;
    Ok(array.cast_into::<PyArrayDyn<T>>()?.unbind())
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

/// Reads integers as the environment takes them, in an array of this shape.
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
    if array.shape() != shape {
        return Err(other_shape(array.shape(), shape));
    }
    readable(&array)
}

/// The exception for an array of another shape than is needed.
fn other_shape(given: &[usize], needed: &[usize]) -> PyErr {
    let each = match needed.len() {
        1 => "one number for each environment",
        _ => "one number for each player of each environment",
    };
    PyValueError::new_err(format!(
        "an array of shape {} was given, but shape {} is needed: {each}",
        tuple(given),
        tuple(needed)
    ))
}

/// Reads a truth value for each of `count` environments.
///
/// # Errors
/// If there are not as many, or they are no truth values.
pub(crate) fn mask(given: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<bool>> {
    let numpy = given.py().import("numpy")?;
    let array = numpy.call_method1("asarray", (given,))?;
    let (dtype, shape) = (array.getattr("dtype")?, array.getattr("shape")?);
    if dtype.str()?.to_str()? != "bool" || shape.extract::<Vec<usize>>()? != [count] {
        return Err(PyValueError::new_err(format!(
            "a mask of environments is an array of bool and of the shape ({count},), and not of {dtype} and the shape {shape}"
        )));
    }
    array.call_method0("tolist")?.extract()
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
