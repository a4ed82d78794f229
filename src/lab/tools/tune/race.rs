//! Races of settings against each other, all on the same games.
//!
//! Other work of the machine, and its temperature, change during the measurement. So the entrants
//! take turns in short slices, in every round in another order, and each is compared with the first
//! one in the same round; the result is the median of the rounds, which a few disturbed slices do
//! not move.

use std::sync::Arc;
use std::time::Duration;

use propjit_jit::code::CompileError;
use propjit_jit::evaluator::Engine;
use serde::Serialize;

use super::subject::Subject;
use crate::game::engine::StepEngine;
use crate::game::engine::compile::for_playouts;
use crate::game::machine::MachineError;
use crate::game::playout::{PlayoutConfig, PlayoutProgress, run_engine};
use crate::game::profile::Settings;
use propjit_stop::Stop;

/// Settings, with the code of each game.
pub(super) struct Entrant {
    pub settings: Settings,
    engines: Vec<Compiled>,
}

/// The code of a game.
struct Compiled {
    engine: Engine,
    steps: Option<StepEngine>,
}

impl Entrant {
    /// Compiles all games, each of which may take as long as `limit`, until a stop.
    pub(super) fn new(
        subjects: &[Subject],
        settings: &Settings,
        limit: Duration,
        stop: &Stop,
    ) -> Result<Entrant, CompileError> {
        let mut config = settings.code().with_stop(stop.clone());
        config.time = config.time.min(limit);
        let engine = |subject: &Subject| {
            let code = for_playouts(&subject.game, &config)?;
            let steps = subject.steps().map(|steps| steps.compile(&config));
            Ok::<_, CompileError>(Compiled {
                engine: Engine::Code(Arc::new(code)),
                steps: steps.transpose()?,
            })
        };
        Ok(Entrant {
            settings: settings.clone(),
            engines: subjects.iter().map(engine).collect::<Result<_, _>>()?,
        })
    }
}

/// The speedup of one entrant over another.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Gain {
    /// The ratio of state changes a second, in the geometric mean of the games.
    pub ratio: f64,
    /// The standard error of its logarithm.
    pub error: f64,
    /// The ratio in each game.
    pub games: Vec<f64>,
}

/// A smaller gain does not justify a change of the defaults.
const LEAST: f64 = 1.01;

impl Gain {
    /// Returns whether it is significant, up to an error of one in forty, and not negligible.
    pub fn is_real(&self) -> bool {
        self.ratio.ln() > (2.0 * self.error).max(LEAST.ln())
    }

    /// Returns the gain of the other one.
    pub(super) fn inverse(self) -> Gain {
        Gain {
            ratio: 1.0 / self.ratio,
            error: self.error,
            games: self.games.into_iter().map(|ratio| 1.0 / ratio).collect(),
        }
    }

    /// Computes the gain from the logarithms of the ratios: by game, of each round.
    fn new(games: Vec<Vec<f64>>) -> Gain {
        let count = games.len() as f64;
        let (mut sum, mut variance, mut ratios) = (0.0, 0.0, Vec::new());
        for mut rounds in games {
            let middle = median(&mut rounds);
            let mut deviations: Vec<f64> =
                rounds.iter().map(|value| (value - middle).abs()).collect();
            let deviation = NORMAL_DEVIATION * median(&mut deviations);
            sum += middle;
            variance += (MEDIAN_ERROR * deviation).powi(2) / rounds.len() as f64;
            ratios.push(middle.exp());
        }
        Gain {
            ratio: (sum / count).exp(),
            error: variance.sqrt() / count,
            games: ratios,
        }
    }
}

/// The standard deviation of a normal distribution in median absolute deviations.
const NORMAL_DEVIATION: f64 = 1.4826;

/// The standard error of the median of a large normal sample in those of its mean.
const MEDIAN_ERROR: f64 = 1.2533;

/// The middle value, or the mean of the two in the middle. There must be one.
fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() % 2 {
        0 => (values[half - 1] + values[half]) / 2.0,
        _ => values[half],
    }
}

/// The extent of a measurement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heats {
    /// The number of times that each entrant plays each game, at least one.
    pub rounds: usize,
    /// The time for which it plays each time.
    pub slice: Duration,
    /// The [seed](crate::support::rng) of the random numbers.
    pub seed: u64,
}

/// Returns the gain of each entrant but the first over the first; none if a stop came.
pub(super) fn race(
    subjects: &[Subject],
    entrants: &[&Entrant],
    heats: Heats,
    stop: &Stop,
) -> Result<Option<Vec<Gain>>, MachineError> {
    // By entrant, game and round.
    let mut logs: Vec<Vec<Vec<f64>>> = vec![vec![Vec::new(); subjects.len()]; entrants.len()];
    for round in 0..heats.rounds {
        for (game, subject) in subjects.iter().enumerate() {
            for turn in 0..entrants.len() {
                let at = (turn + round) % entrants.len();
                let entrant = entrants[at];
                let speed = speed(subject, game, entrant, heats, round, stop)?;
                if stop.is_set() {
                    return Ok(None);
                }
                logs[at][game].push(speed.ln());
            }
        }
    }
    let first = logs.remove(0);
    let gains = logs.into_iter().map(|mut games| {
        for (value, base) in games.iter_mut().flatten().zip(first.iter().flatten()) {
            *value -= base;
        }
        Gain::new(games)
    });
    Ok(Some(gains.collect()))
}

/// Returns state changes a second. Unfinished matches count with the joint moves made so far.
fn speed(
    subject: &Subject,
    game: usize,
    entrant: &Entrant,
    heats: Heats,
    round: usize,
    stop: &Stop,
) -> Result<f64, MachineError> {
    let config = PlayoutConfig::default()
        .with_threads(entrant.settings.threads)
        .with_refill(entrant.settings.refill)
        .with_seed(heats.seed.wrapping_add(round as u64));
    let (compiled, progress) = (&entrant.engines[game], PlayoutProgress::default());
    let outcome = run_engine(
        &subject.game,
        &compiled.engine,
        compiled.steps.as_ref(),
        &config,
        &stop.within(heats.slice),
        &progress,
    )?;
    // Speeds are compared by their logarithms.
    let state_changes = outcome.tally.state_changes.max(1);
    // On a busy machine the time may be up before the run begins, which then takes none.
    let time = outcome.time.max(heats.slice);
    Ok(state_changes as f64 / time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gain(games: &[&[f64]]) -> Gain {
        let log = |rounds: &&[f64]| rounds.iter().map(|ratio| ratio.ln()).collect();
        Gain::new(games.iter().map(log).collect())
    }

    #[test]
    fn one_disturbed_round_does_not_count() {
        let steady = gain(&[&[1.1, 1.11, 1.09, 0.3, 1.1], &[0.99, 1.0, 1.01, 1.0, 1.0]]);
        assert!((steady.ratio - 1.1f64.sqrt()).abs() < 1e-9, "{steady:?}");
        assert!((steady.games[0] - 1.1).abs() < 1e-9);
        assert!(steady.is_real());
    }

    #[test]
    fn noise_and_trifles_are_no_gain() {
        assert!(!gain(&[&[1.3, 0.8, 1.1, 0.9, 1.06]]).is_real());
        assert!(!gain(&[&[1.005, 1.005, 1.005]]).is_real());
        assert!(!gain(&[&[0.5, 0.5, 0.5]]).is_real());
        assert!(!gain(&[&[1.0]]).is_real());
    }
}
