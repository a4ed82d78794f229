//! Configuration of the analysis.

use std::time::Duration;

use crate::support::setters::setters;

/// The limits of the analysis.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AnalysisConfig {
    /// The time limit. A little more is needed to end.
    pub time: Duration,
    /// The maximum number of steps of random matches that are sampled.
    pub steps: u64,
    /// The [seed](crate::support::rng) of their random numbers.
    pub seed: u64,
    /// The maximum number of variables of one SAT solver: each takes some 300 bytes with its
    /// clauses, and each thread has up to two solvers.
    pub variables: u32,
    /// Whether to look for goals that are functions of counts.
    pub goal_tables: bool,
}

impl Default for AnalysisConfig {
    /// Returns limits of five seconds, two hundred thousand steps and a million variables, and the
    /// seed 0.
    fn default() -> AnalysisConfig {
        AnalysisConfig {
            time: Duration::from_secs(5),
            steps: 200_000,
            seed: 0,
            variables: 1_000_000,
            goal_tables: true,
        }
    }
}

impl AnalysisConfig {
    setters! {
        with_time(time: Duration);
        with_steps(steps: u64);
        with_seed(seed: u64);
        with_variables(variables: u32);
        with_goal_tables(goal_tables: bool);
    }
}
