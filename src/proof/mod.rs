//! Exact answers.
//!
//! - [`influence`] computes how soon moves have an influence on each other and on goals.
//! - [`factors`] are parts of a game that change independently of each other.
//! - [`plan`] looks for the best match of a game of one role.
//! - [`forced`] proves what a role can force.
//! - [`regret`] finds mixed strategies where roles do not see all, or move at the same time.
//! - [`solve`] proves values of games, and [`certificate`] checks such proofs by the rules alone.
//! - [`unproved`] says why a value is not proved.

pub mod certificate;
pub mod factors;
pub mod forced;
pub mod influence;
pub mod plan;
pub mod regret;
pub mod solve;
pub mod unproved;
