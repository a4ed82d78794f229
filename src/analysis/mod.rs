//! What can be known of a game before it is played: facts about all of its states.
//!
//! [`find`] plays random matches first: what is false shows itself there. What may be true is proved:
//! invariants by induction, then latches, and which goals these exclude, by asking a SAT
//! solver about one step of the game, with the invariants as premises. All of this has a
//! budget, and what there was no time for is counted, not guessed.
//!
//! Sources: M. Genesereth and M. Thielscher, "General Game Playing", chapter 12 (latches,
//! inhibitors, dead states); "Goal Latches", Sancho's blog, 17 August 2014.

mod candidates;
mod clock;
mod composite;
mod facts;
mod goal_latches;
mod goals;
mod induction;
mod inhibitors;
mod inquiry;
mod invariant;
mod latches;
mod literal;
mod net;
mod samples;
mod step;
mod structural;

pub use composite::Composite;
pub use facts::{Config, Fact, Facts, GoalLiteral, Stage, find};
pub use goal_latches::{GoalLatch, GoalLatches, Mask};
pub use inhibitors::Inhibitor;
pub use invariant::Invariant;
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
