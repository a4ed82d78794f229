//! Compiled games: analysis and play without search.
//!
//! - `vocabulary` has states, moves, and the names of both.
//! - [`ground`] is a game as a circuit, with the names of its wires; [`circuits`] are derived from it.
//! - [`engine`] manages the code lifecycle: the currently best engine for a state. [`profile`] keeps settings for
//!   the user's CPU.
//! - [`machine`] evaluates one state at a time, with a backend per file, or a batch of states.
//! - [`facts`] are proved for all states, or from a state on; [`boards`] are inferred.
//! - [`load`] reads rulesheets, and makes machines for them.
//! - [`playout`] plays random matches; [`environment`] has batched environments for reinforcement
//!   learning.
//! - [`symmetry`] finds renamings that leave the rules unchanged.
//! - [`position`] is the current state of a match, with its history.

pub mod boards;
pub mod circuits;
pub mod engine;
pub mod environment;
pub mod facts;
pub mod ground;
pub mod load;
pub mod machine;
pub mod playout;
pub mod position;
pub mod profile;
pub mod symmetry;
pub(crate) mod vocabulary;
