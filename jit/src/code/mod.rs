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
//! - `memory` owns the memory that the code runs in; `compiled` calls it.
//! - [`cache`] keeps code on disk; `stored` loads it from there.
//! - `listing` makes human-readable listings.
//!
//! # Why not `cranelift-jit`
//!
//! Bodies are compiled in parallel and joined to one position-independent image, which is
//! mapped. The `JITModule` of cranelift-jit 0.135 copies each body to memory of its provider
//! instead, even in `define_function_bytes`. So it cannot run code where the cache has mapped
//! it and processes share it: loading would take 22 us in place of 16 for tic-tac-toe, and 105
//! in place of 48 for reversi. A module also keeps 1.3 to 3.2 KB more for each engine, is not
//! `Sync`, and frees its memory only by an unsafe call.
//!
//! Setting up new code was hardly slower with bodies compiled in parallel and our own
//! provider: the same within 2% from connect four on, and 4% more for tic-tac-toe by the assembler
//! (80 us), 3% to 8% more CPU time by Cranelift (0.7 ms). `define_function`, which compiles one
//! body after the other, took 7% to 18% longer for reversi. (Medians of 41 interleaved runs on
//! two cores; loads, of 201.)

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
mod plan;
mod routine;
mod schedule;
mod stored;

pub use compiled::Code;
pub use config::{CodeConfig, Effort, Generator, Order};
pub use error::CompileError;
pub use foreign::{ForeignCode, ForeignStep};
pub use guard::Guards;
#[cfg(feature = "disassemble")]
pub use listing::{Listing, ListingForm, disassemble};
pub use memory::Executable;
