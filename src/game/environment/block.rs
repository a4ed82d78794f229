//! Blocks of environments: as many as an engine has lanes.

use std::collections::TryReserveError;

use propjit_jit::lanes::Width;
use propjit_jit::lanes::random::LaneRandom;
use propjit_jit::lanes::transpose::{column_words, to_columns};
use propjit_jit::lanes::unpack::to_bytes;
use rand::Rng;

use super::action_error::ActionError;
use super::common::Common;
use super::memory::filled;
use super::outputs::Outputs;
use super::packed::{contains, count_ones, nth_one, words};
use super::random_steps::RandomSteps;
use super::shape::Shape;
use super::worker::Worker;
use crate::game::machine::batch::Batch;
use crate::game::machine::{RoleId, State};
use crate::game::vocabulary::lane_mask::LaneMask;
use crate::game::vocabulary::state::ones;
use crate::support::rng::GameRng;

/// Environments, one per lane, from the first on.
pub(super) struct Block {
    /// Different for each block.
    number: usize,
    width: Width,
    /// The lanes that are environments.
    filled: LaneMask,
    lanes: usize,
    /// A row for each base proposition.
    bases: Vec<u64>,
    /// The number of joint moves of each lane's match.
    ages: Vec<u32>,
    random: LaneRandom,
    /// For each player, the lanes in which it is the current one.
    choosing: Vec<LaneMask>,
    /// The current player of each lane; -1 where several have a choice.
    current: Vec<i32>,
    /// For each actor, its legal actions in each lane, packed.
    legal: Vec<Vec<u64>>,
    rewards: Vec<f32>,
    terminated: LaneMask,
    truncated: LaneMask,
}

/// The current player where several have a choice.
const SEVERAL: i32 = -1;

impl Block {
    /// Creates environments in this number of lanes, to be [reset](Block::reset).
    ///
    /// # Errors
    /// When there is no memory for them.
    pub(super) fn new(
        number: usize,
        lanes: usize,
        width: Width,
        shape: &Shape,
    ) -> Result<Block, TryReserveError> {
        let players = shape.players.len();
        let legal = (0..shape.actors()).map(|_| filled(0, lanes * words(shape.actions)));
        Ok(Block {
            number,
            width,
            filled: LaneMask::first(lanes),
            lanes,
            bases: filled(0, shape.propositions * width.words())?,
            ages: filled(0, lanes)?,
            random: LaneRandom::new(0),
            choosing: filled(LaneMask::default(), players)?,
            current: filled(0, lanes)?,
            legal: legal.collect::<Result<_, _>>()?,
            rewards: filled(0.0, lanes * players)?,
            terminated: LaneMask::default(),
            truncated: LaneMask::default(),
        })
    }

    /// Returns approximately how many bytes a block with all lanes filled takes.
    pub(super) fn bytes(width: Width, shape: &Shape) -> usize {
        let players = shape.players.len();
        let rows = shape.propositions * width.words()
            + width.lanes() * shape.actors() * words(shape.actions);
        let numbers = width.lanes() * (2 + players);
        let masks = players * size_of::<LaneMask>();
        size_of::<Block>() + rows * size_of::<u64>() + numbers * size_of::<u32>() + masks
    }

    /// Returns the number of environments.
    pub(super) fn len(&self) -> usize {
        self.lanes
    }

    /// Returns the lanes in which several players have a choice.
    pub(super) fn has_several(&self) -> bool {
        self.current.contains(&SEVERAL)
    }

    /// Starts a match in each lane.
    pub(super) fn reset(&mut self, common: &Common, worker: &mut Worker, rng: &mut GameRng) {
        self.random = LaneRandom::new(rng.next_u64());
        worker.restart(LaneMask::all(self.width), &mut self.bases);
        self.ages.fill(0);
        self.rewards.fill(0.0);
        (self.terminated, self.truncated) = Default::default();
        let batch = worker.enter(self.number, &self.bases, self.lanes);
        let choices = choices(common, batch);
        self.find_current(common, &choices);
        self.find_legal(common, batch);
    }

    /// Returns the player that an actor of a lane is: its number among the players.
    ///
    /// # Errors
    /// If there are several.
    fn player(&self, shape: &Shape, lane: usize, actor: usize) -> Result<usize, ActionError> {
        match (shape.joint, self.current[lane]) {
            (true, _) => Ok(actor),
            (false, SEVERAL) => Err(ActionError::Joint { environment: lane }),
            (false, player) => Ok(player as usize),
        }
    }

    /// Returns the packed legal actions of an actor.
    fn legal_of(&self, shape: &Shape, lane: usize, actor: usize) -> &[u64] {
        let words = words(shape.actions);
        &self.legal[actor][lane * words..][..words]
    }

    /// Checks that the actions are legal; they are given lane after lane. The environment in an
    /// error is the lane.
    pub(super) fn check(
        &self,
        common: &Common,
        names: &[String],
        actions: &[i32],
    ) -> Result<(), ActionError> {
        let shape = &common.shape;
        self.each(shape, actions)
            .try_for_each(|(lane, actor, &action)| {
                let player = self.player(shape, lane, actor)?;
                let legal = self.legal_of(shape, lane, actor);
                match usize::try_from(action).is_ok_and(|action| contains(legal, action)) {
                    true => Ok(()),
                    false => Err(ActionError::Illegal {
                        environment: lane,
                        player: names[shape.players[player].index()].clone(),
                        action,
                    }),
                }
            })
    }

