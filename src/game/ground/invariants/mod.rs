//! Invariants: properties of all reachable states, proved by induction.
//!
//! - [`Invariant`] is a fact about the propositions of a state.
//! - [`induction`] proves candidates, all together.
//! - [`large_groups`] finds and proves groups of propositions of which at most one is true.
//! - [`conservation`] proves totals that never change, together with their groups, by
//!   [joint move](joint) and case by case (`cases`).
//! - [`step`] has the clauses of a step, and asks a SAT solver about it; `encoding` those of
//!   invariants, and `sums` those of [`Linear`] ones; `net` the circuit that they are made from, `gates` parts of it; `solver` the SAT solver.

mod cases;
pub(crate) mod conservation;
pub(crate) mod encoding;
pub(crate) mod gates;
pub(crate) mod induction;
mod invariant;
pub(crate) mod joint;
pub(crate) mod large_groups;
mod linear;
pub(crate) mod net;
pub(crate) mod solver;
pub(crate) mod step;
mod sums;

pub use invariant::Invariant;
pub use linear::Linear;
