//! Random playouts: matches in which every role plays uniformly at random.
//!
//! One interface, [`run`], over every backend. Single-state backends play one
//! match after the other; the lanes backend plays as many at a time as it has lanes.
//!
//! When the time is up no match is started, but those that run are played to
//! their end and counted: dropping them would drop long matches more often than
//! short ones and bias every mean.

mod bitsliced;
mod serial;
mod tally;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use propjit_jit::lanes::Engine;

use crate::game::Game;
use crate::machine::{Backend, GroundGame, MachineError};
use crate::rng::{self, GameRng};
use crate::stop::Stop;

pub use tally::{Ending, Goals, Moments, Tally};

/// How to play.
#[derive(Clone, Debug)]
pub struct Config {
    /// How many threads, at least 1.
    pub threads: usize,
    /// Where the random numbers come from: the same seed with one thread plays the
    /// same matches in the same order.
    pub seed: u64,
    /// How many joint moves a playout may have.
    pub max_steps: u32,
    /// For how long new matches are started.
    pub time: Option<Duration>,
    /// How many matches are started.
    pub rollouts: Option<u64>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was counted.
    pub tally: Tally,
    /// How long it took, the last matches' ends included.
    pub time: Duration,
    /// How many matches each thread plays at a time.
    pub lanes: usize,
    /// Whether a stop came; the matches that were running are not counted.
    pub stopped: bool,
}

/// Figures of the work going on, for other threads to read. Clones share them.
#[derive(Clone, Default, Debug)]
pub struct Progress(Arc<AtomicU64>);

impl Progress {
    /// How many playouts have ended so far.
    pub fn rollouts(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn add(&self, rollouts: u64) {
        self.0.fetch_add(rollouts, Ordering::Relaxed);
    }
}

/// Plays random matches of `game` with `backend` until the time is up, as many
/// as asked are played, or a stop comes.
///
/// # Errors
/// When there is no such machine, or it cannot go on, as when the prover hits a limit.
pub fn run(
    game: &Game,
    backend: Backend,
    config: &Config,
    stop: &Stop,
    progress: &Progress,
) -> Result<Outcome, MachineError> {
    tracing::info!(%backend, ?config, "playing");
    match (backend, game.ground_game()) {
        (Backend::Lanes, Some(ground)) => {
            let engine = Engine::Interpreter(ground.lane_program(), ground.width());
            run_engine(ground, &engine, config, stop, progress)
        }
        (Backend::Compiled, Some(ground)) => {
            let engine = Engine::Code(ground.playout_code()?);
            run_engine(ground, &engine, config, stop, progress)
        }
        _ => {
            let play = |table: &mut Table<'_>| serial::play(&mut *game.machine(backend)?, table);
            run_threads(game.rules().roles.len(), 1, config, stop, progress, play)
        }
    }
}

/// As [`run`], on an engine of one's own that was made for the game, with the sections
/// that playouts have: see [`section`](crate::machine::section).
///
/// # Errors
/// As for [`run`].
pub fn run_engine(
    game: &GroundGame,
    engine: &Engine,
    config: &Config,
    stop: &Stop,
    progress: &Progress,
) -> Result<Outcome, MachineError> {
    let play = |table: &mut Table<'_>| Ok(bitsliced::play(game, engine.clone(), table));
    let lanes = engine.width().lanes();
    run_threads(game.roles().len(), lanes, config, stop, progress, play)
}

/// Plays on each of the threads, each with its own part of the random numbers and of the
/// matches.
fn run_threads(
    roles: usize,
    lanes: usize,
    config: &Config,
    stop: &Stop,
    progress: &Progress,
    play: impl Fn(&mut Table<'_>) -> Result<Tally, MachineError> + Sync,
) -> Result<Outcome, MachineError> {
    let start = Instant::now();
    let deadline = config.time.and_then(|time| start.checked_add(time));
    let threads = config.threads.max(1);
    let work = &|rng: GameRng, rollouts: Option<u64>| {
        play(&mut Table {
            quota: Quota { deadline, rollouts },
            max_steps: config.max_steps,
            rng,
            stop,
            progress,
        })
    };
    let mut tally = Tally::new(roles);
    std::thread::scope(|scope| {
        let streams = rng::streams(config.seed).take(threads);
        let shares = (0..threads).map(|thread| share(config.rollouts, threads, thread));
        let workers: Vec<_> = streams
            .zip(shares)
            .map(|(rng, rollouts)| scope.spawn(move || work(rng, rollouts)))
            .collect();
        workers.into_iter().try_for_each(|worker| {
            let counted = worker
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            tally.merge(&counted);
            Ok::<(), MachineError>(())
        })
    })?;
    Ok(Outcome {
        tally,
        time: start.elapsed(),
        lanes,
        stopped: stop.is_set(),
    })
}

/// The part of `total` that falls to one of the threads.
fn share(total: Option<u64>, threads: usize, thread: usize) -> Option<u64> {
    let (threads, thread) = (threads as u64, thread as u64);
    total.map(|total| total / threads + u64::from(thread < total % threads))
}

/// What one thread plays by.
struct Table<'a> {
    quota: Quota,
    max_steps: u32,
    rng: GameRng,
    stop: &'a Stop,
    progress: &'a Progress,
}

/// How many matches may still be started.
struct Quota {
    deadline: Option<Instant>,
    rollouts: Option<u64>,
}

impl Quota {
    /// How many of the `wanted` matches may start now.
    fn grant(&mut self, wanted: u64) -> u64 {
        if self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            self.rollouts = Some(0);
        }
        match &mut self.rollouts {
            Some(left) => {
                let granted = wanted.min(*left);
                *left -= granted;
                granted
            }
            None => wanted,
        }
    }
}
