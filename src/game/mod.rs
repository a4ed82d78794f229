//! Compiled games, and what is known and played of them without a search.
//!
//! - `vocabulary` has states, moves, and the names of both.
//! - [`ground`] is a game as a circuit, with the names of what its wires mean; [`circuits`] are derived from it.
//! - [`engine`] has the life of code: the best engine for a state, now. [`profile`] keeps what suits the user's CPU.
//! - [`machine`] is one state at a time, with a backend per file, or a batch of them.
//! - [`facts`] are proved for all states, or from a state on; [`boards`] are inferred.
//! - [`load`] reads rulesheets, and makes machines for them.
//! - [`playout`] plays random matches; [`environment`] plays as learners say.
//! - [`position`] is the current state of a match, with the way back.

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
pub(crate) mod vocabulary;
