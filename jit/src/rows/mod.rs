//! Rows, which the lane interpreter and machine code have in common.
//!
//! A row holds one bit per lane. [`Width`] is its size, [`Layout`] says which rows hold
//! the constants, inputs and outputs, and [`Constants`] which outputs never change.

mod constants;
mod layout;
mod width;

pub(crate) use constants::{Constants, changing};
pub(crate) use layout::{Layout, check_in_place};
pub use width::Width;
