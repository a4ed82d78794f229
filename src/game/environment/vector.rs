//! Vectorised environments, on several threads.

use std::collections::TryReserveError;
use std::fmt;
use std::sync::Arc;

use propjit_jit::lanes::Width;
use propjit_jit::lanes::transpose::column_words;
use propjit_jit::memory::is_available;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::action_error::ActionError;
use super::autoreset::Autoreset;
use super::block::Block;
use super::common::Common;
use super::config::{EnvironmentConfig, EnvironmentError};
use super::memory::with_room;
use super::outputs::Outputs;
use super::probe::Probe;
use super::random_steps::RandomSteps;
use super::rewards::{RewardRule, Rewards};
use super::saved::Saved;
use super::shape::Shape;
use super::start::Start;
use super::worker::Worker;
use crate::game::engine::Engines;
use crate::game::ground::GroundGame;
use crate::game::machine::State;
use crate::game::vocabulary::lane_mask::LaneMask;
use crate::support::rng::streams;
use rand::Rng;

/// Many matches of a game, played step by step. See the [module](super).
///
/// In each environment a player has a choice, or several have: moves without a choice are played without asking.
/// What follows a match that ends is a matter of [`Autoreset`](super::Autoreset).
pub struct VectorEnvironment {
    common: Common,
    blocks: Vec<Block>,
    /// One for each thread.
    workers: Vec<Worker>,
    /// The threads, if there are several.
    pool: Option<ThreadPool>,
}

/// The blocks of one thread, with their inputs and outputs.
struct Share<'a> {
    worker: &'a mut Worker,
    blocks: &'a mut [Block],
    actions: &'a [i32],
    outputs: Option<Outputs<'a>>,
}

impl VectorEnvironment {
    /// Creates environments at the start of a match, with the seed 0.
    ///
    /// # Errors
    /// If the [configuration](EnvironmentConfig::check) is not possible, there is no memory for the environments, the
    /// threads cannot be started, or no player has a choice before a match ends.
    pub fn new(
        engines: &Arc<Engines>,
        config: &EnvironmentConfig,
    ) -> Result<VectorEnvironment, EnvironmentError> {
        config.check(engines.game())?;
        let mut worker = Worker::new(engines);
        let environments = config.environments;
        let refused = |threads, bytes| EnvironmentError::Memory {
            environments,
            threads,
            bytes,
        };
        let mut common = common(&mut worker, config)?;
        let no_choice = || EnvironmentError::NoChoice {
            max_steps: config.max_steps,
        };
        let probe = Probe::run(&common, &mut worker, &config.stop);
        let probe = probe.map_err(|_| refused(1, worker.bytes()))?;
        let probe = probe.ok_or_else(no_choice)?;
        common.shape.environments = environments;
        common.shape.joint = config.joint.unwrap_or(probe.is_joint);
        let kind = config.rewards.unwrap_or(match common.shape.players.len() {
            2 if !probe.sums_differ => Rewards::ZeroSum,
            _ => Rewards::Goals,
        });
        common.rewards = common.rewards.with(kind, probe.sum);
        common.autoreset = config.autoreset;
        common.keeps_finals = config.finals && config.autoreset == Autoreset::SameStep;
        let (width, game) = (worker.width(), worker.game().clone());
        let count = environments.div_ceil(width.lanes());
        let threads = config.threads.clamp(1, count);
        let bytes = count.saturating_mul(Block::bytes(width, &game, &common.shape));
        let bytes = bytes.saturating_add(threads.saturating_mul(worker.bytes()));
        // Systems that overcommit memory grant many small allocations, though they would refuse their
        // sum.
        if !is_available(bytes) {
            return Err(refused(threads, bytes));
        }
        let blocks = blocks(environments, width, &game, &common.shape);
        let blocks = blocks.map_err(|_| refused(threads, bytes))?;
        let pool = pool(threads)?;
        let others = (1..threads).map(|_| Worker::new(engines));
        let mut environment = VectorEnvironment {
            workers: std::iter::once(worker).chain(others).collect(),
            common,
            blocks,
            pool,
        };
        environment.restart(Some(0), None);
        Ok(environment)
    }

    /// Continues with new threads, and with engines of the same game loaded again: for a process
    /// forked from the one in which the environments were made, which does not have the threads of
    /// its parent.
    ///
    /// # Errors
    /// If the threads cannot be started; then nothing has changed.
    ///
    /// # Panics
    /// If the sizes show that it is another game.
    pub fn renew(&mut self, engines: &Arc<Engines>) -> Result<(), EnvironmentError> {
        let (shape, game) = (self.shape(), engines.game());
        let of_game = Shape::new(
            game,
            shape.environments,
            shape.joint,
            shape.observed.clone(),
        );
        assert_eq!(*shape, of_game, "the game is the same");
        let threads = self.workers.len();
        // A pool without its threads cannot be shut down.
        std::mem::forget(std::mem::replace(&mut self.pool, pool(threads)?));
        self.workers = (0..threads).map(|_| Worker::new(engines)).collect();
        self.common.game = engines.game().clone();
        Ok(())
    }

