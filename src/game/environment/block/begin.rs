//! Beginnings of matches, up to the first choice.

use super::Block;
use crate::game::environment::autoreset::Autoreset;
use crate::game::environment::common::Common;
use crate::game::environment::ends::Ends;
use crate::game::environment::worker::Worker;
use crate::game::machine::State;
use crate::game::vocabulary::lane_mask::LaneMask;
use propjit_jit::lanes::random::LaneRandom;

/// How often a match is started anew at most to find out whether a player has a choice.
const ATTEMPTS: usize = 1000;

impl Block {
    /// Starts a match in each of these lanes. With a seed, random choices depend on it from now on.
    pub(in crate::game::environment) fn reset(
        &mut self,
        common: &Common,
        worker: &mut Worker,
        seed: Option<u64>,
        lanes: LaneMask,
    ) {
        if let Some(seed) = seed {
            self.random = LaneRandom::new(seed);
        }
        worker.enter(self.number, &self.bases, self.lanes);
        let lanes = lanes.and(self.filled);
        self.forget_step(lanes);
        self.start(common, worker, lanes);
        self.finish(common, worker);
    }

    /// Continues from these states, which are not terminal, in some lanes. Where no player has a choice, forced moves
    /// are played.
    pub(in crate::game::environment) fn set_states(
        &mut self,
        common: &Common,
        worker: &mut Worker,
        states: &[(usize, &State)],
    ) {
        let batch = worker.enter(self.number, &self.bases, self.lanes);
        let mut lanes = LaneMask::default();
        for &(lane, state) in states {
            let mut one = LaneMask::default();
            one.insert(lane);
            batch.replace(one, state);
            lanes = lanes.or(one);
        }
        self.forget_step(lanes);
        self.begin(lanes, 0);
        let ends = self.skip(common, worker, lanes);
        self.reward(common, worker.batch(), ends);
        match common.autoreset {
            Autoreset::SameStep => self.start(common, worker, ends.all()),
            Autoreset::NextStep | Autoreset::Disabled => self.over = self.over.or(ends.all()),
        }
        self.finish(common, worker);
    }

    /// Forgets how the matches in these lanes ended, and all rewards of the last step.
    pub(super) fn forget_step(&mut self, lanes: LaneMask) {
        self.rewards.fill(0.0);
        self.ends = Ends::default();
        self.over = self.over.and_not(lanes);
    }

    /// Starts a match in each of these lanes, up to the first choice. One that ends before that is followed by another
    /// one.
    pub(super) fn start(&mut self, common: &Common, worker: &mut Worker, mut lanes: LaneMask) {
        while !lanes.is_empty() {
            lanes = self.start_once(common, worker, lanes);
        }
    }

    /// Does the same, and returns the lanes in which the match has ended before a player has had a choice.
    fn start_once(&mut self, common: &Common, worker: &mut Worker, lanes: LaneMask) -> LaneMask {
        self.enter_start(common, worker, lanes);
        match common.start.has_choice {
            true => LaneMask::default(),
            false => self.skip(common, worker, lanes).all(),
        }
    }

    /// Returns whether matches come to a choice of a player, within some attempts in each lane.
    pub(in crate::game::environment) fn can_start(
        &mut self,
        common: &Common,
        worker: &mut Worker,
    ) -> bool {
        worker.enter(self.number, &self.bases, self.lanes);
        let mut lanes = self.filled;
        let mut attempts = (0..ATTEMPTS).take_while(|_| {
            lanes = self.start_once(common, worker, lanes);
            !lanes.is_empty()
        });
        attempts.by_ref().for_each(drop);
        lanes.is_empty()
    }

    /// Enters the state in which matches start, in these lanes.
    pub(super) fn enter_start(&mut self, common: &Common, worker: &mut Worker, lanes: LaneMask) {
        if !lanes.is_empty() {
            worker.batch().replace(lanes, &common.start.state);
            self.begin(lanes, common.start.age);
        }
    }

    /// Notes that matches in these lanes are new, after this number of joint moves.
    pub(super) fn begin(&mut self, lanes: LaneMask, age: u32) {
        lanes.lanes().for_each(|lane| self.ages[lane] = age);
        if let Some(perceived) = &mut self.perceived {
            perceived.clear(lanes);
        }
    }
}
