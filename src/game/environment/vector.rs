//! Vectorised environments, on several threads.

use std::collections::TryReserveError;
use std::fmt;
use std::sync::Arc;

use propjit_jit::lanes::Width;
use propjit_jit::memory::is_available;
use propjit_stop::Stop;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::action_error::ActionError;
use super::block::Block;
use super::common::Common;
use super::config::{EnvironmentConfig, EnvironmentError};
use super::memory::with_room;
use super::outputs::Outputs;
use super::random_steps::RandomSteps;
use super::shape::Shape;
use super::worker::Worker;
use crate::game::engine::Engines;
use crate::game::ground::GroundGame;
use crate::game::machine::State;
use crate::support::rng;

/// Many matches of a game, played step by step. See the [module](super).
///
/// A match that ends with a step is followed by another one in the same place at once: the
/// rewards and ends written are those of the old match, everything else is about the new one.
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
    outputs: Outputs<'a>,
}

/// The number of sampled steps that determine whether several players choose at the same time.
const PROBE: u32 = 100;

impl VectorEnvironment {
    /// Creates environments at the start of a match, with the seed 0.
    ///
    /// # Errors
    /// If there cannot be [that many environments](EnvironmentConfig::check), there is no memory
    /// for them, the threads cannot be started, or the initial state is terminal.
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
        let joint = match config.joint {
            Some(joint) => joint,
            None => {
                let joint = is_joint(&mut worker, &config.stop);
                joint.map_err(|_| refused(1, worker.bytes()))?
            }
        };
        let shape = Shape::new(worker.game(), environments, joint);
        let common = Common::new(shape, config.max_steps, &mut worker);
        if worker.starts_terminal() {
            return Err(EnvironmentError::Over);
        }
        let width = worker.width();
        let count = environments.div_ceil(width.lanes());
        let threads = config.threads.clamp(1, count);
        let bytes = count.saturating_mul(Block::bytes(width, &common.shape));
        let bytes = bytes.saturating_add(threads.saturating_mul(worker.bytes()));
        // Systems that overcommit memory grant many small allocations, though they would refuse their
        // sum.
        if !is_available(bytes) {
            return Err(refused(threads, bytes));
        }
        let blocks = blocks(environments, width, &common.shape);
        let blocks = blocks.map_err(|_| refused(threads, bytes))?;
        let pool = pool(threads)?;
        let others = (1..threads).map(|_| Worker::new(engines));
        let mut environment = VectorEnvironment {
            common,
            blocks,
            workers: std::iter::once(worker).chain(others).collect(),
            pool,
        };
        environment.restart(0);
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
        let of_game = Shape::new(game, shape.environments, shape.joint);
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

    /// Starts a match in each environment. The [seed](rng) determines all random choices from now
    /// on, on any number of threads.
    ///
    /// # Panics
    /// If the arrays do not have the right lengths.
    pub fn reset(&mut self, seed: u64, outputs: Outputs<'_>) {
        self.restart(seed);
        self.run(&[], outputs, |_, _, _, _| ());
    }

    fn restart(&mut self, seed: u64) {
        // The values evaluated by workers belong to the previous matches.
        self.workers.iter_mut().for_each(Worker::forget);
        for (block, mut rng) in self.blocks.iter_mut().zip(rng::streams(seed)) {
            block.reset(&self.common, &mut self.workers[0], &mut rng);
        }
    }

    /// Takes an action in each environment: that of the [current](Outputs::current) player, or one
    /// of each player if the [shape](Shape::joint) says so. Players without a choice need none.
    ///
    /// # Errors
    /// If an action is not legal; then nothing has happened in any environment.
    ///
    /// # Panics
    /// If the arrays do not have the right lengths.
    pub fn step(&mut self, actions: &[i32], outputs: Outputs<'_>) -> Result<(), ActionError> {
        self.check(actions)?;
        self.run(actions, outputs, Block::step);
        Ok(())
    }

    /// Takes `steps` actions in each environment, chosen uniformly at random. The outputs are those
    /// after the last one.
    ///
    /// # Panics
    /// If the arrays do not have the right lengths.
    pub fn step_random(&mut self, steps: u32, outputs: Outputs<'_>) -> RandomSteps {
        let sums = self.run(&[], outputs, |block, common, worker, _| {
            block.step_random(common, worker, steps)
        });
        let mut all = RandomSteps::default();
        sums.iter().for_each(|sum| all.add(sum));
        all
    }

    /// Writes the actions that have these ranks among the legal ones: of a player with `n` legal
    /// actions, from 0 to `n - 1`. Both are arrays as [`step`](VectorEnvironment::step) takes them.
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
        let lanes = self.workers[0].width().lanes();
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

    /// Checks that all actions are legal.
    fn check(&self, actions: &[i32]) -> Result<(), ActionError> {
        self.count_actions(actions)?;
        let (mut at, mut rest) = (0, actions);
        for block in &self.blocks {
            let actions = split_actions(&mut rest, block.len(), self.shape());
            let checked = block.check(&self.common, self.game().roles(), actions);
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
        mut outputs: Outputs<'_>,
        work: impl Fn(&mut Block, &Common, &mut Worker, &[i32]) -> T + Sync,
    ) -> Vec<T> {
        let common = &self.common;
        let shape = &common.shape;
        outputs.check(shape);
        let share = self.blocks.len().div_ceil(self.workers.len());
        let shares = self.workers.iter_mut().zip(self.blocks.chunks_mut(share));
        let mut actions = actions;
        let shares = shares.map(|(worker, blocks)| {
            let count = blocks.iter().map(Block::len).sum();
            Share {
                worker,
                blocks,
                actions: split_actions(&mut actions, count, shape),
                outputs: outputs.split_off(count, shape),
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
            block.write(common, outputs.split_off(count, shape));
            result
        });
        done.collect()
    }
}

/// Creates blocks for `environments` environments. All lanes are filled, except in the last block.
fn blocks(environments: usize, width: Width, shape: &Shape) -> Result<Vec<Block>, TryReserveError> {
    let mut blocks = with_room(environments.div_ceil(width.lanes()))?;
    for (number, start) in (0..environments).step_by(width.lanes()).enumerate() {
        let lanes = width.lanes().min(environments - start);
        blocks.push(Block::new(number, lanes, width, shape)?);
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

/// Returns whether several players have a choice at the same time in some random matches. These end early when stopped.
fn is_joint(worker: &mut Worker, stop: &Stop) -> Result<bool, TryReserveError> {
    let lanes = worker.width().lanes();
    let shape = Shape::new(worker.game(), lanes, false);
    if shape.joint {
        return Ok(true);
    }
    let mut block = Block::new(0, lanes, worker.width(), &shape)?;
    let common = Common::new(shape, u32::MAX, worker);
    let mut rng = rng::streams(0).next().expect("streams do not end");
    block.reset(&common, worker, &mut rng);
    let mut steps = (0..PROBE).take_while(|_| !stop.is_set());
    let is_joint = block.has_several()
        || steps.any(|_| {
            block.step_random(&common, worker, 1);
            block.has_several()
        });
    Ok(is_joint)
}

impl fmt::Debug for VectorEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VectorEnvironment")
            .field("shape", &self.common.shape)
            .field("threads", &self.workers.len())
            .finish_non_exhaustive()
    }
}
