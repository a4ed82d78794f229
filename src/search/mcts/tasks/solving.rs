//! Enumeration beside the search: in a game of several roles that has few states, all of them are found on
//! a thread of its own, with their values.

use std::sync::Arc;
use std::time::{Duration, Instant};

use propjit_stop::Stop;

use crate::game::engine::Engines;
use crate::game::machine::{Move, State};
use crate::proof::solve::StateValues;
use crate::search::mcts::report::StatesReport;
use crate::search::mcts::report::{ProvedBy, SearchReport, order};
use crate::support::background::Background;

/// The reciprocal of the part of the search's memory that the states may have.
const MEMORY_PART: usize = 4;

/// The reciprocal of the part of the first search's time that there is to find them. And how long that is
/// if the search has no clock.
const TIME_PART: u32 = 10;
const UNTIMED: Duration = Duration::from_secs(1);

/// The states that follow from where the search starts.
#[derive(Debug)]
pub(in crate::search::mcts) struct Solving {
    engines: Arc<Engines>,
    memory: usize,
    /// The task that finds them, once the search has begun.
    task: Option<Task>,
}

#[derive(Debug)]
struct Task {
    found: Background<Option<Solved>>,
    /// Whether the search knows what was found.
    is_known: bool,
    stop: Stop,
}

#[derive(Clone, Debug)]
struct Solved {
    values: Arc<StateValues>,
    time: Duration,
}

impl Solving {
    /// Gets ready to find the states of a game, in a part of the memory of a search.
    pub(in crate::search::mcts) fn new(engines: &Arc<Engines>, memory: usize) -> Solving {
        Solving {
            engines: engines.clone(),
            memory: memory / MEMORY_PART,
            task: None,
        }
    }

    /// Starts to find what follows from a state, unless it was started before: in a part of the time
    /// until a stop comes.
    pub(in crate::search::mcts) fn begin(&mut self, state: &State, stop: &Stop) {
        if self.task.is_some() {
            return;
        }
        let time = stop.remaining().map(|left| left / TIME_PART);
        let stop = Stop::new().within(time.unwrap_or(UNTIMED));
        let (engines, state, memory) = (self.engines.clone(), state.clone(), self.memory);
        let until = stop.clone();
        let find = move || {
            let start = Instant::now();
            let values = StateValues::find(&engines, &state, memory, &until)?;
            Some(Solved {
                values: Arc::new(values),
                time: start.elapsed(),
            })
        };
        self.task = Some(Task {
            found: Background::start("states", || None, find),
            is_known: false,
            stop,
        });
    }

    /// Whether something may still be found.
    pub(in crate::search::mcts) fn is_pending(&self) -> bool {
        self.task.as_ref().is_some_and(|task| !task.is_known)
    }

    /// Returns what was found, if it was not returned before.
    pub(in crate::search::mcts) fn news(&mut self) -> Option<Arc<StateValues>> {
        let task = self.task.as_mut().filter(|task| !task.is_known)?;
        let found = task.found.get()?;
        task.is_known = true;
        found.as_ref().map(|solved| solved.values.clone())
    }

    /// Adds the values of the legal moves to the report about a state; if they are exact, the best by them
    /// comes first.
    pub(in crate::search::mcts) fn explain(
        &self,
        state: &State,
        legal: &[Move],
        report: &mut SearchReport,
    ) {
        let found = self.task.as_ref().filter(|task| task.is_known);
        let Some(solved) = found.and_then(|task| task.found.get()?.as_ref()) else {
            return;
        };
        let role = report.role;
        let range = solved.values.range(state, role);
        let (Some((low, high)), Some(values)) = (range, solved.values.moves(state, role)) else {
            return;
        };
        let mut ascending = legal.to_vec();
        ascending.sort_unstable();
        for (rank, value) in values.iter().enumerate() {
            let played = ascending.get(value.place).copied();
            let mut left = report.moves.iter_mut().skip(rank);
            let Some(at) = left.position(|of| Some(of.played) == played) else {
                return;
            };
            report.moves[rank..=rank + at].rotate_right(1);
            report.moves[rank].narrow(value.range);
        }
        let is_exact = low == high;
        if is_exact {
            report.value = Some(low);
            (report.solved, report.proved_by) = (true, Some(ProvedBy::States));
        } else {
            order(&mut report.moves);
        }
        report.best = report.moves.first().map(|best| best.played);
        report.states = Some(StatesReport {
            states: solved.values.states(),
            seconds: solved.time.as_secs_f64(),
            distance: values[0].distance.filter(|_| is_exact),
        });
    }
}

impl Drop for Solving {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.stop.set();
        }
    }
}
