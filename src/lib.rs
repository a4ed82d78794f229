//! propjit plays games given by their rules: a rulesheet in the Game Description
//! Language becomes a propositional network, that a Boolean circuit, and the
//! circuit plays many matches at a time, one per bit.
//!
//! Where to start:
//!
//! - [`game`] loads a rulesheet and gives machines that play it.
//! - [`machine`] is what a machine can do, and the backends.
//! - [`playout`] plays random matches in bulk, [`perft`] counts all of them.
//! - [`analysis`] finds out about a game without playing it; [`darkening`] makes code for what
//!   is left of a match.
//! - [`decisive`] makes playouts less blind.
//! - [`search`] finds good moves.
//! - [`cache`] finds the user's cache of machine code.
//! - [`profile`] keeps what suits the user's CPU best.
//! - `tools`, a feature, measures: all backends on a game, settings on this CPU, darkening in a match.
//! - [`matches`] plays matches between players and keeps their state, history and record;
//!   [`player`] has the players, [`protocol`] lets players and game managers elsewhere take part.
//! - [`verify`] compares machines with recorded traces and with each other.
//!
//! The logic is in `propjit-gdl`, the circuits are in `propjit-jit`.

pub mod analysis;
mod background;
pub mod darkening;
pub mod decisive;
mod directory;
pub mod engine;
mod fnv;
pub mod game;
pub mod ground;
pub mod lane_mask;
pub mod machine;
pub mod matches;
mod moves;
pub mod perft;
pub mod player;
pub mod playout;
pub mod profile;
pub mod protocol;
pub mod rng;
pub mod search;
mod setters;
mod state;
pub mod statistics;
mod terms;
#[cfg(feature = "tools")]
pub mod tools;
pub mod verify;

pub use directory::DirectoryError;
pub use propjit_stop::Stop;
