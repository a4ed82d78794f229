//! All tests of the package in one program, which is linked once: a module per subject.

mod aarch64;
mod achievable;
mod analyze;
mod backends;
mod batch;
mod cache;
mod circuit_size;
mod cli;
mod common;
mod compare;
mod connections;
mod darkening;
mod darkening_command;
mod decisive;
mod examples;
mod facts;
mod facts_command;
#[cfg(unix)]
mod finds;
mod fuzz;
mod goal_counts;
#[cfg(unix)]
mod harness;
mod heuristic;
mod history;
mod influence;
mod inlining;
mod inspection;
mod lines;
mod matches;
mod mcts;
mod messages;
mod planning;
mod play;
mod playouts;
mod programs;
mod proofs;
mod protocol;
mod queue;
mod recompilation;
mod records;
mod tiers;
mod tournaments;
mod traces;
mod tune;
mod workers;
