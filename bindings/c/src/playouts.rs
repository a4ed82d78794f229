//! Random matches.

use propjit::PlayoutConfig;
use propjit::game::playout::{PlayoutProgress, run};

use crate::error::{Failure, Status, call};
use crate::game::{Game, Stop};
use crate::pointer::{array_mut, output, shared};

/// The results of random matches.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Playouts {
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

/// Plays random matches from the initial state, on `threads` threads, until `matches` of them have
/// ended or the token, which may be null, is set. To `mean_goals`, unless it is null, it writes the
/// mean goal of each role, or not a number if no match ended with one.
///
/// # Safety
/// `game` points to a game, `stop` is null or points to a token; `result` can be written to, and
/// `mean_goals` is null or can be written to as many times as there are roles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn propjit_game_playouts(
    game: *const Game,
    matches: u64,
    threads: usize,
    seed: u64,
    max_steps: u32,
    stop: *const Stop,
    result: *mut Playouts,
    mean_goals: *mut f64,
) -> Status {
    call(|| {
        // SAFETY: as promised by the caller.
        let (game, stop) = unsafe { (&shared(game)?.0, Stop::part(stop)) };
        // SAFETY: as promised by the caller.
        let result = unsafe { output(result) }?;
        let config = PlayoutConfig::default()
            .with_rollouts(Some(matches))
            .with_threads(Failure::check_threads(threads)?)
            .with_seed(seed)
            .with_max_steps(max_steps);
        let backend = game.game().bulk_backend();
        let progress = PlayoutProgress::default();
        let outcome = run(game.game(), backend, &config, &stop, &progress)?;
        let tally = &outcome.tally;
        result.write(Playouts {
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
