//! Machine code for circuits.
//!
//! A [`Code`] is a circuit compiled for a number of lanes. It is what
//! [`LaneProgram`](crate::lanes::LaneProgram) is to the interpreter, and a
//! [`LaneEvaluator`](crate::evaluator::LaneEvaluator) runs either.
//!
//! - `schedule` puts the operations in order, `plan` cuts them into `routine`s.
//! - `cranelift` and `avx2` make machine code of a routine; `generate` calls them for
//!   many routines in parallel, within limits.
//! - `foreign` hands out code for other CPUs.
//! - `guard` finds what matters only while some input is true, so that it is left out
//!   while that is false in all lanes.
//! - `memory` owns the memory that the code runs in; `compiled` calls it.
//! - [`cache`] keeps code on disk; `stored` takes it from there.
//! - `listing` shows code to people.

mod avx2;
pub mod cache;
mod compiled;
mod config;
mod cranelift;
mod foreign;
mod generate;
mod guard;
#[cfg(feature = "disassemble")]
mod listing;
mod memory;
mod plan;
mod routine;
mod schedule;
mod stored;

use std::time::Duration;

pub use compiled::Code;
pub use config::{CodeConfig, Effort, Generator, Order};
pub use foreign::{ForeignCode, ForeignStep};
pub use guard::Guards;
#[cfg(feature = "disassemble")]
pub use listing::{Listing, ListingForm, disassemble};
pub use memory::Executable;

use crate::rows::Width;

/// The reason why there is no code.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// There is no code for the target.
    #[error("no machine code for {target}: {reason}")]
    Target {
        /// The target.
        target: String,
        /// What is missing.
        reason: String,
    },
    /// The code generator has no rows of this width.
    #[error("this code generator has no rows of {} lanes", .0.lanes())]
    Width(Width),
    /// Cranelift refuses the code.
    #[error("Cranelift: {0}")]
    Cranelift(String),
    /// It took too long.
    #[error("compiling took longer than {0:?}")]
    Time(Duration),
    /// [`CodeConfig::stop`] was set.
    #[error("compiling was stopped")]
    Stopped,
    /// There was too much code.
    #[error("the machine code is longer than {0} bytes")]
    Size(usize),
    /// The circuit needs more rows than machine code can address.
    #[error("{0} rows are more than machine code can address")]
    Rows(u64),
    /// The operating system gives no memory to execute code in.
    #[error("no memory for machine code: {0}")]
    Memory(#[from] std::io::Error),
}
