//! Exceptions, and panic isolation.

use std::any::Any;

use jni::errors::{Error as JniError, ErrorPolicy};
use jni::strings::{JNIStr, JNIString};
use jni::sys::jint;
use jni::{Env, EnvUnowned, jni_str};
use propjit::game::load::QuestionError;
use propjit::game::profile::MAX_THREADS;
use propjit::support::error_text::{panic_text, with_causes};
use propjit::{LoadError, MachineError};

/// Why a native method fails: the class of the exception, and its message.
pub(crate) struct Failure {
    class: &'static JNIStr,
    text: String,
}

impl Failure {
    fn new(class: &'static JNIStr, text: impl ToString) -> Failure {
        let text = text.to_string();
        Failure { class, text }
    }

    /// An argument is invalid.
    pub(crate) fn argument(text: impl ToString) -> Failure {
        Failure::new(jni_str!("java/lang/IllegalArgumentException"), text)
    }

    /// Checks that this number of threads is allowed.
    pub(crate) fn check_threads(threads: jint) -> Result<usize, Failure> {
        let count = usize::try_from(threads).ok();
        let possible = count.filter(|count| (1..=MAX_THREADS).contains(count));
        possible.ok_or_else(|| {
            Failure::argument(format!(
                "the number of threads must be from 1 to {MAX_THREADS}, not {threads}"
            ))
        })
    }

    /// The object was closed.
    pub(crate) fn closed() -> Failure {
        let class = jni_str!("java/lang/IllegalStateException");
        Failure::new(class, "this object is closed")
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Failure {
        Failure::new(
            jni_str!("io/github/propjit/LoadException"),
            with_causes(&error),
        )
    }
}

impl From<MachineError> for Failure {
    fn from(error: MachineError) -> Failure {
        let class = match error {
            MachineError::IllegalMove { .. }
            | MachineError::JointMove { .. }
            | MachineError::MatchOver => {
                jni_str!("io/github/propjit/IllegalMoveException")
            }
            MachineError::UnknownName(_) => jni_str!("io/github/propjit/UnknownNameException"),
            // Like Java's own threads if they cannot be started.
            MachineError::Memory { .. } | MachineError::Thread(_) => {
                jni_str!("java/lang/OutOfMemoryError")
            }
            _ => jni_str!("io/github/propjit/PlayException"),
        };
        Failure::new(class, error)
    }
}

impl From<QuestionError> for Failure {
    fn from(error: QuestionError) -> Failure {
        match error {
            QuestionError::Machine(error) => error.into(),
            QuestionError::NotGround(_) => {
                Failure::new(jni_str!("io/github/propjit/PlayException"), error)
            }
            _ => Failure::argument(error),
        }
    }
}

impl From<JniError> for Failure {
    /// If Java has thrown already, that exception stays: see [`Throw`].
    fn from(error: JniError) -> Failure {
        let class = match error {
            JniError::NullPtr(_) => jni_str!("java/lang/NullPointerException"),
            _ => jni_str!("io/github/propjit/PropjitException"),
        };
        Failure::new(class, error)
    }
}

/// Does the work of a native method. Errors and panics are thrown in Java, which then ignores the
/// returned value.
pub(crate) fn call<'local, T: Default>(
    mut env: EnvUnowned<'local>,
    work: impl FnOnce(&mut Env<'local>) -> Result<T, Failure>,
) -> T {
    env.with_env(work).resolve::<Throw>()
}

/// Failures and panics are thrown, unless Java has thrown already.
struct Throw;

impl Throw {
    fn throw<T: Default>(env: &mut Env<'_>, failure: Failure) -> jni::errors::Result<T> {
        if !env.exception_check() {
            // A thrown exception is reported as an error.
            let _ = env.throw_new(failure.class, JNIString::from(failure.text));
        }
        Ok(T::default())
    }
}

impl<T: Default> ErrorPolicy<T, Failure> for Throw {
    type Captures<'local: 'method, 'method> = ();

    fn on_error<'local: 'method, 'method>(
        env: &mut Env<'local>,
        (): &mut (),
        failure: Failure,
    ) -> jni::errors::Result<T> {
        Throw::throw(env, failure)
    }

    fn on_panic<'local: 'method, 'method>(
        env: &mut Env<'local>,
        (): &mut (),
        panic: Box<dyn Any + Send>,
    ) -> jni::errors::Result<T> {
        let text = format!("a bug in propjit: {}", panic_text(panic));
        let class = jni_str!("io/github/propjit/PropjitException");
        Throw::throw(env, Failure::new(class, text))
    }
}
