//! The ground game: a game as a Boolean circuit, with the names of its wires.
//!
//! A [`GroundGame`] is made from the propositional network that grounding produces. All later
//! stages share it: analysis reads it, the [engines](crate::game::engine) are made from it, and
//! machines, playouts and searches use its numbers and names.
//!
//! - [`game`]: the ground game as a whole; a [`LoweredGame`] lacks the data derived from the
//!   circuit.
//! - `names`: propositions and moves by name.
//! - `layout`, `lower`: the circuit as it is lowered from the network, and its numbering.
//! - [`derived`]: circuits after the passes, and figures that are computed from the circuit.
//! - [`goal_counts`]: goals resynthesised as counters, and `invariants`, which prove that this is
//!   correct.
//! - [`phases`](Phases): propositions that alternate whatever is played; [`PhaseConstants`]: those
//!   that are constant in a phase.
//! - [`sections`]: the parts in which a step is evaluated.
//! - `autonomous`: propositions that change by themselves; [`MoveMarks`]: those that record the moves
//!   played.
//! - `observability`: whether percepts tell roles the whole state.
//! - [`Actions`]: moves numbered for learners; `choices`: moves that are not only ever forced.
//! - `literal`, `counter`, `goal_bounds`, `count_bounds`: plain data that represents facts about a
//!   game.

mod actions;
mod autonomous;
mod choices;
mod count_bounds;
mod counter;
pub mod derived;
mod fingerprint;
pub mod game;
mod goal_bounds;
pub mod goal_counts;
pub(crate) mod invariants;
mod layout;
mod literal;
mod lower;
mod lowered_game;
mod move_marks;
mod names;
mod observability;
mod phase_constants;
mod phases;
pub mod sections;
pub(crate) mod step_cost;

pub use actions::Actions;
pub(crate) use autonomous::autonomous;
pub(crate) use choices::exclusive_groups;
pub use count_bounds::{CountBounds, CountExclusion};
pub use counter::Counter;
pub use derived::Optimised;
pub(crate) use fingerprint::encoded;
pub use game::GroundGame;
pub use goal_bounds::{GoalBounds, GoalMask};
pub use goal_counts::{GoalTable, GoalTables, Shares};
pub use invariants::{Invariant, Linear};
pub use layout::{Layout, Port};
pub use literal::Literal;
pub use lower::lower;
pub use lowered_game::LoweredGame;
pub use move_marks::MoveMarks;
pub use phase_constants::PhaseConstants;
pub use phases::Phases;
pub use sections::section;
pub use step_cost::StepCost;
