//! Who has which choices, and what is observed.

use propjit_jit::lanes::transpose::{column_words, to_columns};
use propjit_jit::lanes::unpack::to_bytes;

use super::{Block, choices};
use crate::game::environment::common::Common;
use crate::game::environment::observed::Observed;
use crate::game::environment::outputs::{OVER, Outputs, SEVERAL};
use crate::game::environment::packed::{count_ones, words};
use crate::game::environment::shape::Shape;
use crate::game::environment::worker::Worker;
use crate::game::machine::batch::Batch;
use crate::game::vocabulary::lane_mask::LaneMask;

impl Block {
    /// Finds who has which choices, and stores the states.
    pub(super) fn finish(&mut self, common: &Common, worker: &mut Worker) {
        let batch = worker.batch();
        let choices = choices(common, batch);
        self.find_current(common, &choices);
        self.find_legal(common, batch);
        self.bases.copy_from_slice(batch.state_rows());
    }

    /// Finds the current player of each lane.
    pub(super) fn find_current(&mut self, common: &Common, choices: &[(LaneMask, LaneMask)]) {
        let (mut one, mut more) = (LaneMask::default(), LaneMask::default());
        for &(_, several) in choices {
            more = more.or(one.and(several));
            one = one.or(several);
        }
        let going = self.going();
        for (choosing, (_, several)) in self.choosing.iter_mut().zip(choices) {
            *choosing = match common.shape.joint {
                true => several.and(going),
                false => several.and_not(more).and(going),
            };
        }
        match common.shape.players.len() {
            0 | 1 => self.current.fill(0),
            2 => {
                // Two numbers are derived from two bits.
                for (lane, current) in self.current.iter_mut().enumerate() {
                    *current = i32::from(self.choosing[1].contains(lane));
                }
            }
            _ => {
                for (player, choosing) in self.choosing.iter().enumerate() {
                    for lane in choosing.lanes() {
                        self.current[lane] = player as i32;
                    }
                }
            }
        }
        for lane in more.and(going).lanes() {
            self.current[lane] = SEVERAL;
        }
        for lane in self.over.lanes() {
            self.current[lane] = OVER;
        }
    }

    /// Finds the legal actions of each actor.
    pub(super) fn find_legal(&mut self, common: &Common, batch: &mut Batch) {
        let shape = &common.shape;
        let (going, words) = (self.going(), self.width.words());
        for (actor, legal) in self.legal.iter_mut().enumerate() {
            let mut rows = vec![0; shape.actions * words];
            let players = shape.players.iter().zip(&self.choosing).enumerate();
            for (player, (&role, &choosing)) in players {
                let lanes = match shape.joint {
                    true if player == actor => going,
                    true => continue,
                    false => choosing,
                };
                let legal = batch.legal_rows(role);
                let actions = common.game.actions().of_moves(role);
                lanes.add_rows_at(self.width, self.lanes, legal, actions, &mut rows);
            }
            to_columns(self.width, &rows, legal);
        }
    }

    /// Returns what each observer sees in each lane, packed, given the rows of base propositions.
    pub(super) fn observe(&self, common: &Common, bases: &[u64]) -> Vec<Vec<u64>> {
        let shape = &common.shape;
        let observers = 0..shape.observers();
        observers
            .map(|observer| match &shape.observed {
                Observed::State => self.columns(bases, shape.elements),
                _ => self.columns(&self.rows(shape, observer, bases), shape.elements),
            })
            .collect()
    }

    /// Returns a row for each element of the observations of an observer.
    pub(super) fn rows(&self, shape: &Shape, observer: usize, bases: &[u64]) -> Vec<u64> {
        let mut rows = vec![0; shape.elements * self.width.words()];
        for (player, lanes) in self.views(shape, observer) {
            let lanes = lanes.words(self.width);
            match (&shape.observed, &self.perceived) {
                (Observed::Features(features), _) => {
                    features.add_rows(player, lanes, bases, &mut rows);
                }
                (_, Some(perceived)) => {
                    let from = perceived.rows(player).chunks_exact(lanes.len());
                    for (to, from) in rows.chunks_exact_mut(lanes.len()).zip(from) {
                        let words = to.iter_mut().zip(from).zip(lanes);
                        words.for_each(|((to, from), lanes)| *to |= from & lanes);
                    }
                }
                _ => {}
            }
        }
        rows
    }

    /// Returns the players as whom an observer sees the matches, each with its lanes.
    fn views(&self, shape: &Shape, observer: usize) -> Vec<(usize, LaneMask)> {
        if shape.joint || shape.observer.is_some() || !shape.observed.is_relative() {
            return vec![(shape.observer.unwrap_or(observer), self.filled)];
        }
        let mut first = self.filled;
        let mut views: Vec<_> = self.choosing.iter().copied().enumerate().collect();
        for (_, lanes) in &views[1..] {
            first = first.and_not(*lanes);
        }
        views[0].1 = first;
        views
    }

    /// Returns rows as columns of the environments.
    pub(super) fn columns(&self, rows: &[u64], count: usize) -> Vec<u64> {
        let mut columns = vec![0; self.lanes * column_words(count).max(1)];
        to_columns(self.width, rows, &mut columns);
        columns
    }

    /// Writes the outputs of the environments.
    pub(in crate::game::environment) fn write(&self, common: &Common, mut outputs: Outputs<'_>) {
        let shape = &common.shape;
        let observations = self.observe(common, &self.bases);
        let observations: Vec<&[u64]> = observations.iter().map(Vec::as_slice).collect();
        outputs
            .observation
            .write_sets(shape.elements, &observations);
        if shape.actions > 0 {
            let legal: Vec<&[u64]> = self.legal.iter().map(Vec::as_slice).collect();
            to_bytes(&legal, shape.actions, outputs.legal);
        }
        let (actors, words) = (shape.actors(), words(shape.actions));
        for (actor, legal) in self.legal.iter().enumerate() {
            for (lane, legal) in legal.chunks_exact(words).enumerate() {
                outputs.legal_counts[lane * actors + actor] = count_ones(legal) as i32;
            }
        }
        outputs.current.copy_from_slice(&self.current);
        outputs.rewards.copy_from_slice(&self.rewards);
        let ends = [
            (self.ends.terminated, outputs.terminated),
            (self.ends.truncated, outputs.truncated),
        ];
        for (lanes, bytes) in ends {
            let words = &lanes.words(self.width)[..column_words(bytes.len())];
            to_bytes(&[words], bytes.len(), bytes);
        }
        if let (Some(finals), Some(mut to)) = (&self.finals, outputs.finals) {
            let observation_words = column_words(shape.elements);
            for lane in self.ends.all().lanes() {
                let each = finals.observations.iter();
                let each =
                    each.map(|words| &words[lane * observation_words..][..observation_words]);
                to.write_observation(shape, lane, each);
                to.current[lane] = finals.current[lane];
                for (actor, legal) in finals.legal.iter().enumerate() {
                    let legal = &legal[lane * words..][..words];
                    let row = &mut to.legal[(lane * actors + actor) * shape.actions..];
                    to_bytes(
                        &[&legal[..column_words(shape.actions)]],
                        shape.actions,
                        &mut row[..shape.actions],
                    );
                }
            }
        }
    }
}
