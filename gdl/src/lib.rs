//! The Game Description Language: from text to rules to a ground propositional network.
mod check;
pub mod diagnostic;
pub mod ground;
mod normalize;
mod parse;
pub mod propnet;
pub mod prover;
pub mod rules;
pub mod scc;
pub mod source;
pub mod syntax;
pub mod term;

pub use parse::{MAX_BYTES, Parsed, ReadError};
