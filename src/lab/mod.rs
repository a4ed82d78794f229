//! Studies and measurements that no player needs.
//!
//! - [`inspection`] diagnoses games from random matches: mistakes in their rules, and their
//!   characteristics.
//! - [`similarity`] compares positions by the moves that can be played from them on.
//! - [`verify`] compares machines with recorded traces and with each other.
//! - `tools`, a feature, measures.

pub mod inspection;
pub mod similarity;
#[cfg(feature = "tools")]
pub mod tools;
pub mod verify;
