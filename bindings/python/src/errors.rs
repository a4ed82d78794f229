//! Conversion of errors to exceptions.

use std::io;

use propjit::game::environment::{ActionError, EnvironmentError};
use propjit::game::profile::MAX_THREADS;
use propjit::gdl::ReadError;
use propjit::search::batched::SearchError;
use propjit::support::error_text::with_causes;
use propjit::{LoadError as CoreLoadError, MachineError};
use pyo3::create_exception;
use pyo3::exceptions::{
    PyException, PyMemoryError, PyOSError, PyRuntimeError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;

create_exception!(
    propjit,
    PropjitError,
    PyException,
    "Base class of all errors of this package."
);
create_exception!(
    propjit,
    LoadError,
    PropjitError,
    "A rulesheet has errors or cannot be played with these settings. The text lists each error with its location, as a compiler would."
);
create_exception!(
    propjit,
    IllegalMoveError,
    PropjitError,
    "A move is not legal."
);
create_exception!(
    propjit,
    UnknownNameError,
    PropjitError,
    "A text is not the name of a role, move or proposition of the game."
);
create_exception!(
    propjit,
    PlayError,
    PropjitError,
    "The rules do not define the result, or its evaluation took too long."
);

/// Returns the exception for a game that cannot be loaded. If a file cannot be read, it is an
/// `OSError`.
pub(crate) fn load_error(error: CoreLoadError) -> PyErr {
    match error {
        CoreLoadError::Read(ReadError::Io { path, source }) => {
            let path = path.display().to_string();
            match source.raw_os_error() {
                Some(code) => PyOSError::new_err((code, source.to_string(), path)),
                None => PyOSError::new_err(format!("cannot read {path}: {source}")),
            }
        }
        error => LoadError::new_err(with_causes(&error)),
    }
}

/// Returns the exception for a query that a machine cannot answer.
pub(crate) fn machine_error(error: MachineError) -> PyErr {
    let text = error.to_string();
    match error {
        // The exception that a function raised, or an error about its result.
        MachineError::Evaluation(error) => match error.downcast::<PyErr>() {
            Ok(raised) => *raised,
            Err(_) => PyValueError::new_err(text),
        },
        MachineError::IllegalMove { .. }
        | MachineError::JointMove { .. }
        | MachineError::MatchOver => IllegalMoveError::new_err(text),
        MachineError::UnknownName(_) => UnknownNameError::new_err(text),
        MachineError::Memory { .. } => PyMemoryError::new_err(text),
        MachineError::Thread(_) => PyRuntimeError::new_err(text),
        _ => PlayError::new_err(text),
    }
}

/// Returns the exception for actions that cannot be taken.
pub(crate) fn action_error(error: ActionError) -> PyErr {
    let text = error.to_string();
    match error {
        ActionError::Count { .. } | ActionError::Terminal { .. } => PyValueError::new_err(text),
        _ => IllegalMoveError::new_err(text),
    }
}

/// Returns the exception for invalid environments.
pub(crate) fn environment_error(error: EnvironmentError) -> PyErr {
    let text = with_causes(&error);
    match error {
        EnvironmentError::Memory { .. } => PyMemoryError::new_err(text),
        EnvironmentError::Threads { .. } => PyRuntimeError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// Returns the exception for a batched search that is not possible or did not go on.
pub(crate) fn search_error(error: SearchError) -> PyErr {
    let text = with_causes(&error);
    match error {
        // The exception that a function raised, or an error about its result.
        SearchError::Evaluation(error) => match error.downcast::<PyErr>() {
            Ok(raised) => *raised,
            Err(_) => PyValueError::new_err(text),
        },
        SearchError::Illegal { .. } => IllegalMoveError::new_err(text),
        SearchError::NotGround => PlayError::new_err(text),
        SearchError::Environment(error) => environment_error(error),
        _ => PyValueError::new_err(text),
    }
}

/// Returns the exception if there is no memory for arrays.
pub(crate) fn no_memory(bytes: usize) -> PyErr {
    PyMemoryError::new_err(format!(
        "cannot allocate memory for arrays of {bytes} bytes"
    ))
}

/// Returns the exception for an argument of the wrong type; `needed` says what is needed.
pub(crate) fn wrong_type(needed: &str, given: Borrowed<'_, '_, PyAny>) -> PyErr {
    let name = given.get_type().name().map(|name| name.to_string());
    let name = name.unwrap_or_else(|_| "object".to_string());
    PyTypeError::new_err(format!("{needed} is needed, not a `{name}`"))
}

/// Checks the number of threads.
///
/// # Errors
/// If it is not allowed.
pub(crate) fn check_threads(threads: usize) -> PyResult<usize> {
    match threads <= MAX_THREADS {
        true => Ok(threads),
        false => Err(PyValueError::new_err(format!(
            "the number of threads must be at most {MAX_THREADS}, not {threads}"
        ))),
    }
}

/// The exception for a thread that cannot be started.
pub(crate) fn no_thread(error: &io::Error) -> PyErr {
    PyRuntimeError::new_err(format!("cannot start a thread: {error}"))
}

/// The exception for a game that only the prover can play.
pub(crate) fn not_ground(what: &str) -> PyErr {
    PlayError::new_err(format!(
        "{what} need a ground game, and this one could not be grounded"
    ))
}

/// Returns the exception for a search in a process that was forked after it was made in this one.
pub(crate) fn left_behind(process: u32) -> PyErr {
    PyRuntimeError::new_err(format!(
        "this search belongs to process {process}, and its threads do not exist in this forked process: create a new `Search` here, for the same game or state"
    ))
}

/// Returns the exception for an object that another thread is using.
pub(crate) fn in_use(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("another thread is using this {what}"))
}
