//! Comparing what backends say: with recorded [traces](crate::trace), and with each other.

mod against;
mod difference;
mod replay;
mod snapshot;
pub mod suite;

pub use against::{Against, against};
pub use difference::Difference;
pub use replay::{Replayed, replay};
