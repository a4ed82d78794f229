//! Errors of compiling.

use std::io;
use std::time::Duration;

use thiserror::Error;

use crate::rows::Width;

/// The reason why there is no code.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CompileError {
    /// There is no code for the target.
    #[error("no machine code for {target}: {reason}")]
    Target {
        /// The target.
        target: String,
        /// The missing feature.
        reason: String,
    },
    /// The code generator has no rows of this width.
    #[error("this code generator does not support {} lanes", .0.lanes())]
    Width(Width),
    /// Cranelift refuses the code.
    #[error("Cranelift: {0}")]
    Cranelift(String),
    /// It took too long.
    #[error("compiling took longer than {0:?}")]
    Time(Duration),
    /// [`CodeConfig::stop`](super::CodeConfig::stop) was set.
    #[error("compiling was stopped")]
    Stopped,
    /// There was too much code.
    #[error("the machine code exceeds {0} bytes")]
    Size(usize),
    /// The circuit needs more rows than machine code can address.
    #[error("{0} rows are too many for machine code to address")]
    Rows(u64),
    /// The operating system gives no memory to execute code in.
    #[error("cannot allocate memory for machine code: {0}")]
    Memory(#[from] io::Error),
}
