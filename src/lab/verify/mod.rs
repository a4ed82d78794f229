//! Verification of backends: against recorded traces, and against each other.
//!
//! - [`replay()`] plays the matches of a [`Trace`] again; [`suite`] does so for many games.
//! - [`against()`] plays random matches with two machines side by side.

mod against;
pub(crate) mod difference;
pub(crate) mod joint;
mod replay;
pub(crate) mod snapshot;
pub mod suite;
mod trace;

pub use against::{AgainstOutcome, against};
pub use difference::Difference;
pub use replay::{ReplayOutcome, replay};
pub use trace::{Trace, TraceMatch, TraceStep};

pub use crate::support::fnv::{BadHash, Fnv64};
