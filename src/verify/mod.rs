//! Comparing what backends say: with recorded [traces](crate::trace), and with each other.

mod against;
mod difference;
mod replay;
mod snapshot;
pub mod suite;

pub use against::{Against, against};
pub(crate) use difference::Comparison;
pub use difference::Difference;
pub use replay::{Replayed, replay};
pub(crate) use snapshot::{Snapshot, all_goals};
