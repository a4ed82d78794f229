//! Ends of matches, and what follows them.

use super::{Block, Finals, choices};
use crate::game::environment::autoreset::Autoreset;
use crate::game::environment::common::Common;
use crate::game::environment::ends::Ends;
use crate::game::environment::outputs::OVER;
use crate::game::environment::packed::words;
use crate::game::environment::worker::Worker;
use crate::game::machine::batch::Batch;
use crate::game::vocabulary::lane_mask::LaneMask;

impl Block {
    /// Rewards players where matches have ended with this step, which was taken in some lanes, and starts others in
    /// those that are due.
    pub(super) fn end(
        &mut self,
        common: &Common,
        worker: &mut Worker,
        lanes: LaneMask,
        ends: Ends,
    ) {
        self.reward(common, worker.batch(), ends);
        let due = self.due(common, lanes, ends);
        if common.keeps_finals && !due.is_empty() {
            self.keep_finals(common, worker.batch());
        }
        self.start(common, worker, due);
        self.finish(common, worker);
    }

    /// Does the same in the midst of random steps, where it does not matter whether a player has a choice.
    pub(super) fn end_soon(&mut self, common: &Common, worker: &mut Worker, ends: Ends) {
        self.reward(common, worker.batch(), ends);
        let due = self.due(common, self.filled, ends);
        self.enter_start(common, worker, due);
        self.bases.copy_from_slice(worker.batch().state_rows());
    }

    /// Returns the lanes in which matches have to be started with this step, which was taken in some lanes.
    fn due(&mut self, common: &Common, lanes: LaneMask, ends: Ends) -> LaneMask {
        let ended = ends.all();
        match common.autoreset {
            Autoreset::SameStep => ended,
            Autoreset::NextStep => {
                let due = self.over.and(lanes);
                self.over = self.over.and_not(lanes).or(ended);
                due
            }
            Autoreset::Disabled => {
                self.over = self.over.or(ended);
                LaneMask::default()
            }
        }
    }

    /// Keeps what is observed in the states in which matches have ended, before others are started there.
    fn keep_finals(&mut self, common: &Common, batch: &mut Batch) {
        // In terminal states, nobody has a choice.
        self.over = self.ends.terminated;
        if !self.ends.truncated.is_empty() || common.shape.observed.is_relative() {
            let choices = choices(common, batch);
            self.find_current(common, &choices);
            self.find_legal(common, batch);
        }
        self.over = LaneMask::default();
        let observations = self.observe(common, batch.state_rows());
        let mut finals = Finals {
            observations,
            legal: self.legal.clone(),
            current: self.current.clone(),
        };
        let words = words(common.shape.actions);
        for lane in self.ends.terminated.lanes() {
            finals.current[lane] = OVER;
            let legal = finals.legal.iter_mut();
            legal.for_each(|legal| legal[lane * words..][..words].fill(0));
        }
        self.finals = Some(finals);
    }

    /// Writes the rewards of the matches that have ended with this step.
    pub(super) fn reward(&mut self, common: &Common, batch: &mut Batch, ends: Ends) {
        self.ends = ends;
        self.rewards.fill(0.0);
        if ends.terminated.is_empty() {
            return;
        }
        let players = common.shape.players.len();
        for (player, &role) in common.shape.players.iter().enumerate() {
            for lane in ends.terminated.lanes() {
                self.rewards[lane * players + player] = f32::NAN;
            }
            batch.for_each_goal(role, ends.terminated, |lane, goal| {
                self.rewards[lane * players + player] = goal as f32;
            });
        }
        for lane in ends.terminated.lanes() {
            let goals = &mut self.rewards[lane * players..][..players];
            common.rewards.to_rewards(goals);
        }
    }
}
