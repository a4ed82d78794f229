//! Teams of expanders, each on its own thread, which find the successors of many states in order.

use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Receiver, bounded};

use super::expander::{Child, Children, Expander};
use crate::game::engine::Engines;
use crate::support::threads::{self, ThreadError};

/// How many calls' worth of successors a thread may be ahead of the consumer.
const AHEAD: usize = 8;

/// How many states, in lanes, each thread should get in one call.
const PARTS: usize = 4;

/// [`Expander`]s that share the work on states. A single one works on the calling thread, which is also the case once a
/// thread could not be started.
pub(crate) struct ExpanderTeam {
    expanders: Vec<Expander>,
}

impl ExpanderTeam {
    /// Creates a team on the best engines of a game, for `threads` threads, at least one.
    pub(crate) fn new(engines: &Arc<Engines>, threads: usize) -> ExpanderTeam {
        let expanders = (0..threads.max(1)).map(|_| Expander::new(engines));
        ExpanderTeam {
            expanders: expanders.collect(),
        }
    }

    /// Returns the number of words of a state.
    pub(crate) fn words(&self) -> usize {
        self.expanders[0].words()
    }

    /// Returns approximately how many states should be expanded in one call.
    pub(crate) fn lanes(&self) -> usize {
        let lanes = self.expanders[0].lanes();
        match self.expanders.len() {
            1 => lanes,
            threads => PARTS * threads * lanes,
        }
    }

    /// Does the same as [`Expander::goals_at_end`].
    pub(crate) fn goals_at_end(&mut self, state: &[u64]) -> Option<Vec<Option<i32>>> {
        self.expanders[0].goals_at_end(state)
    }

    /// Calls `found` with all successors of these packed states, in the order of
    /// [`Expander::expand`], until it returns false. Returns whether it never did.
    pub(crate) fn expand_while(
        &mut self,
        states: &[u64],
        mut found: impl FnMut(Child<'_>) -> bool,
    ) -> bool {
        if let [expander] = &mut *self.expanders {
            return expander.expand_while(states, found);
        }
        let lanes = self.expanders[0].lanes();
        let parts = states.chunks(lanes * self.words());
        let count = self.expanders.len();
        let together = thread::scope(|scope| {
            let results: Result<Vec<Receiver<Option<Children>>>, ThreadError> =
                (self.expanders.iter_mut().enumerate())
                    .map(|(at, expander)| {
                        let (sender, receiver) = bounded(AHEAD);
                        let parts = parts.clone().skip(at).step_by(count);
                        threads::start_scoped(scope, "expander", move || {
                            for states in parts {
                                let is_wanted = expander.expand_by_lanes(states, |children| {
                                    sender.send(Some(std::mem::take(children))).is_ok()
                                });
                                // `None` marks the end of the successors of a part.
                                if !is_wanted || sender.send(None).is_err() {
                                    return;
                                }
                            }
                        })?;
                        Ok(receiver)
                    })
                    .collect();
            // The threads that were started end, because their results have no receiver.
            let results = threads::or_without(results)?;
            for (part, _) in parts.enumerate() {
                while let Ok(Some(children)) = results[part % count].recv() {
                    let first = part * lanes;
                    let is_wanted = children.iter().all(|child| {
                        let parent = first + child.parent;
                        found(Child { parent, ..child })
                    });
                    if !is_wanted {
                        return Some(false);
                    }
                }
            }
            Some(true)
        });
        together.unwrap_or_else(|| {
            self.expanders.truncate(1);
            self.expanders[0].expand_while(states, found)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::load::{Game, Setup};
    use crate::support::threads::testing::without_threads;

    type Found = (
        usize,
        Vec<usize>,
        Vec<u32>,
        Vec<u64>,
        Option<Vec<Option<i32>>>,
    );

    /// Returns the successors of these states, at most `most` of them.
    fn followers(team: &mut ExpanderTeam, states: &[u64], most: usize) -> (bool, Vec<Found>) {
        let mut all = Vec::new();
        let is_all = team.expand_while(states, |child| {
            all.push((
                child.parent,
                child.counts.to_vec(),
                child.joint.iter().map(|played| played.0).collect(),
                child.state.to_vec(),
                child.goals.map(<[Option<i32>]>::to_vec),
            ));
            all.len() < most
        });
        (is_all, all)
    }

    #[test]
    fn any_number_of_threads_finds_the_same_in_the_same_order() {
        let rules = propjit_gdl::games::text("ticTacToe").unwrap();
        let game = Game::from_text("ticTacToe.kif", rules, &Setup::default()).unwrap();
        let engines = game.engines().unwrap();
        let mut teams = [1, 2, 5].map(|threads| ExpanderTeam::new(engines, threads));
        let mut layer = engines.game().initial().packed(teams[0].words());
        let (mut ends, mut most_parts) = (0, 0);
        while !layer.is_empty() {
            let lanes = teams[0].lanes();
            most_parts = most_parts.max(layer.len() / teams[0].words() / lanes);
            let (is_all, alone) = followers(&mut teams[0], &layer, usize::MAX);
            assert!(is_all);
            // If no threads can be started, they do not share the work.
            let mut lonely = ExpanderTeam::new(engines, 3);
            let found = without_threads(|| followers(&mut lonely, &layer, usize::MAX));
            assert_eq!((found, lonely.expanders.len()), ((true, alone.clone()), 1));
            for team in &mut teams[1..] {
                assert_eq!(followers(team, &layer, usize::MAX), (true, alone.clone()));
                // They end when no more successors are requested.
                let some = alone.len().div_ceil(2).max(1);
                assert_eq!(
                    followers(team, &layer, some),
                    (alone.len() < some, alone[..some.min(alone.len())].to_vec())
                );
            }
            ends += alone.iter().filter(|found| found.4.is_some()).count();
            layer = (alone.iter().filter(|found| found.4.is_none()))
                .flat_map(|found| found.3.clone())
                .collect();
        }
        // The number of matches.
        assert_eq!(ends, 255_168);
        assert!(most_parts > 100, "the parts of each thread are many");
    }
}
