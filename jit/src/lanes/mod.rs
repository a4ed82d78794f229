//! Bit-sliced interpretation: one circuit, many assignments at a time.
//!
//! An assignment is a *lane*. Each node of the circuit has a *row*: one bit per
//! lane, 64 lanes to a word, as many words as the [`Width`] says. Lane `i` is bit
//! `i % 64` of word `i / 64`. One AND of two rows then evaluates a gate for all
//! lanes: the bit-slicing that Biham, "A fast new DES implementation in software"
//! (1997), made known.
//!
//! A [`LaneProgram`] is made once per circuit and shared; each thread owns a
//! [`LaneEvaluator`](crate::evaluator::LaneEvaluator) with the rows. [`select`] picks one true row per lane at
//! random, with the bits of [`random`]: for a game, a legal move. [`draw`] draws numbers.
//! [`advance`](mod@advance) makes outputs the inputs of the next step, [`count`] counts lanes, [`times`]
//! measures their ages, [`encoder`] encodes the choices as numbers, and [`transpose`] converts between
//! rows and the columns of lanes.
//!
//! ```
//! use std::sync::Arc;
//! use propjit_jit::circuit::{Builder, OutputId};
//! use propjit_jit::evaluator::{Engine, LaneEvaluator};
//! use propjit_jit::lanes::{LaneProgram, Width};
//! use propjit_jit::section::Section;
//!
//! let mut builder = Builder::new(2);
//! let (a, b) = (builder.input(0), builder.input(1));
//! let both = builder.and(a, b);
//! let circuit = builder.finish(vec![both, !both]);
//! let program = LaneProgram::new(&circuit, &[Section::alone(vec![OutputId(0), OutputId(1)])]);
//!
//! let mut lanes = LaneEvaluator::new(Engine::Interpreter(Arc::new(program), Width::X64));
//! lanes.input_mut(0)[0] = 0b1100;
//! lanes.input_mut(1)[0] = 0b1010;
//! lanes.evaluate(0);
//! assert_eq!(lanes.output(0)[0], 0b1000);
//! assert_eq!(lanes.output(1)[0], !0b1000);
//! ```

pub mod advance;
mod compile;
pub mod count;
mod dispatch;
pub mod draw;
pub mod encoder;
mod kernel;
mod program;
pub mod random;
mod reuse;
mod schedule;
pub mod select;
mod step;
pub mod times;
pub mod transpose;
pub mod unpack;
mod vector;

pub use crate::rows::Width;
pub use program::LaneProgram;
