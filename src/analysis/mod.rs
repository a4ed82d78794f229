//! What can be known of a game before it is played: facts about all of its states.

mod goal_latches;
mod literal;

pub use goal_latches::{GoalLatch, GoalLatches, Mask};
pub use literal::Literal;

/// How a fact was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Method {
    /// Its premise alone decides the gates, whatever else is unknown.
    Structural,
    /// A SAT solver proved it for each state in which the invariants hold and each joint
    /// move that is legal there.
    Sat,
    /// It holds at the start, and a SAT solver proved that moves keep it.
    Induction,
    /// It held in all matches that were played at random. Nothing sound may rest on it.
    Unproved,
}
