//! Environments of a block to be stored.

use propjit_jit::lanes::random::LaneRandom;
use propjit_jit::lanes::transpose::{column_words, to_rows};

use super::Block;
use crate::game::environment::common::Common;
use crate::game::environment::saved::Saved;
use crate::game::environment::worker::Worker;

impl Block {
    /// Adds the state of each environment, packed, and what players have perceived there.
    pub(in crate::game::environment) fn save(&self, common: &Common, saved: &mut Saved) {
        let bases = common.game.layout().bases.len();
        saved.states.extend(self.columns(&self.bases, bases));
        saved.ages.extend(&self.ages);
        saved
            .over
            .extend((0..self.lanes).map(|lane| self.over.contains(lane)));
        if let Some(perceived) = &self.perceived {
            for (player, packed) in saved.perceived.iter_mut().enumerate() {
                packed.extend(self.columns(perceived.rows(player), common.shape.elements));
            }
        }
        if self.number == 0 {
            let mut seed = [0];
            self.random.clone().fill(&mut seed);
            [saved.seed] = seed;
        }
    }

    /// Takes the same from what was saved of all environments, of which these are those from `first` on. There is a
    /// seed for random choices from now on.
    pub(in crate::game::environment) fn load(
        &mut self,
        common: &Common,
        worker: &mut Worker,
        saved: &Saved,
        first: usize,
        seed: u64,
    ) {
        self.random = LaneRandom::new(seed);
        let bases = common.game.layout().bases.len();
        self.bases = self.rows_of(&saved.states, bases, first);
        self.ages
            .copy_from_slice(&saved.ages[first..][..self.lanes]);
        self.forget_step(self.filled);
        let over = saved.over[first..][..self.lanes].iter().enumerate();
        let over = over.filter(|(_, is_over)| **is_over);
        over.for_each(|(lane, _)| self.over.insert(lane));
        if let Some(mut perceived) = self.perceived.take() {
            for (player, packed) in saved.perceived.iter().enumerate() {
                let rows = self.rows_of(packed, common.shape.elements, first);
                perceived.set_rows(player, rows);
            }
            self.perceived = Some(perceived);
        }
        worker.free_batch();
        worker.enter(self.number, &self.bases, self.lanes);
        self.finish(common, worker);
    }

    /// Returns the columns of the environments, which are those from `first` on, as rows.
    fn rows_of(&self, columns: &[u64], count: usize, first: usize) -> Vec<u64> {
        let words = column_words(count).max(1);
        let mut rows = vec![0; count * self.width.words()];
        to_rows(
            self.width,
            &columns[first * words..][..self.lanes * words],
            &mut rows,
        );
        rows
    }
}
