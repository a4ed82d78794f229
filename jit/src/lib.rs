//! Boolean circuits, evaluated for many inputs at a time.
//!
//! A [`circuit::Circuit`] is an and-inverter graph with numbered inputs and outputs
//! and explicit loops. It could be any sequential circuit's combinational part; for
//! a game, the inputs are the state and the moves, and the outputs the next state,
//! the legal moves and the goals.
//!
//! - [`circuit::Builder`] makes circuits, [`passes::optimize`] makes them smaller,
//!   using what is [assumed](assumptions) about the inputs.
//! - [`ternary`] is about circuits of whose inputs only some are known.
//! - [`scalar`] evaluates one assignment at a time and only what has changed since
//!   the last.
//! - [`lanes`] evaluates everything, but for 64 to 512 assignments at once, one for
//!   each bit of the rows that stand for the circuit's nodes; it also chooses
//!   random moves in that form.
//! - [`memory`] is memory that threads share word by word.
//! - [`code`] does the same in machine code. Both evaluate a circuit in
//!   [sections](section).
//!
//! All `unsafe` code of the project is here: unchecked indexing of programs that were
//! checked when they were made, vector instructions behind run-time detection, calls
//! of machine code that was generated here, and memory shared by threads.

pub mod assumptions;
pub mod circuit;
pub mod code;
pub mod evaluator;
pub mod lanes;
pub mod memory;
pub mod passes;
mod rows;
pub mod scalar;
pub mod section;
mod setters;
pub mod ternary;
mod wide;
