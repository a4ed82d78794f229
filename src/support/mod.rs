//! Utilities that are independent of games: threads, processes, texts.

pub(crate) mod background;
pub(crate) mod crash;
pub(crate) mod directory;
pub mod error_text;
pub(crate) mod fnv;
pub mod input;
pub(crate) mod line_io;
pub(crate) mod pause;
pub mod program;
pub mod rng;
pub(crate) mod setters;
pub(crate) mod statistics;
pub(crate) mod threads;
