//! Monte Carlo tree search.

mod budgets;
mod joint_and_chance;
mod proofs;
mod search_matches;
mod tree;
