//! The configuration of a search.

use std::fmt;
use std::str::FromStr;
use std::thread::available_parallelism;
use std::time::Duration;

use crate::search::learned::LearnOn;
use crate::search::mcts::{EvaluationUse, MctsConfig};
use crate::support::setters::setters;

/// The reciprocal of the part of the time of a search in which an evaluation is learned before it, unless one is known; and
/// how long that may take at most.
const LEARNING_PART: u32 = 3;
const MAX_LEARNING: Duration = Duration::from_secs(20);

/// A kind of search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum SearchKind {
    /// [Tree search](crate::search::mcts) by playouts.
    Mcts,
    /// [Minimax](crate::search::minimax) on a learned evaluation, in games for which that is; tree search until there is
    /// an evaluation, and elsewhere.
    Minimax,
    /// Minimax if it does better in short matches against tree search; tree search otherwise.
    #[default]
    Auto,
}

impl fmt::Display for SearchKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SearchKind::Mcts => "mcts",
            SearchKind::Minimax => "minimax",
            SearchKind::Auto => "auto",
        })
    }
}

impl FromStr for SearchKind {
    type Err = ();

    fn from_str(name: &str) -> Result<SearchKind, ()> {
        let kinds = [SearchKind::Mcts, SearchKind::Minimax, SearchKind::Auto];
        kinds
            .into_iter()
            .find(|kind| kind.to_string() == name)
            .ok_or(())
    }
}

/// How to search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SearchConfig {
    /// The kind of search.
    pub kind: SearchKind,
    /// How tree search searches. Minimax has its threads, provers and learning.
    pub mcts: MctsConfig,
}

impl Default for SearchConfig {
    /// All that helps: the search that suits the game, with local search, a learned evaluation, a planner and an
    /// enumeration of states.
    fn default() -> SearchConfig {
        let mcts = MctsConfig::default()
            .with_local(true)
            .with_plan(true)
            .with_solve(true)
            .with_evaluation(Some(EvaluationUse::default()));
        SearchConfig {
            kind: SearchKind::Auto,
            mcts,
        }
    }
}

impl SearchConfig {
    setters! {
        with_kind(kind: SearchKind);
        with_mcts(mcts: MctsConfig);
    }

    /// Tree search by playouts, and nothing beside it, so that nothing depends on time or on what other threads find out.
    pub fn plain() -> SearchConfig {
        SearchConfig {
            kind: SearchKind::Mcts,
            mcts: MctsConfig::default(),
        }
    }

    /// With this [seed](crate::support::rng) of random numbers.
    pub fn with_seed(self, seed: u64) -> SearchConfig {
        SearchConfig {
            mcts: self.mcts.with_seed(seed),
            ..self
        }
    }

    /// An evaluation is learned in this time at most, unless enough is known: on cores that the search leaves free; if
    /// there are none, before the search. It may be learned on later.
    pub fn with_learning_within(self, time: Duration, may_learn_on: bool) -> SearchConfig {
        let threads = self.mcts.threads;
        let free = free_cores(threads);
        let learn_on = match (may_learn_on, free) {
            (false, _) => LearnOn::Never,
            (true, 0) => LearnOn::Between,
            (true, _) => LearnOn::Beside,
        };
        let mcts = self.mcts.with_learning_time(time).with_learn_on(learn_on);
        SearchConfig {
            mcts: mcts
                .with_learning_threads(if free == 0 {
                    threads
                } else {
                    free.min(threads)
                })
                .with_learn_first(free == 0),
            ..self
        }
    }
}

/// Returns how much of the time of a search may pass until an evaluation is learned, unless one is known.
pub fn learning_time(time: Duration) -> Duration {
    (time / LEARNING_PART).min(MAX_LEARNING)
}

/// Returns the number of cores that this process may use in addition to `threads`.
pub(super) fn free_cores(threads: usize) -> usize {
    available_parallelism().map_or(0, |cores| cores.get().saturating_sub(threads))
}
