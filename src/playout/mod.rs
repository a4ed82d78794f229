//! Random playouts: matches in which every role plays uniformly at random, or so but for
//! [decisive moves](PlayoutRunner::enable_decisive_moves).
//!
//! - [`run`] plays from the initial state, on several threads.
//! - A [`PlayoutRunner`] belongs to one thread and plays from any [start states](PlayoutQueue). There are
//!   two: [`Playouts`] plays as many matches at a time as there are lanes; for backends
//!   of single states there is one that plays match after match. [`runner`] makes
//!   the one for a backend.
//!
//! When the time is up no match is started, but those that run are played to
//! their end and counted: dropping them would drop long matches more often than
//! short ones and bias every mean.

mod columns;
mod lanes;
mod lines;
mod playouts;
mod queue;
mod serial;
mod tally;
mod trial;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use propjit_jit::evaluator::Engine;
use rand::Rng;

use crate::engine::{MatchEngines, PlayoutPolicy};
use crate::game::Game;
use crate::ground::GroundGame;
use crate::machine::{Backend, MachineError, State};
use crate::rng::{self, GameRng};
use propjit_stop::Stop;

pub use playouts::Playouts;
pub use queue::{JobId, PlayoutQueue};
pub use serial::SerialPlayouts;
pub use tally::{Ending, GoalTally, Line, Tally};

/// How to play.
#[derive(Clone, Debug)]
pub struct PlayoutConfig {
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
    /// How long lanes may idle before matches are started in them: see
    /// [`PlayoutRunner::refill`].
    pub refill: u32,
}

