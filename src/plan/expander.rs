//! All states that follow from others, found in lanes.

use std::sync::Arc;

use crate::engine::{EngineSubscription, Engines, MatchEngines, PlayoutPolicy};
use crate::machine::Move;
use crate::machine::batch::Batch;

use super::ROLE;

/// Finds what follows from states, by every legal move of the only role.
pub(super) struct Expander {
    batch: Batch,
    subscription: EngineSubscription,
    /// The lanes of states, and legal moves there.
    legal: Vec<(usize, Move)>,
    /// Packed states, one after the other.
    entered: Vec<u64>,
    played: Vec<Move>,
}

/// What follows from a move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child<'a> {
    /// The place of the state in which it was made.
    pub(super) parent: usize,
    /// The move.
    pub(super) played: Move,
    /// The words of the state that follows.
    pub(super) state: &'a [u64],
    /// The goal there if the match is over.
    pub(super) goal: Option<i32>,
}

impl Expander {
    /// On the best engines of a game.
    pub(super) fn new(engines: &Arc<Engines>) -> Expander {
        let mut subscription = MatchEngines::new(engines.clone()).subscribe(PlayoutPolicy::Uniform);
        Expander {
            batch: Batch::new(engines.game().clone(), subscription.current()),
            subscription,
            legal: Vec::new(),
            entered: Vec::new(),
            played: Vec::new(),
        }
    }

    /// The number of words of a state.
    pub(super) fn words(&self) -> usize {
        self.batch.state_words()
    }

    /// About how many states should be expanded in one call.
    pub(super) fn lanes(&self) -> usize {
        self.batch.lanes()
    }

    /// The goal in a state if the match is over there. Ends without a goal count as 0.
    pub(super) fn goal_at_end(&mut self, state: &[u64]) -> Option<i32> {
        self.batch.enter_packed(state);
        let is_over = self.batch.terminal().contains(0);
        is_over.then(|| self.batch.goal(ROLE, 0).unwrap_or(0))
    }

    /// Calls `found` with all that follows from these packed states.
    pub(super) fn expand(&mut self, states: &[u64], mut found: impl FnMut(Child<'_>)) {
        if let Some(engine) = self.subscription.poll() {
            self.batch.switch(engine);
        }
        let (words, lanes) = (self.words(), self.lanes());
        for (first, states) in (0..).step_by(lanes).zip(states.chunks(lanes * words)) {
            self.legal.clear();
            let legal = &mut self.legal;
            self.batch.enter_packed(states);
            self.batch
                .for_each_legal(ROLE, |lane, played| legal.push((lane, played)));
            for legal in self.legal.chunks(lanes) {
                self.entered.clear();
                self.played.clear();
                for &(lane, played) in legal {
                    let state = &states[lane * words..][..words];
                    self.entered.extend_from_slice(state);
                    self.played.push(played);
                }
                self.batch.enter_packed(&self.entered);
                self.batch.play(&self.played);
                self.batch.advance(self.batch.filled());
                let terminal = self.batch.terminal();
                let goal = |lane| {
                    let goal = || self.batch.goal(ROLE, lane).unwrap_or(0);
                    terminal.contains(lane).then(goal)
                };
                let goals: Vec<Option<i32>> = (0..legal.len()).map(goal).collect();
                let after = self.batch.states().chunks_exact(words);
                for ((&(lane, played), state), goal) in legal.iter().zip(after).zip(goals) {
                    found(Child {
                        parent: first + lane,
                        played,
                        state,
                        goal,
                    });
                }
            }
        }
    }
}
