//! Random matches from the initial state, on several threads.

use std::sync::Arc;
use std::time::{Duration, Instant};

use propjit_jit::evaluator::Engine;
use propjit_stop::Stop;
use rand::Rng;

use super::playouts::Playouts;
use super::runner::{PlayoutProgress, PlayoutRunner, RunLimits};
use super::serial::SerialPlayouts;
use super::tally::Tally;
use crate::game::engine::{MatchEngines, PlayoutPolicy, StepEngine};
use crate::game::ground::GroundGame;
use crate::game::load::Game;
use crate::game::machine::{Backend, MachineError, check_memory};
use crate::support::rng::{self, GameRng};
use crate::support::setters::setters;
use crate::support::threads;

/// The number of matches that may be abandoned before one has reached its end.
const MAX_IN_VAIN: u64 = 9;

/// The configuration of random matches.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlayoutConfig {
    /// The number of threads, at least 1.
    pub threads: usize,
    /// The [seed](crate::support::rng) of the random numbers: the same seed with one thread plays the
    /// same matches in the same order.
    pub seed: u64,
    /// The number of joint moves that a playout may have.
    pub max_steps: u32,
    /// The time for which new matches are started.
    pub time: Option<Duration>,
    /// The number of matches that are started.
    pub rollouts: Option<u64>,
    /// How long lanes may idle before matches are started in them: see
    /// [`PlayoutRunner::refill`].
    pub refill: u32,
}

impl Default for PlayoutConfig {
    /// Returns the configuration for one thread, which plays until it is stopped.
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

impl PlayoutConfig {
    setters! {
        with_threads(threads: usize);
        with_seed(seed: u64);
        with_max_steps(max_steps: u32);
        with_time(time: Option<Duration>);
        with_rollouts(rollouts: Option<u64>);
        with_refill(refill: u32);
    }
}

/// The outcome of random matches.
#[derive(Clone, Debug)]
pub struct PlayoutOutcome {
    /// The counts.
    pub tally: Tally,
    /// How long it took, including the end of the last matches.
    pub time: Duration,
    /// The number of matches that each thread plays at a time.
    pub lanes: usize,
    /// Whether it was stopped; the matches that were running are not counted.
    pub stopped: bool,
}

/// Creates a runner of the game with a backend, for matches of at most `max_steps` joint moves.
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
            let engines = MatchEngines::new(engines.for_playouts().clone());
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

/// Plays random matches of `game` with `backend` from its initial state until the time is up, the
/// requested number is played, or it is stopped. A match in which the prover hits a limit is [given
/// up](Tally::given_up).
///
/// # Errors
/// When there is no such machine, or it cannot continue, as when the prover hits a limit in each of the first
/// matches; or when a thread cannot be started, or the system does not provide the memory for all of them.
pub fn run(
    game: &Game,
    backend: Backend,
    config: &PlayoutConfig,
    stop: &Stop,
    progress: &PlayoutProgress,
) -> Result<PlayoutOutcome, MachineError> {
    tracing::info!(%backend, ?config, "playing");
    let roles = game.rules().roles.len();
    let rows = match (backend, game.engines()) {
        (Backend::Compiled, Some(engines)) => engines.for_playouts().row_bytes(),
        _ => 0,
    };
    let each = rows + threads::BYTES;
    check_memory("all threads", each.saturating_mul(config.threads))?;
    let make = |rng| runner(game, backend, config.max_steps, rng);
    run_on_threads(roles, config, stop, progress, make)
}

/// Does the same as [`run`] on a custom engine that was made for the game, with the sections that
/// playouts have: see [`section`](crate::game::ground::section); and on one for its random steps, if
/// there is one.
///
/// # Errors
/// As for [`run`].
pub fn run_engine(
    game: &Arc<GroundGame>,
    engine: &Engine,
    steps: Option<&StepEngine>,
    config: &PlayoutConfig,
    stop: &Stop,
    progress: &PlayoutProgress,
) -> Result<PlayoutOutcome, MachineError> {
    let make = |mut rng: GameRng| {
        let (game, engine, seed) = (game.clone(), engine.clone(), rng.next_u64());
        let mut runner = Playouts::new(game, engine, config.max_steps, seed);
        if let Some(steps) = steps {
            runner = runner.with_steps(steps);
        }
        Ok(Box::new(runner) as Box<dyn PlayoutRunner>)
    };
    run_on_threads(game.roles().len(), config, stop, progress, make)
}

/// Plays from the initial state on each of the threads, with a runner each that has its own
/// part of the random numbers and of the matches.
fn run_on_threads(
    roles: usize,
    config: &PlayoutConfig,
    stop: &Stop,
    progress: &PlayoutProgress,
    make: impl Fn(GameRng) -> Result<Box<dyn PlayoutRunner>, MachineError> + Sync,
) -> Result<PlayoutOutcome, MachineError> {
    let start = Instant::now();
    // If one thread fails, all end.
    let all = &stop.by(None);
    let limits = &RunLimits::default()
        .with_deadline(config.time.and_then(|time| start.checked_add(time)))
        .with_enough(1)
        .with_stop(all.clone())
        .with_progress(progress.clone());
    let count = config.threads.max(1);
    let play = &|rng: GameRng, rollouts: Option<u64>| {
        let mut runner = make(rng)?;
        runner.refill(config.refill);
        let initial = runner.initial_state()?;
        let id = runner.queue_mut().add(&initial, rollouts);
        let mut given_up = 0;
        while let Err(error) = runner.play(limits) {
            let is_limit = matches!(error, MachineError::Prover(_));
            let in_vain = runner.queue().tally(id).rollouts() == 0 && given_up == MAX_IN_VAIN;
            if !is_limit || in_vain {
                return Err(error);
            }
            tracing::warn!(%error, "match skipped");
            given_up += 1;
        }
        let mut tally = runner.queue().tally(id).clone();
        tally.given_up += given_up;
        Ok::<_, MachineError>((tally, runner.lanes()))
    };
    let work = &|rng, rollouts| play(rng, rollouts).inspect_err(|_| all.set());
    let mut outcome = PlayoutOutcome {
        tally: Tally::new(roles),
        time: Duration::ZERO,
        lanes: 1,
        stopped: false,
    };
    std::thread::scope(|scope| {
        let streams = rng::streams(config.seed).take(count);
        let shares = (0..count).map(|thread| share(config.rollouts, count, thread));
        let start = |(rng, rollouts)| {
            let started = threads::start_scoped(scope, "playouts", move || work(rng, rollouts));
            // No thread plays alone if some could not be started.
            started.inspect_err(|_| all.set())
        };
        let workers: Vec<_> = streams.zip(shares).map(start).collect();
        workers.into_iter().try_for_each(|worker| {
            let (tally, lanes) = worker?
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

/// Returns the part of `total` for one of the threads.
fn share(total: Option<u64>, threads: usize, thread: usize) -> Option<u64> {
    let (threads, thread) = (threads as u64, thread as u64);
    total.map(|total| total / threads + u64::from(thread < total % threads))
}
