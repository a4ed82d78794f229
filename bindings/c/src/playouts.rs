//! Random matches.

use propjit::PlayoutConfig;
use propjit::game::playout::{PlayoutProgress, run};

use crate::error::{Failure, Status, call};
use crate::game::{Game, Stop, duration};
use crate::pointer::{array_mut, shared};
use crate::sized::{self, may_grow};

/// The results of random matches.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Playouts {
    /// The size of the structure: see `PROPJIT_INIT`.
    pub size: usize,
    /// The number of matches that ended.
    pub matches: u64,
    /// The number of joint moves, those of matches that did not end included.
    pub state_changes: u64,
    /// The number of matches that were given up because they were too long.
    pub truncated: u64,
    /// The number of matches that ended where a role has no legal move.
    pub stuck: u64,
    /// The time in seconds.
    pub seconds: f64,
}
may_grow!(Playouts, seconds);

/// Options for random matches.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PlayoutOptions {
    /// The size of the structure: see `PROPJIT_INIT`.
    pub size: usize,
    /// The number of threads; 0 is one.
    pub threads: usize,
    /// The number of joint moves that a match may have; 0 is 10,000.
    pub max_steps: u32,
    /// The number of matches; 0 is no limit.
    pub matches: u64,
    /// The time in seconds in which matches are started; 0 is no limit.
    pub seconds: f64,
    /// The seed of the random numbers: with one thread, the same one gives the same matches.
    pub seed: u64,
}
may_grow!(PlayoutOptions, seed);

/// Plays random matches from the initial state, until one of the limits in `options` is reached or the token, which may
/// be null, is set. To `mean_goals`, unless it is null, it writes the mean goal of each role, or not a number if no
/// match ended with one.
///
/// # Safety
/// `game` points to a game, `options` to options, `stop` is null or points to a token; `result` points to a structure
/// with its size, and `mean_goals` is null or can be written to as many times as there are roles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_game_playouts(
    game: *const Game,
    options: *const PlayoutOptions,
    stop: *const Stop,
    result: *mut Playouts,
    mean_goals: *mut f64,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let (game, options) = unsafe { (&shared(game)?.0, sized::read(options)?) };
        if options.matches == 0 && options.seconds == 0.0 && stop.is_null() {
            return Err(Failure::argument(
                "playouts need `matches`, `seconds` or a token",
            ));
        }
        // SAFETY: as promised by the caller.
        let (stop, result) = unsafe { (Stop::part(stop), sized::place(result)?) };
        let mut config = PlayoutConfig::default()
            .with_rollouts(Some(options.matches).filter(|&matches| matches > 0))
            .with_threads(Failure::check_threads(options.threads)?)
            .with_seed(options.seed);
        if options.seconds != 0.0 {
            config = config.with_time(Some(duration(options.seconds)?));
        }
        if options.max_steps > 0 {
            config = config.with_max_steps(options.max_steps);
        }
        let backend = game.game().bulk_backend();
        let progress = PlayoutProgress::default();
        let outcome = run(game.game(), backend, &config, &stop, &progress)?;
        let tally = &outcome.tally;
        result.write(Playouts {
            size: size_of::<Playouts>(),
            matches: tally.rollouts(),
            state_changes: tally.state_changes,
            truncated: tally.truncated,
            stuck: tally.stuck,
            seconds: outcome.time.as_secs_f64(),
        });
        if !mean_goals.is_null() {
            // SAFETY: as promised by the caller.
            let means = unsafe { array_mut(mean_goals, game.role_names().len()) }?;
            for (mean, goals) in means.iter_mut().zip(&tally.goals) {
                *mean = goals.values.mean().unwrap_or(f64::NAN);
            }
        }
        Ok(())
    })
}