    /// Returns the sizes of arrays, and the players.
    pub fn shape(&self) -> &Shape {
        &self.common.shape
    }

    /// Returns the game.
    pub fn game(&self) -> &Arc<GroundGame> {
        &self.common.game
    }

    /// Returns what players are rewarded with.
    pub fn rewards(&self) -> &RewardRule {
        &self.common.rewards
    }

    /// Starts a match in each environment, or in those of a mask. The [seed](crate::support::rng) determines all random
    /// choices from now on, on any number of threads; without one, they go on as if nothing had happened.
    ///
    /// # Panics
    /// If the arrays or the mask do not have the right lengths.
    pub fn reset(&mut self, seed: Option<u64>, mask: Option<&[bool]>, outputs: Outputs<'_>) {
        self.restart(seed, mask);
        self.show(outputs);
    }

    /// Writes the outputs once more.
    ///
    /// # Panics
    /// If the arrays do not have the right lengths.
    pub fn show(&mut self, outputs: Outputs<'_>) {
        self.run(&[], Some(outputs), |_, _, _, _| ());
    }

    fn restart(&mut self, seed: Option<u64>, mask: Option<&[bool]>) {
        self.check_mask(mask);
        let seeds = seed.map(|seed| self.seeds(seed));
        let lanes = self.lanes();
        self.run(&[], None, |block, common, worker, _| {
            let seed = seeds.as_ref().map(|seeds| seeds[block.number()]);
            block.reset(common, worker, seed, lanes_of(block, lanes, mask));
        });
    }

    /// Continues from other states in some environments, given by their numbers. Matches count as new there. Where no
    /// player has a choice, forced moves are played.
    ///
    /// # Errors
    /// If a state is terminal; then nothing has changed.
    ///
    /// # Panics
    /// If there are no environments with these numbers, or the arrays do not have the right lengths.
    pub fn set_states(
        &mut self,
        states: &[(usize, State)],
        outputs: Outputs<'_>,
    ) -> Result<(), ActionError> {
        let batch = self.workers[0].free_batch();
        for some in states.chunks(batch.lanes()) {
            batch.enter(some.iter().map(|(_, state)| state));
            if let Some(lane) = batch.terminal().lanes().next() {
                let environment = some[lane].0;
                return Err(ActionError::Terminal { environment });
            }
        }
        let lanes = batch.lanes();
        let mut of_blocks: Vec<Vec<(usize, &State)>> = vec![Vec::new(); self.blocks.len()];
        for (environment, state) in states {
            of_blocks[environment / lanes].push((environment % lanes, state));
        }
        self.run(&[], Some(outputs), |block, common, worker, _| {
            let states = &of_blocks[block.number()];
            if !states.is_empty() {
                block.set_states(common, worker, states);
            }
        });
        Ok(())
    }

    /// Takes an action in each environment: that of the [current](Outputs::current) player, or one
    /// of each player if the [shape](Shape::joint) says so. Then goes on to the next choice of a player.
    ///
    /// # Errors
    /// If an action is not legal, or a match [is over](super::Autoreset::Disabled); then nothing has happened in any
    /// environment.
    ///
    /// # Panics
    /// If the arrays do not have the right lengths.
    pub fn step(&mut self, actions: &[i32], outputs: Outputs<'_>) -> Result<(), ActionError> {
        self.step_some(actions, None, outputs)
    }

    /// Does the same in the environments of a mask. Nothing happens in the others, whose actions are ignored: they have
    /// no rewards and no ends.
    ///
    /// # Errors
    /// As for [`step`](VectorEnvironment::step).
    ///
    /// # Panics
    /// If the arrays or the mask do not have the right lengths.
    pub fn step_some(
        &mut self,
        actions: &[i32],
        mask: Option<&[bool]>,
        outputs: Outputs<'_>,
    ) -> Result<(), ActionError> {
        self.check_mask(mask);
        self.check(actions, mask)?;
        let lanes = self.lanes();
        self.run(actions, Some(outputs), |block, common, worker, actions| {
            block.step(common, worker, actions, lanes_of(block, lanes, mask));
        });
        Ok(())
    }

    /// Returns what the environments need to go on elsewhere, as by [`load`](VectorEnvironment::load). The random
    /// choices from there on are the same each time, but not those that follow here.
    pub fn save(&self) -> Vec<u8> {
        let mut saved = Saved::default();
        if self.common.shape.has_memory() {
            saved.perceived = vec![Vec::new(); self.common.shape.players.len()];
        }
        for block in &self.blocks {
            block.save(&self.common, &mut saved);
        }
        postcard::to_stdvec(&saved).expect("numbers can be written")
    }

