//! Random matches in the lanes of a batch, with observable steps.

use rand::RngExt;

use super::batch::Batch;
use super::{Move, RoleId, State};
use crate::game::vocabulary::lane_mask::LaneMask;
use crate::support::rng::GameRng;

/// Plays random matches from the initial state in each lane of a [`Batch`], one after the other.
#[derive(Debug)]
pub struct RandomBatch {
    batch: Batch,
    rng: GameRng,
    /// The state in each lane.
    states: Vec<State>,
    /// The legal moves of a role in each lane.
    legal: Vec<Vec<Move>>,
    /// The packed states after a step.
    next: Vec<u64>,
}

/// A step of all lanes.
#[derive(Debug)]
pub struct BatchStep<'a> {
    /// The batch, which has the states after the step.
    pub batch: &'a mut Batch,
    /// The states before.
    pub before: &'a [State],
    /// The packed states after, one after the other: meaningless in lanes that are stuck.
    pub after: &'a [u64],
    /// The lanes in which the step ended the match in a terminal state.
    pub terminal: LaneMask,
    /// The lanes in which a role had no legal move.
    pub stuck: LaneMask,
}

impl RandomBatch {
    /// Begins a match in each lane.
    pub fn new(batch: Batch, rng: GameRng) -> RandomBatch {
        RandomBatch {
            states: vec![batch.game().initial().clone(); batch.lanes()],
            legal: vec![Vec::new(); batch.lanes()],
            next: Vec::new(),
            batch,
            rng,
        }
    }

    /// Makes a joint move in each lane and calls `watch`; where the match is over then, the next one
    /// begins. Returns false, without a call, if no match can go on.
    pub fn step(&mut self, watch: impl FnOnce(BatchStep<'_>)) -> bool {
        let batch = &mut self.batch;
        batch.enter(&self.states);
        let filled = batch.filled();
        // Only the initial state can be terminal.
        if batch.terminal() == filled {
            return false;
        }
        let mut stuck = LaneMask::default();
        let roles = batch.game().roles().len();
        let mut joints = vec![Move(0); roles * self.states.len()];
        for role in RoleId::first(roles) {
            self.legal.iter_mut().for_each(Vec::clear);
            batch.for_each_legal(role, |lane, legal| self.legal[lane].push(legal));
            for (lane, legal) in self.legal.iter().enumerate() {
                match legal[..] {
                    [] => stuck.insert(lane),
                    _ => {
                        let chosen = legal[self.rng.random_range(0..legal.len())];
                        joints[lane * roles + role.index()] = chosen;
                    }
                }
            }
        }
        if stuck == filled {
            return false;
        }
        batch.play(&joints);
        batch.advance(filled);
        let terminal = batch.terminal().and_not(stuck);
        self.next.clear();
        batch.add_states(&mut self.next);
        watch(BatchStep {
            batch,
            before: &self.states,
            after: &self.next,
            terminal,
            stuck,
        });
        let words = self.batch.state_words();
        let next = self.next.chunks_exact(words).enumerate();
        for ((lane, next), state) in next.zip(&mut self.states) {
            match terminal.or(stuck).contains(lane) {
                true => state.clone_from(self.batch.game().initial()),
                false => state.assign(next),
            }
        }
        true
    }
}
