//! The configuration of learning.

use std::time::Duration;

use super::search_matches::PlaySearchMatch;
use super::store::Known;
use crate::support::pause::Pause;
use crate::support::setters::setters;

/// On how many threads matches are played at most.
const MAX_THREADS: usize = 64;

/// How to learn.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HeuristicConfig {
    /// How long it may take. A part of that is for the trial of what was learned.
    pub time: Duration,
    /// How many rounds there are at most. With a number, what is learned does not depend on how fast the machine is, as long as
    /// there is time for them.
    pub rounds: Option<u32>,
    /// The [seed](crate::support::rng) of the random numbers.
    pub seed: u64,
    /// The earlier result of learning to go on from.
    pub known: Option<Known>,
    /// On how many threads matches are played; what is learned depends on it, too.
    pub threads: usize,
    /// Whether a [task](super::HeuristicTask) begins with what is [kept](super::Heuristic::keep) of the game, and keeps what it
    /// learns.
    pub keeps: bool,
    /// Plays matches between searches with what was learned and without, if it is to be tried by those, too.
    pub search_matches: Option<PlaySearchMatch>,
    /// The pause to wait for before each round and each match between searches. That takes none of its
    /// time.
    pub(super) pause: Pause,
}

impl Default for HeuristicConfig {
    /// Three seconds, any number of rounds, the seed 0, nothing learned before but what is kept, and no matches between
    /// searches.
    fn default() -> HeuristicConfig {
        HeuristicConfig {
            time: Duration::from_secs(3),
            rounds: None,
            seed: 0,
            known: None,
            threads: 1,
            keeps: true,
            search_matches: None,
            pause: Pause::default(),
        }
    }
}

impl HeuristicConfig {
    setters! {
        with_time(time: Duration);
        with_rounds(rounds: Option<u32>);
        with_seed(seed: u64);
        with_known(known: Option<Known>);
        with_threads(threads: usize);
        with_keeps(keeps: bool);
        with_search_matches(search_matches: Option<PlaySearchMatch>);
    }

    /// On how many threads matches are played.
    pub(super) fn thread_count(&self) -> usize {
        self.threads.clamp(1, MAX_THREADS)
    }
}