    /// Goes on from environments of the same game and shape that were saved; none if these are others. There are no
    /// rewards and no ends.
    ///
    /// # Panics
    /// If the arrays do not have the right lengths.
    pub fn load(&mut self, saved: &[u8], outputs: Outputs<'_>) -> Option<()> {
        let saved: Saved = postcard::from_bytes(saved).ok()?;
        let (shape, lanes) = (&self.common.shape, self.lanes());
        let (n, bases) = (shape.environments, self.common.game.layout().bases.len());
        let known = match shape.has_memory() {
            true => shape.players.len(),
            false => 0,
        };
        let words = column_words(shape.elements).max(1);
        let is_alike = saved.states.len() == n * column_words(bases).max(1)
            && (saved.ages.len(), saved.over.len()) == (n, n)
            && saved.perceived.len() == known
            && saved
                .perceived
                .iter()
                .all(|packed| packed.len() == n * words);
        if !is_alike {
            return None;
        }
        let seeds = self.seeds(saved.seed);
        self.run(&[], Some(outputs), |block, common, worker, _| {
            let number = block.number();
            block.load(common, worker, &saved, number * lanes, seeds[number]);
        });
        Some(())
    }

    /// Returns the number of environments of a block that is full.
    fn lanes(&self) -> usize {
        self.workers[0].width().lanes()
    }

    /// Returns a seed for each block.
    fn seeds(&self, seed: u64) -> Vec<u64> {
        let streams = streams(seed).take(self.blocks.len());
        streams.map(|mut rng| rng.next_u64()).collect()
    }

    fn check_mask(&self, mask: Option<&[bool]>) {
        let environments = self.common.shape.environments;
        assert!(
            mask.is_none_or(|mask| mask.len() == environments),
            "a mask for all"
        );
    }

    /// Makes `steps` joint moves in each environment, chosen uniformly at random, and then goes on to the next choice
    /// of a player. Those without a choice count, too, other than in [`step`](VectorEnvironment::step). The outputs
    /// are those after the last one. Where a match is over and has to be reset, nothing happens.
    ///
    /// # Panics
    /// If the arrays do not have the right lengths.
    pub fn step_random(&mut self, steps: u32, outputs: Outputs<'_>) -> RandomSteps {
        let sums = self.run(&[], Some(outputs), |block, common, worker, _| {
            block.step_random(common, worker, steps)
        });
        let mut all = RandomSteps::default();
        sums.iter().for_each(|sum| all.add(sum));
        all
    }

    /// Writes the actions that have these ranks among the legal ones: of a player with `n` legal
    /// actions, from 0 to `n - 1`. Both are arrays as [`step`](VectorEnvironment::step) takes them. Where a match is
    /// over, any rank will do.
    ///
    /// # Errors
    /// If a rank is not below the number of legal actions.
    ///
    /// # Panics
    /// If there are not as many actions as ranks.
    pub fn nth_legal(&self, ranks: &[i32], actions: &mut [i32]) -> Result<(), ActionError> {
        self.count_actions(ranks)?;
        assert_eq!(ranks.len(), actions.len(), "an action for each rank");
        let shape = &self.common.shape;
        let mut at = 0;
        for block in &self.blocks {
            let part = at * shape.actors()..(at + block.len()) * shape.actors();
            let (ranks, actions) = (&ranks[part.clone()], &mut actions[part]);
            let found = block.nth_legal(&self.common, self.game().roles(), ranks, actions);
            found.map_err(|error| error.after(at))?;
            at += block.len();
        }
        Ok(())
    }

    /// Returns the state of an environment.
    ///
    /// # Panics
    /// If there is none with this number.
    pub fn state(&self, environment: usize) -> State {
        let lanes = self.lanes();
        self.blocks[environment / lanes].state(environment % lanes)
    }

    fn count_actions(&self, actions: &[i32]) -> Result<(), ActionError> {
        let shape = &self.common.shape;
        let expected = shape.environments * shape.actors();
        match actions.len() == expected {
            true => Ok(()),
            false => Err(ActionError::Count {
                expected,
                given: actions.len(),
            }),
        }
    }

    /// Checks that all actions are legal, or those in the environments of a mask.
    fn check(&self, actions: &[i32], mask: Option<&[bool]>) -> Result<(), ActionError> {
        self.count_actions(actions)?;
        let (mut at, mut rest) = (0, actions);
        for block in &self.blocks {
            let actions = split_actions(&mut rest, block.len(), self.shape());
            let lanes = lanes_of(block, self.lanes(), mask);
            let checked = block.check(&self.common, self.game().roles(), actions, lanes);
            checked.map_err(|error| error.after(at))?;
            at += block.len();
        }
        Ok(())
    }

