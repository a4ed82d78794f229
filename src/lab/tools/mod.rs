//! Measurement tools, which players do not need.
//!
//! - [`compare`] measures all backends on a game.
//! - [`tune`] finds the settings that suit this CPU best.
//! - [`disassemble`] lists machine code.
//! - [`darkening`] measures the gain from darkening in a match.
//! - [`figures_chart`] draws the figures of a game.

pub mod compare;
pub mod darkening;
pub mod disassemble;
pub mod figures_chart;
mod plot_error;
pub mod tune;

pub use plot_error::PlotError;
