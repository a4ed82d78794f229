//! Studies and measurements that no player needs.
//!
//! - [`inspection`] tells from random matches what is wrong with a game, and what it is like.
//! - [`similarity`] compares positions by what can be played from them on.
//! - [`verify`] compares machines with recorded traces and with each other.
//! - `tools`, a feature, measures.

pub mod inspection;
pub mod similarity;
#[cfg(feature = "tools")]
pub mod tools;
pub mod verify;
