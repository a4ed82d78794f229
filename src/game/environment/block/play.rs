//! Steps, with the forced moves after them.

use super::{Block, choices};
use crate::game::environment::common::Common;
use crate::game::environment::ends::Ends;
use crate::game::environment::random_steps::RandomSteps;
use crate::game::environment::shape::Shape;
use crate::game::environment::worker::Worker;
use crate::game::machine::batch::Batch;
use crate::game::vocabulary::lane_mask::LaneMask;

impl Block {
    /// Takes these actions, which were [checked](Block::check), in some lanes; nothing happens in the others.
    pub(in crate::game::environment) fn step(
        &mut self,
        common: &Common,
        worker: &mut Worker,
        actions: &[i32],
        lanes: LaneMask,
    ) {
        let shape = &common.shape;
        worker.enter(self.number, &self.bases, self.lanes);
        let going = self.going().and(lanes);
        for (player, &role) in shape.players.iter().enumerate() {
            // Players without a choice play their only move.
            let choosing = match shape.joint {
                true => going,
                false => self.choosing[player].and(going),
            };
            worker.choose_all(role, going.and_not(choosing), self.lanes);
        }
        let current = &self.current;
        let player = |lane: usize, actor: usize| match shape.joint {
            true => actor,
            false => current[lane] as usize,
        };
        let given = self.each(shape, actions);
        let given = given.filter(|&(lane, ..)| going.contains(lane));
        let chosen = given.map(|(lane, actor, &action)| {
            let role = shape.players[player(lane, actor)];
            let played = common.game.actions().played(role, action as usize);
            (lane, role, played.expect("legal actions are moves"))
        });
        worker.batch().add_moves(chosen);
        self.note_choices(common, worker, going);
        self.play(common, worker, going);
        let ends = self.skip(common, worker, going);
        self.end(common, worker, lanes, ends);
    }

    /// Takes random actions, those without a choice among them, and then goes on to the next choice.
    pub(in crate::game::environment) fn step_random(
        &mut self,
        common: &Common,
        worker: &mut Worker,
        steps: u32,
    ) -> RandomSteps {
        let mut sums = RandomSteps::default();
        for left in (0..steps).rev() {
            // What players have perceived depends on who has had a choice, so that each step is a whole one.
            let is_whole = left == 0 || self.perceived.is_some();
            worker.enter(self.number, &self.bases, self.lanes);
            if left == steps - 1 || is_whole {
                worker.batch().clear_moves();
            }
            let going = self.going();
            for &role in &common.shape.players {
                worker.choose_random(role, going, &mut self.random);
            }
            self.note_choices(common, worker, going);
            self.play(common, worker, going);
            if is_whole {
                let ends = self.skip(common, worker, going);
                self.end(common, worker, self.filled, ends);
            } else {
                let (ends, _) = self.find_ends(common, worker.batch(), going);
                self.end_soon(common, worker, ends);
            }
            sums.add(&self.last_step(&common.shape));
        }
        sums
    }

    /// Returns which matches ended with the last step.
    fn last_step(&self, shape: &Shape) -> RandomSteps {
        let players = shape.players.len();
        let mut rewards = vec![0.0; players];
        for lane in self.ends.terminated.lanes() {
            let goals = &self.rewards[lane * players..][..players];
            let defined = rewards
                .iter_mut()
                .zip(goals)
                .filter(|(_, goal)| !goal.is_nan());
            defined.for_each(|(sum, goal)| *sum += f64::from(*goal));
        }
        RandomSteps {
            terminated: self.ends.terminated.count(),
            truncated: self.ends.truncated.count(),
            rewards,
        }
    }

    /// Returns whether the goals of two players had another sum than before in matches that ended with the last step.
    /// Rewards have to be goals.
    pub(in crate::game::environment) fn has_other_sum(&self, sum: &mut Option<f32>) -> bool {
        let mut terminated = self.ends.terminated.lanes();
        terminated.any(|lane| {
            let found = self.rewards[2 * lane..][..2].iter().sum::<f32>();
            *sum.get_or_insert(found) != found
        })
    }

    /// Notes the moves of the batch that players choose in these lanes, where observations depend on them.
    fn note_choices(&mut self, common: &Common, worker: &mut Worker, lanes: LaneMask) {
        let Some(perceived) = &mut self.perceived else {
            return;
        };
        for (player, &role) in common.shape.players.iter().enumerate() {
            let choosing = self.choosing[player].and(lanes);
            let (_, chosen) = worker.batch().legal_and_chosen_rows(role);
            let actions = common.game.actions().of_moves(role);
            perceived.choose(player, actions, chosen, choosing);
        }
    }

    /// Makes the moves that players have chosen in these lanes, with those of chance.
    fn play(&mut self, common: &Common, worker: &mut Worker, lanes: LaneMask) {
        let shape = &common.shape;
        if let Some(random) = shape.random {
            worker.choose_random(random, lanes, &mut self.random);
        }
        let batch = worker.batch();
        if let Some(perceived) = &mut self.perceived {
            perceived.perceive(&shape.players, batch, lanes);
        }
        batch.advance(lanes);
        match lanes == self.filled {
            true => self.ages.iter_mut().for_each(|age| *age += 1),
            false => lanes.lanes().for_each(|lane| self.ages[lane] += 1),
        }
    }

    /// Plays forced moves in these lanes until a player has a choice or the match ends, and returns the ends.
    pub(super) fn skip(
        &mut self,
        common: &Common,
        worker: &mut Worker,
        mut lanes: LaneMask,
    ) -> Ends {
        let mut ends = Ends::default();
        loop {
            let (ended, choosing) = self.find_ends(common, worker.batch(), lanes);
            ends = ends.or(ended);
            lanes = lanes.and_not(ended.all()).and_not(choosing);
            if lanes.is_empty() {
                return ends;
            }
            for &role in &common.shape.players {
                worker.choose_all(role, lanes, self.lanes);
            }
            self.play(common, worker, lanes);
        }
    }

    /// Finds the matches among these lanes that have ended, and the lanes in which a player has a choice.
    fn find_ends(&self, common: &Common, batch: &mut Batch, lanes: LaneMask) -> (Ends, LaneMask) {
        let shape = &common.shape;
        let (mut stuck, mut choosing) = (LaneMask::default(), LaneMask::default());
        for (some, several) in choices(common, batch) {
            stuck = stuck.or(lanes.and_not(some));
            choosing = choosing.or(several);
        }
        if let Some(random) = shape.random {
            stuck = stuck.or(lanes.and_not(batch.choices(random).0));
        }
        let terminated = batch.terminal().and(lanes);
        let old = self.old(common.max_steps).and(lanes);
        let ends = Ends {
            terminated,
            truncated: old.or(stuck).and_not(terminated),
        };
        (ends, choosing)
    }

    /// Returns the lanes in which the match has reached the limit of joint moves.
    fn old(&self, max_steps: u32) -> LaneMask {
        let mut old = LaneMask::default();
        let oldest = self.ages.iter().copied().max();
        if oldest.is_some_and(|oldest| oldest >= max_steps) {
            let ages = self.ages.iter().enumerate();
            ages.filter(|(_, age)| **age >= max_steps)
                .for_each(|(lane, _)| old.insert(lane));
        }
        old
    }
}
