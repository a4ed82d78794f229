//! Comparison of what backends say: with recorded traces, and with each other.
//!
//! - [`replay()`] plays the matches of a [`Trace`] again; [`suite`] does so for many games.
//! - [`against()`] plays random matches with two machines side by side.

mod against;
mod difference;
mod joint;
mod replay;
mod snapshot;
pub mod suite;
mod trace;

pub use against::{AgainstOutcome, against};
pub(crate) use difference::Comparison;
pub use difference::Difference;
pub(crate) use joint::{apply, parse_joint};
pub use replay::{ReplayOutcome, replay};
pub(crate) use snapshot::{Snapshot, all_goals};
pub use trace::{Trace, TraceMatch, TraceStep};

pub use crate::fnv::{BadHash, Fnv64};
