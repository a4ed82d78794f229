//! Boolean circuits, evaluated for up to 512 assignments at a time.
//!
//! A [`Circuit`] is an and-inverter graph with numbered inputs and outputs and explicit
//! loops. It could be the combinational part of any sequential circuit; for a game, the
//! inputs are the state and the moves, and the outputs the next state, the legal moves and
//! the goals.
//!
//! ```text
//! Builder -> Circuit -> optimize -+-> ScalarInterpreter             one assignment
//!                                 +-> LaneProgram -+
//!                                 +-> Code --------+-> LaneEvaluator   64 to 512 lanes
//! ```
//!
//! # Example
//!
//! ```
//! use std::sync::Arc;
//! use propjit_jit::assumptions::Assumptions;
//! use propjit_jit::code::Guards;
//! use propjit_jit::{
//!     Builder, Code, CodeConfig, CompileError, Engine, LaneEvaluator, LaneProgram, OutputId,
//!     PassConfig, ScalarInterpreter, Section, Width, optimize,
//! };
//!
//! // Whether most of three inputs are true, and the inverse.
//! let mut builder = Builder::new(3);
//! let [a, b, c] = [0, 1, 2].map(|input| builder.input(input));
//! let pairs = [builder.and(a, b), builder.and(a, c), builder.and(b, c)];
//! let most = builder.or_all(&pairs);
//! let circuit = builder.finish(vec![most, !most]);
//! let (circuit, _) = optimize(&circuit, &Assumptions::default(), &PassConfig::default());
//!
//! // One assignment: the first input and the last are true.
//! let mut scalar = ScalarInterpreter::new(&circuit);
//! scalar.set_inputs(3, &[0b101]);
//! scalar.settle();
//! assert_eq!(scalar.outputs(), [0b01]);
//!
//! // Many assignments, by interpretation and by machine code.
//! let sections = [Section::alone(vec![OutputId(0), OutputId(1)])];
//! let program = LaneProgram::new(&circuit, &sections);
//! let mut engines = vec![Engine::Interpreter(Arc::new(program), Width::X64)];
//! let config = CodeConfig::best();
//! if config.is_supported() {
//!     let code = Code::compile(&circuit, &sections, &Guards::default(), &config)?;
//!     engines.push(Engine::Code(Arc::new(code)));
//! }
//! for engine in engines {
//!     let mut lanes = LaneEvaluator::new(engine);
//!     // In the first eight lanes, the three inputs are the binary digits of the lane's number.
//!     lanes.input_mut(0)[0] = 0b10101010;
//!     lanes.input_mut(1)[0] = 0b11001100;
//!     lanes.input_mut(2)[0] = 0b11110000;
//!     lanes.evaluate(0);
//!     assert_eq!(lanes.output(0)[0] & 0xff, 0b11101000);
//! }
//! # Ok::<(), CompileError>(())
//! ```
//!
//! # Contents
//!
//! - [`circuit`]: circuits, their builder, and walks over them.
//! - [`passes`]: the optimiser, which uses known [facts](assumptions) about the inputs.
//! - [`counts`]: functions of counts of true inputs, resynthesised as adders.
//! - [`ternary`]: bounds of a circuit's wires when only some inputs are known.
//! - [`reasons`]: justifications: sets of inputs that determine the values of wires.
//! - [`section`]: parts of a circuit that are evaluated together.
//! - [`scalar`]: an interpreter for one assignment that computes only what changes.
//! - [`lanes`]: bit-sliced interpretation, with one bit per assignment in the rows that stand
//!   for the circuit's nodes, and work on rows: random choice, transposition, counting.
//! - [`code`]: the same circuits as machine code, with a cache on disk.
//! - [`count_tree`]: circuits that count edges, and find the one with a given number.
//! - [`evaluator`]: the rows of one thread, evaluated by either engine.
//! - [`memory`]: memory that threads share word by word.
//! - [`parallel`]: work on the threads of a pool.
//! - [`vectorised()`]: SIMD dispatch for loops over numbers.
//!
//! All `unsafe` code of the project but for its bindings to other languages is here: unchecked
//! indexing of programs that were checked when they were made, vector instructions behind run-time
//! detection, calls of machine code that was generated here, and memory shared by threads.
//!
//! # Features
//!
//! - `disassemble`: [`code`] lists machine code as text.
//! - `arm64`: code for aarch64 from any host; code for the host is always available.

pub mod assumptions;
pub mod circuit;
pub mod code;
pub mod count_tree;
pub mod counts;
pub mod evaluator;
pub mod lanes;
pub mod memory;
pub mod parallel;
pub mod passes;
pub mod reasons;
mod rows;
pub mod scalar;
pub mod section;
mod setters;
pub mod ternary;
mod vectorised;
mod wide;

pub use circuit::{Builder, Circuit, Edge, InputId, NodeId, OutputId};
pub use code::{Code, CodeConfig, CompileError};
pub use evaluator::{Engine, LaneEvaluator};
pub use lanes::{LaneProgram, Width};
pub use passes::{PassConfig, optimize};
pub use propjit_stop::Stop;
pub use scalar::ScalarInterpreter;
pub use section::Section;
pub use vectorised::{VectorWork, vectorised};

/// The example in the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