    /// Writes the actions that have these ranks, from 0, among the legal ones. The environment in
    /// an error is the lane.
    pub(super) fn nth_legal(
        &self,
        common: &Common,
        names: &[String],
        ranks: &[i32],
        actions: &mut [i32],
    ) -> Result<(), ActionError> {
        let shape = &common.shape;
        let mut ranked = self.each(shape, ranks).zip(actions);
        ranked.try_for_each(|((lane, actor, &rank), action)| {
            let player = self.player(shape, lane, actor)?;
            let legal = self.legal_of(shape, lane, actor);
            let found = u32::try_from(rank)
                .ok()
                .and_then(|rank| nth_one(legal, rank));
            *action = found.ok_or_else(|| ActionError::Rank {
                environment: lane,
                player: names[shape.players[player].index()].clone(),
                rank,
                count: count_ones(legal),
            })?;
            Ok(())
        })
    }

    /// Iterates over the lanes and actors, each with the value given for it.
    fn each<'a, T>(
        &self,
        shape: &Shape,
        given: &'a [T],
    ) -> impl Iterator<Item = (usize, usize, &'a T)> + use<'a, T> {
        let actors = shape.actors();
        let (mut lane, mut actor) = (0, 0);
        given.iter().map(move |given| {
            let of = (lane, actor, given);
            actor += 1;
            if actor == actors {
                (lane, actor) = (lane + 1, 0);
            }
            of
        })
    }

    /// Takes these actions, which were [checked](Block::check).
    pub(super) fn step(&mut self, common: &Common, worker: &mut Worker, actions: &[i32]) {
        let shape = &common.shape;
        worker.enter(self.number, &self.bases, self.lanes);
        for (&role, &choosing) in shape.players.iter().zip(&self.choosing) {
            // Players without a choice play their only move.
            let forced = match shape.joint {
                true => LaneMask::default(),
                false => self.filled.and_not(choosing),
            };
            worker.choose_all(role, forced, self.lanes);
        }
        if let Some(random) = shape.random {
            worker.choose_random(random, self.filled, &mut self.random);
        }
        let current = &self.current;
        let chosen = self.each(shape, actions).map(|(lane, actor, &action)| {
            let player = match shape.joint {
                true => actor,
                false => current[lane] as usize,
            };
            let role = shape.players[player];
            let played = common.game.actions().played(role, action as usize);
            (lane, role, played.expect("legal actions are moves"))
        });
        worker.batch().add_moves(chosen);
        self.advance(common, worker.batch());
        // While the values of states in which matches have ended are still there.
        self.find_legal(common, worker.batch());
        worker.restart(self.ended(), &mut self.bases);
    }

    /// Takes random actions.
    pub(super) fn step_random(
        &mut self,
        common: &Common,
        worker: &mut Worker,
        steps: u32,
    ) -> RandomSteps {
        let mut sums = RandomSteps::default();
        worker.batch().clear_moves();
        for _ in 0..steps {
            worker.enter(self.number, &self.bases, self.lanes);
            for role in RoleId::first(common.game.roles().len()) {
                worker.choose_random(role, self.filled, &mut self.random);
            }
            self.advance(common, worker.batch());
            worker.restart(self.ended(), &mut self.bases);
            sums.add(&self.last_step(&common.shape));
        }
        let batch = worker.enter(self.number, &self.bases, self.lanes);
        self.find_legal(common, batch);
        sums
    }

    /// Returns which matches ended with the last step.
    fn last_step(&self, shape: &Shape) -> RandomSteps {
        let players = shape.players.len();
        let mut rewards = vec![0.0; players];
        for lane in self.terminated.lanes() {
            let goals = &self.rewards[lane * players..][..players];
            let defined = rewards
                .iter_mut()
                .zip(goals)
                .filter(|(_, goal)| !goal.is_nan());
            defined.for_each(|(sum, goal)| *sum += f64::from(*goal));
        }
        RandomSteps {
            terminated: self.terminated.count(),
            truncated: self.truncated.count(),
            rewards,
        }
    }

    /// Makes the chosen moves and ends matches; others have to be started in their place.
    fn advance(&mut self, common: &Common, batch: &mut Batch) {
        batch.advance(self.filled);
        let shape = &common.shape;
        let mut choices = choices(common, batch);
        let mut stuck = LaneMask::default();
        for &(some, _) in &choices {
            stuck = stuck.or(self.filled.and_not(some));
        }
        if let Some(random) = shape.random {
            stuck = stuck.or(self.filled.and_not(batch.choices(random).0));
        }
        self.terminated = batch.terminal();
        let old = self.grow_old(common.max_steps);
        self.truncated = old.or(stuck).and_not(self.terminated);
        self.rewards.fill(0.0);
        if !self.terminated.is_empty() {
            self.reward(shape, batch);
        }
        let ended = self.ended();
        for lane in ended.lanes() {
            self.ages[lane] = 0;
        }
        for ((_, several), fresh) in choices.iter_mut().zip(&common.fresh_legal) {
            let fresh = match count_ones(fresh) > 1 {
                true => ended,
                false => LaneMask::default(),
            };
            *several = several.and_not(ended).or(fresh);
        }
        self.find_current(common, &choices);
    }

    /// Returns the lanes in which the match has ended with the last step.
    fn ended(&self) -> LaneMask {
        self.terminated.or(self.truncated)
    }

    /// Counts a joint move in each lane, and returns the lanes that have reached the limit.
    fn grow_old(&mut self, max_steps: u32) -> LaneMask {
        let mut oldest = 0;
        for age in &mut self.ages {
            *age += 1;
            oldest = oldest.max(*age);
        }
        let mut old = LaneMask::default();
        if oldest >= max_steps {
            let ages = self.ages.iter().enumerate();
            ages.filter(|(_, age)| **age >= max_steps)
                .for_each(|(lane, _)| old.insert(lane));
        }
        old
    }

    /// Writes the goals of the matches that have ended in a terminal state.
    fn reward(&mut self, shape: &Shape, batch: &mut Batch) {
        let players = shape.players.len();
        for (player, &role) in shape.players.iter().enumerate() {
            for lane in self.terminated.lanes() {
                self.rewards[lane * players + player] = f32::NAN;
            }
            batch.for_each_goal(role, self.terminated, |lane, goal| {
                self.rewards[lane * players + player] = goal as f32;
            });
        }
    }

    /// Finds the current player of each lane.
    fn find_current(&mut self, common: &Common, choices: &[(LaneMask, LaneMask)]) {
        let (mut one, mut more) = (LaneMask::default(), LaneMask::default());
        for &(_, several) in choices {
            more = more.or(one.and(several));
            one = one.or(several);
        }
        let nobody = self.filled.and_not(one);
        for (player, (choosing, (_, several))) in self.choosing.iter_mut().zip(choices).enumerate()
        {
            let nobody = if player == 0 {
                nobody
            } else {
                LaneMask::default()
            };
            *choosing = several.and_not(more).or(nobody).and(self.filled);
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
        for lane in more.and(self.filled).lanes() {
            self.current[lane] = SEVERAL;
        }
    }

    /// Finds the legal actions of each actor. Where matches have ended, the batch may have their last
    /// states, but the legal actions at the start are known.
    fn find_legal(&mut self, common: &Common, batch: &mut Batch) {
        let shape = &common.shape;
        let ended = self.ended();
        let words = self.width.words();
        for (actor, legal) in self.legal.iter_mut().enumerate() {
            let mut rows = vec![0; shape.actions * words];
            let players = shape.players.iter().zip(&self.choosing).enumerate();
            for (player, (&role, &choosing)) in players {
                let lanes = match shape.joint {
                    true if player == actor => self.filled,
                    true => continue,
                    false => choosing,
                };
                let going = lanes.and_not(ended);
                let legal = batch.legal_rows(role);
                let actions = common.game.actions().of_moves(role);
                going.add_rows_at(self.width, self.lanes, legal, actions, &mut rows);
                let fresh = lanes.and(ended);
                if !fresh.is_empty() {
                    for action in ones(common.fresh_legal[player].iter().copied()) {
                        let row = &mut rows[action * words..][..words];
                        let fresh = fresh.words(self.width).iter();
                        row.iter_mut()
                            .zip(fresh)
                            .for_each(|(row, fresh)| *row |= fresh);
                    }
                }
            }
            to_columns(self.width, &rows, legal);
        }
    }

    /// Writes the outputs of the environments.
    pub(super) fn write(&self, common: &Common, mut outputs: Outputs<'_>) {
        let shape = &common.shape;
        let states = self.states(shape);
        outputs.observation.write(shape.propositions, &states);
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
            (self.terminated, outputs.terminated),
            (self.truncated, outputs.truncated),
        ];
        for (lanes, bytes) in ends {
            let words = &lanes.words(self.width)[..column_words(bytes.len())];
            to_bytes(&[words], bytes.len(), bytes);
        }
    }

    /// Returns the states, packed.
    fn states(&self, shape: &Shape) -> Vec<u64> {
        let words = column_words(shape.propositions).max(1);
        let mut states = vec![0; self.lanes * words];
        to_columns(self.width, &self.bases, &mut states);
        states
    }

    /// Returns the state in a lane.
    pub(super) fn state(&self, lane: usize) -> State {
        let rows = self.bases.chunks_exact(self.width.words()).enumerate();
        let holding = rows.filter(|(_, row)| row[lane / 64] >> (lane % 64) & 1 == 1);
        holding.map(|(proposition, _)| proposition).collect()
    }
}

/// Returns, for each player, the lanes in which it has a legal move, and those in which it has
/// several.
fn choices(common: &Common, batch: &mut Batch) -> Vec<(LaneMask, LaneMask)> {
    let players = common.shape.players.iter();
    players.map(|&role| batch.choices(role)).collect()
}
