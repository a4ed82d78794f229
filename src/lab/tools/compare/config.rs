//! The configuration of a comparison.

use std::time::Duration;

use crate::support::setters::setters;

/// How to compare.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CompareConfig {
    /// For how long each backend plays; nothing else takes longer, even on a slow backend.
    pub time: Duration,
    /// The [seed](crate::support::rng) of the random numbers.
    pub seed: u64,
    /// How many states are compared: those of random matches, the last one cut off.
    pub states: usize,
    /// How many joint moves a playout may have.
    pub max_steps: u32,
}

impl Default for CompareConfig {
    fn default() -> CompareConfig {
        CompareConfig {
            time: Duration::from_secs(2),
            seed: 0,
            states: 500,
            max_steps: 10_000,
        }
    }
}

impl CompareConfig {
    setters! {
        with_time(time: Duration);
        with_seed(seed: u64);
        with_states(states: usize);
        with_max_steps(max_steps: u32);
    }
}
