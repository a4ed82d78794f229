//! Tools that measure, which players do not need.
//!
//! - [`compare`] measures all backends on a game.
//! - [`tune`] finds the settings that suit this CPU best.
//! - [`disassemble`] lists machine code.
//! - [`darkening`] measures what darkening brings in a match.
//! - [`character`] draws the figures of a game.

pub mod character;
pub mod compare;
pub mod darkening;
pub mod disassemble;
mod plot_error;
pub mod tune;

pub use plot_error::PlotError;
