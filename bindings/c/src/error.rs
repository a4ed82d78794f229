//! Status codes, error messages, and panic isolation.

use std::cell::RefCell;
use std::collections::TryReserveError;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use propjit::game::environment::{ActionError, EnvironmentError};
use propjit::game::load::QuestionError;
use propjit::game::profile::MAX_THREADS;
use propjit::support::error_text::{panic_text, with_causes};
use propjit::{LoadError, MachineError};

/// The result of a call.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Success; results are written.
    Ok = 0,
    /// A pointer is null, a number out of range, or a text not UTF-8.
    BadArgument = 1,
    /// A rulesheet cannot be read, is wrong, or cannot be played as asked.
    LoadFailed = 2,
    /// A move or an action is not legal, as none is in a terminal state.
    IllegalMove = 3,
    /// A text names no move or proposition of the game.
    UnknownName = 4,
    /// The rules leave the result undefined, or it took too long to compute.
    PlayFailed = 5,
    /// A bug in propjit. The objects of the call should not be used any more.
    Panicked = 6,
    /// There is not enough memory for the request.
    OutOfMemory = 7,
    /// The requested threads cannot be started.
    NoThreads = 8,
}

/// Why a call failed.
pub(crate) struct Failure {
    status: Status,
    text: String,
}

impl Failure {
    pub(crate) fn new(status: Status, text: impl ToString) -> Failure {
        let text = text.to_string();
        Failure { status, text }
    }

    /// Checks that this number of threads is allowed; 0 stands for one.
    pub(crate) fn check_threads(threads: usize) -> Result<usize, Failure> {
        match threads <= MAX_THREADS {
            true => Ok(threads.max(1)),
            false => Err(Failure::argument(format!(
                "the number of threads must be at most {MAX_THREADS}, not {threads}"
            ))),
        }
    }

    pub(crate) fn memory(error: TryReserveError) -> Failure {
        Failure::new(Status::OutOfMemory, error)
    }

    pub(crate) fn argument(text: impl ToString) -> Failure {
        Failure::new(Status::BadArgument, text)
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Failure {
        Failure::new(Status::LoadFailed, with_causes(&error))
    }
}

impl From<MachineError> for Failure {
    fn from(error: MachineError) -> Failure {
        let status = match error {
            MachineError::IllegalMove { .. }
            | MachineError::JointMove { .. }
            | MachineError::MatchOver => Status::IllegalMove,
            MachineError::UnknownName(_) => Status::UnknownName,
            MachineError::Memory { .. } => Status::OutOfMemory,
            MachineError::Thread(_) => Status::NoThreads,
            _ => Status::PlayFailed,
        };
        Failure::new(status, error)
    }
}

impl From<QuestionError> for Failure {
    fn from(error: QuestionError) -> Failure {
        match error {
            QuestionError::Machine(error) => error.into(),
            QuestionError::NotGround(_) => Failure::new(Status::PlayFailed, error),
            QuestionError::NotForced { .. } => Failure::new(Status::IllegalMove, error),
            _ => Failure::argument(error),
        }
    }
}

impl From<EnvironmentError> for Failure {
    fn from(error: EnvironmentError) -> Failure {
        let status = match error {
            EnvironmentError::Memory { .. } => Status::OutOfMemory,
            EnvironmentError::Threads { .. } => Status::NoThreads,
            _ => Status::BadArgument,
        };
        Failure::new(status, with_causes(&error))
    }
}

impl From<ActionError> for Failure {
    fn from(error: ActionError) -> Failure {
        Failure::new(Status::IllegalMove, error)
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Does the work of a call. Errors and panics become a status, and are kept as this thread's last
/// error.
pub(crate) fn call(work: impl FnOnce() -> Result<(), Failure>) -> Status {
    // The half-finished state after a panic stays behind its pointer: see `Status::Panicked`.
    let failure = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => return Status::Ok,
        Ok(Err(failure)) => failure,
        Err(panic) => Failure::new(Status::Panicked, panic_text(panic)),
    };
    LAST.with_borrow_mut(|last| *last = c_text(&failure.text));
    failure.status
}

/// The text up to its first zero byte.
fn c_text(text: &str) -> CString {
    let text = text.split('\0').next().unwrap_or_default();
    CString::new(text).unwrap_or_default()
}

/// Returns the message of the last call of this thread that failed. The text is valid until the
/// next one fails, and must not be freed.
#[unsafe(no_mangle)]
pub extern "C" fn propjit_last_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr())
        .unwrap_or(ptr::null())
}

/// Passes a text to the caller, which frees it with `propjit_text_free`.
pub(crate) fn hand_over(text: &str) -> *mut c_char {
    c_text(text).into_raw()
}

/// Frees a text that this library returned. A null pointer is ignored.
///
/// # Safety
/// The text is null, or was returned by a function of this library and not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_text_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: as promised, this is the result of `hand_over`.
        drop(unsafe { CString::from_raw(text) });
    }
}
