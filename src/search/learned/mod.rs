//! Learned evaluations of states, from matches that the game plays against itself.
//!
//! They are for games of two to four roles, which take turns or decide at once; one of at least three may play at
//! random. A small neural network over the propositions of a state learns what each role can expect there. Nothing is
//! taken from the names of propositions, which mean nothing.
//!
//! 1. Matches are played in lanes by the evaluation so far, with some noise: all successors of many
//!    states are one call. In the first round there is none, and matches are random but for
//!    decisions that end them.
//! 2. Weights are fitted to the results, and the next round is played by these. So each round is about
//!    better play.
//! 3. In the end, matches that it has not learned from, and matches against decisions by playouts,
//!    show whether it helps; and if there is time, so do matches between searches with it and without.
//!    If not, it is not used.
//!
//! - `inputs`, `discovery`: propositions, lines that are nearly complete, and the contents of parts of boards, and how
//!   these are found.
//! - `weights`, `evaluation`, `lane_scorer`: the network, its incremental computation, and that of all children of a
//!   state.
//! - `match_play`, `self_play`, `team`, `policy`, `joint_moves`, `samples`: a match, many of them, on several
//!   threads, the policies of decisions in them, also for several roles at once, and their states.
//! - `training`: gradient descent.
//! - `effects`: the worth of propositions by it; `greatest`: the parts of boards that matter most to it.
//! - `config`, `learn`, `schedule`: the rounds, and what is done in another way in the first ones and in the last
//!   ones.
//! - `comparison`: matches of one evaluation against another.
//! - `loss`, `trial`, `search_matches`, `verdict`, `trust`: its distance from results, whether it helps, and how far
//!   it is trusted.
//! - `task`, `store`: learning on a thread of its own, and persistence from one match to the next.

mod comparison;
mod config;
mod discovery;
mod effects;
mod evaluation;
mod greatest;
mod inputs;
mod joint_moves;
mod lane_scorer;
mod learn;
mod loss;
mod match_play;
mod policy;
mod samples;
mod schedule;
mod search_matches;
mod self_play;
mod store;
mod task;
mod team;
mod training;
mod trial;
mod trust;
mod verdict;
mod weights;

pub use comparison::compare;
pub use config::HeuristicConfig;
pub use effects::Effect;
pub use evaluation::{Evaluation, Scorer};
pub use greatest::{TuplePlace, TupleWeight};
#[cfg(test)]
pub(in crate::search) use inputs::Inputs;
pub(in crate::search) use lane_scorer::{
    Accumulator, CHANCE, ChangeLists, ChildRows, ChildScores, LaneScorer,
};
pub use learn::Heuristic;
pub(in crate::search) use match_play::MAX_STEPS;
pub use search_matches::{BetweenSearches, PlaySearchMatch, SearchMatch};
pub(in crate::search) use store::kept;
pub use store::{Known, StoreError};
pub use task::{HeuristicTask, LearnOn};
pub use trial::{AgainstPlayouts, TrialResult};
pub use trust::{Trust, TrustedEvaluation};
pub use verdict::HeuristicVerdict;
#[cfg(test)]
pub(in crate::search) use weights::Weights;
pub(in crate::search) use weights::{Roles, Shares};