    /// Does the work on each block, with the actions for it, if there are any, and then writes the
    /// outputs.
    fn run<T: Send>(
        &mut self,
        actions: &[i32],
        mut outputs: Option<Outputs<'_>>,
        work: impl Fn(&mut Block, &Common, &mut Worker, &[i32]) -> T + Sync,
    ) -> Vec<T> {
        let common = &self.common;
        let shape = &common.shape;
        outputs.iter().for_each(|outputs| outputs.check(shape));
        let share = self.blocks.len().div_ceil(self.workers.len());
        let shares = self.workers.iter_mut().zip(self.blocks.chunks_mut(share));
        let mut actions = actions;
        let shares = shares.map(|(worker, blocks)| {
            let count = blocks.iter().map(Block::len).sum();
            Share {
                worker,
                blocks,
                actions: split_actions(&mut actions, count, shape),
                outputs: outputs
                    .as_mut()
                    .map(|outputs| outputs.split_off(count, shape)),
            }
        });
        let shares: Vec<Share<'_>> = shares.collect();
        let each = |share: Share<'_>| share.run(common, &work);
        match &self.pool {
            None => shares.into_iter().flat_map(each).collect(),
            Some(pool) => pool.install(|| shares.into_par_iter().flat_map_iter(each).collect()),
        }
    }
}

impl Share<'_> {
    fn run<T>(
        self,
        common: &Common,
        work: impl Fn(&mut Block, &Common, &mut Worker, &[i32]) -> T,
    ) -> Vec<T> {
        let (mut actions, mut outputs) = (self.actions, self.outputs);
        let blocks = self.blocks.iter_mut();
        let done = blocks.map(|block| {
            let (count, shape) = (block.len(), &common.shape);
            let given = split_actions(&mut actions, count, shape);
            let result = work(block, common, self.worker, given);
            if let Some(outputs) = &mut outputs {
                block.write(common, outputs.split_off(count, shape));
            }
            result
        });
        done.collect()
    }
}

/// Returns data for a block of environments in which one player acts at a time, and rewards are goals.
///
/// # Errors
/// If no player has a choice before the first match ends.
fn common(worker: &mut Worker, config: &EnvironmentConfig) -> Result<Common, EnvironmentError> {
    let (game, lanes) = (worker.game().clone(), worker.width().lanes());
    let shape = Shape::new(&game, lanes, false, config.observed.clone());
    let shape = shape.with_observer(config.observer);
    let max_steps = config.max_steps;
    let start = match shape.players.is_empty() {
        true => None,
        false => Start::find(&shape, max_steps, worker),
    };
    Ok(Common {
        start: start.ok_or(EnvironmentError::NoChoice { max_steps })?,
        rewards: RewardRule::goals(&game, &shape.players),
        autoreset: Autoreset::SameStep,
        keeps_finals: false,
        max_steps,
        shape,
        game,
    })
}

/// Returns the lanes of a block that a mask of all environments has: all without one. Full blocks have this number of
/// lanes.
fn lanes_of(block: &Block, lanes: usize, mask: Option<&[bool]>) -> LaneMask {
    let Some(mask) = mask else {
        return LaneMask::first(block.len());
    };
    let mut chosen = LaneMask::default();
    let of_block = mask[block.number() * lanes..].iter().take(block.len());
    let set = of_block.enumerate().filter(|(_, is_set)| **is_set);
    set.for_each(|(lane, _)| chosen.insert(lane));
    chosen
}

/// Creates blocks for `environments` environments. All lanes are filled, except in the last block.
fn blocks(
    environments: usize,
    width: Width,
    game: &GroundGame,
    shape: &Shape,
) -> Result<Vec<Block>, TryReserveError> {
    let mut blocks = with_room(environments.div_ceil(width.lanes()))?;
    for (number, start) in (0..environments).step_by(width.lanes()).enumerate() {
        let lanes = width.lanes().min(environments - start);
        blocks.push(Block::new(number, lanes, width, game, shape)?);
    }
    Ok(blocks)
}

/// Returns a pool of `threads` threads, if there are several.
fn pool(threads: usize) -> Result<Option<ThreadPool>, EnvironmentError> {
    if threads == 1 {
        return Ok(None);
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|source| EnvironmentError::Threads { threads, source })?;
    Ok(Some(pool))
}

/// Splits off the actions of the first `count` environments, if there are any.
fn split_actions<'a>(actions: &mut &'a [i32], count: usize, shape: &Shape) -> &'a [i32] {
    let taken = (count * shape.actors()).min(actions.len());
    actions.split_off(..taken).expect("no more than there are")
}

impl fmt::Debug for VectorEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VectorEnvironment")
            .field("shape", &self.common.shape)
            .field("threads", &self.workers.len())
            .finish_non_exhaustive()
    }
}
