//! Facts about a game, and about a state, that are found without search.
//!
//! - [`achievable`] computes the goals that are still possible from there.
//! - [`find`] proves facts about all states of a game; a [`GoalBoundsTask`] does so in the
//!   background, for a search.
//!
//! [`find`] samples random matches first, which refute most false candidates. The others are then
//! proved by asking a SAT solver whether a step of the game can break them. All of this has a
//! budget, and candidates without time left are counted, not guessed.
//!
//! | fact | meaning | proof |
//! |---|---|---|
//! | [`Invariant`] | constants, equivalences, groups of which one is true | all together, by induction |
//! | latch | a [`Literal`] that never changes again once it holds | ternary propagation, or one step under the invariants |
//! | [`Composite`] | two literals, or a group, that is latched as a whole | the same, if random matches never broke it |
//! | [`GoalLatch`] | a latch, and the goals that no match with it ends with | the terminal state, or the step to it |
//! | [`ForcedGoal`] | a latch, and the goal that every match with it ends with | the same |
//! | [`CountBounds`] | values of counters, and the goals that no match ends with once they are reached | goal tables, latches, and [`Linear`] invariants |
//! | [`Inhibitor`] | `p` now makes `q` false next | ternary propagation, or one step |
//!
//! Facts hold in matches: from the initial state, by legal joint moves, up to the first terminal
//! state. They say nothing about states that an engine might compute beyond that.
//!
//! ```
//! use propjit::game::facts::{self, AnalysisConfig};
//! use propjit::game::load::{Game, Setup};
//! use propjit::Stop;
//! let game = Game::from_text("fuse.kif", "
//!     (role player) (init (left 2)) (less 2 1) (less 1 0)
//!     (legal player light) (legal player wait)
//!     (<= (next burnt) (does player light))
//!     (<= (next burnt) (true burnt))
//!     (<= (next (left ?n)) (true (left ?m)) (less ?m ?n))
//!     (<= terminal (true (left 0)))
//!     (<= (goal player 0) (true burnt))
//!     (<= (goal player 100) (not (true burnt)))
//! ", &Setup::default())?;
//! let ground = game.ground_game().unwrap();
//! let facts = facts::find(game.engines().unwrap(), &AnalysisConfig::default(), &Stop::new());
//! let burnt = ground.parse_state(&["burnt"])?;
//! let excluded: Vec<_> = facts.goal_latches.excluded(&burnt).collect();
//! assert_eq!(excluded, [(propjit::game::machine::RoleId(0), 1)]); // The second goal, 100.
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Sources: M. Genesereth and M. Thielscher, "General Game Playing", chapter 12 (latches,
//! inhibitors, dead states); "Goal Latches", Sancho's blog, 17 August 2014.

pub mod achievable;
mod all_facts;
mod candidates;
mod ceilings;
mod composite;
mod config;
mod counters;
mod decided;
mod defined;
mod fact;
mod find;
mod goal_bounds;
mod goal_latches;
mod goals;
mod inhibitors;
mod inquiry;
mod latches;
mod linear;
mod relations;
mod samples;
mod structural;
mod time_budget;
mod totals;

pub use all_facts::{AnalysisStage, Facts, GoalLiteral};
pub use ceilings::ceiling;
pub use composite::Composite;
pub use config::AnalysisConfig;
pub use defined::DefinedEnds;
pub use fact::{Fact, ProofMethod};
pub use find::{find, find_defined_ends, find_goal_bounds};
pub use goal_bounds::GoalBoundsTask;
pub use goal_latches::{ForcedGoal, GoalLatch, GoalLatches};
pub use inhibitors::Inhibitor;
pub use latches::structural_latches;

pub use crate::game::ground::{
    CountBounds, Counter, GoalBounds, GoalMask, Invariant, Linear, Literal,
};
