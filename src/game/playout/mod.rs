//! Random playouts: matches in which every role chooses its moves at random.
//!
//! Roles choose uniformly from all legal moves, or from [decisive moves](crate::game::circuits::decisive) where
//! there are some: see [`PlayoutPolicy`](crate::game::engine::PlayoutPolicy).
//!
//! - [`run`] plays from the initial state, on several threads.
//! - A [`PlayoutRunner`] belongs to one thread and plays from any states, which are the jobs of
//!   its [`PlayoutQueue`]. There are two: [`Playouts`] play as many matches at a time as there
//!   are lanes, and [`SerialPlayouts`] play match after match on any state machine. [`runner`]
//!   makes the one for a backend.
//! - A [`Tally`] holds the counts.
//!
//! When the time is up no match is started, but running matches are played to their end and
//! counted: dropping them would drop long matches more often than short ones and bias every mean.

mod columns;
mod lanes;
mod lines;
mod move_numbers;
mod played_moves;
mod playouts;
mod queue;
mod random_match;
mod run;
mod runner;
mod serial;
mod tally;
mod trial;

pub use move_numbers::MoveNumbers;
pub use played_moves::PlayedMoves;
pub use playouts::Playouts;
pub(crate) use playouts::selectors;
pub use queue::{JobId, PlayoutQueue};
pub use random_match::{MatchSteps, RandomMatch, RandomMatches, Watch};
pub use run::{PlayoutConfig, PlayoutOutcome, run, run_engine, runner};
pub use runner::{PlayoutProgress, PlayoutRunner, RunLimits};
pub use serial::SerialPlayouts;
pub use tally::{Ending, GoalTally, Line, Tally};
