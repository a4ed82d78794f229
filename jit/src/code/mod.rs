//! Machine code for circuits.
//!
//! A [`Code`] is a circuit compiled for a number of lanes. It is what
//! [`LaneProgram`](crate::lanes::LaneProgram) is to the interpreter, and a
//! [`LaneEvaluator`](crate::evaluator::LaneEvaluator) runs either.
//!
//! - `schedule` puts the operations in order, `plan` cuts them into `routine`s.
//! - `cranelift` and `assembler` make machine code of a routine; `generate` calls them for
//!   many routines in parallel, within limits.
//! - `foreign` generates code for other CPUs.
//! - `guard` finds gates that matter only while some input is true, so that they are left
//!   out while that is false in all lanes.
//! - `module` defines routines in a module of cranelift-jit, under the names that `symbols` gives them;
//!   `perf_map` writes these for profilers.
//! - `memory` owns the memory that the code runs in; `compiled` calls it.
//! - [`cache`] keeps code on disk; `stored` loads it from there.
//! - `listing` makes human-readable listings.
//!
//! # From routines to code that runs
//!
//! ```text
//! plan -> routines -> bodies -> JITModule -> Executable -> Code -> cache
//!         generate, in parallel  module, memory                       |
//!                                          Executable -> Code <-------+
//! ```
//!
//! Bodies come from Cranelift or from an assembler. They call nothing and address memory only relative to
//! their argument and to themselves: they have no relocations, and the cache can store the memory
//! as it is and map it anywhere. The module gets one mapping of ours, as large as all
//! bodies at their places. Finalisation makes it executable and no longer writable, with the
//! instruction caches coherent, and hands it over to the [`Executable`], which frees it. Code from the
//! cache needs no module: where it is mapped is where it runs, so that processes share it.
//! Code for other CPUs is not to be run here, and needs none, either.

mod assembler;
pub mod cache;
mod compiled;
mod config;
mod cranelift;
mod error;
mod foreign;
mod generate;
mod guard;
#[cfg(feature = "disassemble")]
mod listing;
mod memory;
mod module;
mod perf_map;
mod plan;
mod routine;
mod schedule;
mod stored;
mod symbols;

pub use compiled::Code;
pub use config::{CodeConfig, Effort, Generator, Order};
pub use error::CompileError;
pub use foreign::{ForeignCode, ForeignStep};
pub use guard::Guards;
#[cfg(feature = "disassemble")]
pub use listing::{Listing, ListingForm, disassemble};
pub use memory::Executable;
pub use perf_map::PerfMap;
