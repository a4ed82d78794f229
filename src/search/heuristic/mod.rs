//! Evaluations of states, learned from matches that the game plays against itself.
//!
//! For games of two roles that take turns. What is learned is what each role can expect: a
//! weighted sum of features, which are the propositions of a state and pairs of these. Nothing is
//! taken from the names of propositions, which mean nothing.
//!
//! 1. Matches are played in lanes by the evaluation so far, with some noise: all successors of many
//!    states are one call. In the first round there is none, and matches are random but for
//!    decisions that end them.
//! 2. Weights are fitted to the results, and the next round is played by these. So they are about
//!    ever better play.
//! 3. After some rounds, pairs become features too: those that moves change together, as what
//!    captures does with what it captures.
//! 4. In the end, matches that it has not learned from tell whether it is of use. If not, it is
//!    not used.
//!
//! - `features`, `evaluation`: what is looked at, and what that is worth.
//! - `self_play`, `samples`: matches, and their states.
//! - `regression`, `candidates`: weights, and pairs of propositions.
//! - `learn`: the rounds, and the verdict.
//! - `task`, `store`: on a thread of its own, and from one match to the next.

mod candidates;
mod evaluation;
mod features;
mod learn;
mod regression;
mod samples;
mod self_play;
mod store;
mod task;

pub use evaluation::{Evaluation, Scorer};
pub use features::{Features, Partner};
pub use learn::{Heuristic, HeuristicConfig, HeuristicVerdict};
pub use store::StoreError;
pub use task::HeuristicTask;
