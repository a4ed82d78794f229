//! Monte Carlo tree search.

mod budgets;
mod joint_and_chance;
mod proofs;
mod tree;