impl Default for PlayoutConfig {
    /// One thread, which plays until it is stopped.
    fn default() -> PlayoutConfig {
        PlayoutConfig {
            threads: 1,
            seed: 0,
            max_steps: 10_000,
            time: None,
            rollouts: None,
            refill: 1,
        }
    }
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct PlayoutOutcome {
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
pub struct PlayoutProgress(Arc<AtomicU64>);

impl PlayoutProgress {
    /// How many playouts have ended so far.
    pub fn rollouts(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn add(&self, rollouts: u64) {
        self.0.fetch_add(rollouts, Ordering::Relaxed);
    }
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits<'a> {
    /// Until when matches are started; those that run then are played to their end.
    pub deadline: Option<Instant>,
    /// How many start states must be finished for play to be interrupted: matches that
    /// run then go on when play does.
    pub enough: usize,
    /// Ends play at once; the matches that run are not counted.
    pub stop: &'a Stop,
    /// To be kept up to date.
    pub progress: &'a PlayoutProgress,
}

impl RunLimits<'_> {
    /// Whether the time is up.
    fn are_up(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Plays random matches from [start states](PlayoutQueue). Made once per thread and used again
/// and again: after the first time, it allocates only for more start states than it ever
/// had.
pub trait PlayoutRunner: Send {
    /// The start states.
    fn queue(&self) -> &PlayoutQueue;

    /// The start states, to add some or to take those that are finished.
    fn queue_mut(&mut self) -> &mut PlayoutQueue;

    /// The state in which every match of the game starts.
    fn initial_state(&mut self) -> Result<State, MachineError>;

    /// How many matches are played at a time.
    fn lanes(&self) -> usize;

    /// Starts matches in idle lanes when idling has cost as much as so many evaluations of
    /// the goals, which are evaluated less often if matches start and end together. With 0,
    /// matches are started at once; at first, it is 1. What plays match after match has no
    /// use for it.
    fn refill(&mut self, _goals: u32) {}

    /// From now on, keeps for each start state the best of its playouts, if its goal is
    /// greater than `above`: see [`Tally::best`]. Without a number, which is so at first, and
    /// in games of several roles, none is kept. Of matches that run already, none may be.
    fn track_best_line(&mut self, above: Option<i32>);

    /// Removes all start states and drops the matches that run.
    fn clear(&mut self);

    /// Plays until all start states are finished or a limit is reached.
    ///
    /// # Errors
    /// When the machine cannot go on, as when the prover hits a limit.
    fn play(&mut self, limits: &RunLimits<'_>) -> Result<(), MachineError>;
}

/// A runner of the game with a backend, for matches of at most `max_steps` joint moves.
///
/// # Errors
/// When there is no such machine.
pub fn runner(
    game: &Game,
    backend: Backend,
    max_steps: u32,
    mut rng: GameRng,
) -> Result<Box<dyn PlayoutRunner>, MachineError> {
    Ok(match (backend, game.engines()) {
        (Backend::Lanes, Some(engines)) => {
            let (game, engine) = (engines.game().clone(), engines.programs().interpreter());
            Box::new(Playouts::new(game, engine, max_steps, rng.next_u64()))
        }
        (Backend::Compiled, Some(engines)) => {
            let engines = MatchEngines::new(engines.clone());
            let subscription = engines.subscribe(PlayoutPolicy::Uniform);
            Box::new(Playouts::subscribed(
                subscription,
                max_steps,
                rng.next_u64(),
            ))
        }
        _ => Box::new(SerialPlayouts::new(game.machine(backend)?, max_steps, rng)),
    })
}

/// Plays random matches of `game` with `backend` from its initial state until the time
/// is up, as many as asked are played, or a stop comes.
///
/// # Errors
/// When there is no such machine, or it cannot go on, as when the prover hits a limit.
pub fn run(
    game: &Game,
    backend: Backend,
    config: &PlayoutConfig,
    stop: &Stop,
    progress: &PlayoutProgress,
) -> Result<PlayoutOutcome, MachineError> {
    tracing::info!(%backend, ?config, "playing");
    let roles = game.rules().roles.len();
    let make = |rng| runner(game, backend, config.max_steps, rng);
    run_runners(roles, config, stop, progress, make)
}

/// As [`run`], on an engine of one's own that was made for the game, with the sections
/// that playouts have: see [`section`](crate::ground::section).
///
/// # Errors
/// As for [`run`].
pub fn run_engine(
    game: &Arc<GroundGame>,
    engine: &Engine,
    config: &PlayoutConfig,
    stop: &Stop,
    progress: &PlayoutProgress,
) -> Result<PlayoutOutcome, MachineError> {
    let make = |mut rng: GameRng| {
        let (game, engine, seed) = (game.clone(), engine.clone(), rng.next_u64());
        let runner = Playouts::new(game, engine, config.max_steps, seed);
        Ok(Box::new(runner) as Box<dyn PlayoutRunner>)
    };
    run_runners(game.roles().len(), config, stop, progress, make)
}

/// Plays from the initial state on each of the threads, with a runner each that has its own
/// part of the random numbers and of the matches.
fn run_runners(
    roles: usize,
    config: &PlayoutConfig,
    stop: &Stop,
    progress: &PlayoutProgress,
    make: impl Fn(GameRng) -> Result<Box<dyn PlayoutRunner>, MachineError> + Sync,
) -> Result<PlayoutOutcome, MachineError> {
    let start = Instant::now();
    let limits = &RunLimits {
        deadline: config.time.and_then(|time| start.checked_add(time)),
        enough: 1,
        stop,
        progress,
    };
    let threads = config.threads.max(1);
    let work = &|rng: GameRng, rollouts: Option<u64>| {
        let mut runner = make(rng)?;
        runner.refill(config.refill);
        let initial = runner.initial_state()?;
        let id = runner.queue_mut().add(&initial, rollouts);
        runner.play(limits)?;
        Ok::<_, MachineError>((runner.queue().tally(id).clone(), runner.lanes()))
    };
    let mut outcome = PlayoutOutcome {
        tally: Tally::new(roles),
        time: Duration::ZERO,
        lanes: 1,
        stopped: false,
    };
    std::thread::scope(|scope| {
        let streams = rng::streams(config.seed).take(threads);
        let shares = (0..threads).map(|thread| share(config.rollouts, threads, thread));
        let workers: Vec<_> = streams
            .zip(shares)
            .map(|(rng, rollouts)| scope.spawn(move || work(rng, rollouts)))
            .collect();
        workers.into_iter().try_for_each(|worker| {
            let (tally, lanes) = worker
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            outcome.tally.merge(&tally);
            outcome.lanes = lanes;
            Ok::<(), MachineError>(())
        })
    })?;
    outcome.time = start.elapsed();
    outcome.stopped = stop.is_set();
    Ok(outcome)
}

/// The part of `total` that falls to one of the threads.
fn share(total: Option<u64>, threads: usize, thread: usize) -> Option<u64> {
    let (threads, thread) = (threads as u64, thread as u64);
    total.map(|total| total / threads + u64::from(thread < total % threads))
}
