//! The search for the settings that play fastest on this CPU.
//!
//! Coordinate descent: one [`Parameter`] after the other, each value against the best settings so
//! far, on all games; significant gains are kept. In the end the best settings are checked against
//! the defaults, for many small gains may have been luck: if they are not better, the defaults
//! stay. Code is compiled before the clock starts.
//!
//! The objective is the number of state changes a second of random playouts, in the geometric mean
//! of the games.

mod parameter;
mod race;
mod subject;

use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use propjit_jit::code::CompileError;
use propjit_stop::Stop;
use serde::Serialize;

pub use parameter::Parameter;
pub use race::Gain;
use race::{Entrant, Heats, race};
pub use subject::Subject;

use crate::game::machine::MachineError;
use crate::game::profile::Settings;
use crate::support::setters::setters;

/// How to tune.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TuneConfig {
    /// The time limit. Measurements that have begun by then are brought to an end shortly.
    pub time: Duration,
    /// The [seed](crate::support::rng) of the random numbers.
    pub seed: u64,
    /// The largest number of threads for playouts.
    pub cores: usize,
}

impl Default for TuneConfig {
    /// A minute, the seed 0, all cores.
    fn default() -> TuneConfig {
        TuneConfig {
            time: Duration::from_secs(60),
            seed: 0,
            cores: available_parallelism().map_or(1, usize::from),
        }
    }
}

impl TuneConfig {
    setters! {
        with_time(time: Duration);
        with_seed(seed: u64);
        with_cores(cores: usize);
    }
}

/// The outcome of tuning.
#[derive(Clone, Debug, Serialize)]
pub struct Tuning {
    /// The settings from which tuning started.
    pub defaults: Settings,
    /// The parameters that were tuned, in order.
    pub parameters: Vec<Tuned>,
    /// The parameters for which there was no time.
    pub left: Vec<&'static str>,
    /// The best settings: the defaults, unless there was a gain.
    pub best: Settings,
    /// The final gains of the settings that were found; unless they are really better than others,
    /// those are the best. Empty if nothing was found, or a stop came before.
    pub checks: Vec<Check>,
    /// Whether a stop came.
    pub interrupted: bool,
}

/// The settings that were found against others.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// The others: the defaults, also with the same number of threads.
    pub against: Settings,
    /// The gain over them.
    pub gain: Gain,
}

/// The result for one parameter.
#[derive(Clone, Debug, Serialize)]
pub struct Tuned {
    /// The parameter's name.
    pub parameter: &'static str,
    /// The value that the others were compared with.
    pub before: String,
    /// The others.
    pub candidates: Vec<Candidate>,
    /// The value that was kept.
    pub chosen: String,
}

/// A value that was tried.
#[derive(Clone, Debug, Serialize)]
pub struct Candidate {
    /// The value.
    pub value: String,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: TuneOutcome,
}

/// The outcome of trying a value.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TuneOutcome {
    /// It was measured against the value before.
    Gain(Gain),
    /// There is no code with it.
    Unavailable(String),
}

/// Why nothing was tuned.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// The defaults cannot be compiled, so there is nothing to compare with.
    #[error("cannot compile the games with the default settings")]
    Compile(#[from] CompileError),
    /// A machine could not go on.
    #[error(transparent)]
    Machine(#[from] MachineError),
}

/// The number of times that each candidate plays each game.
const ROUNDS: usize = 7;

/// The number of times that the best settings and the defaults play each game in the end.
const CHECK_ROUNDS: usize = 15;

/// The final check of the best settings gets as much time as this many candidates.
const CHECK_SHARE: usize = 6;

/// Shorter slices would only measure the start of playouts.
const SHORTEST_SLICE: Duration = Duration::from_millis(4);

/// Longer ones gain nothing.
const LONGEST_SLICE: Duration = Duration::from_millis(500);

/// How long a candidate's compilation may take for one game: faster code does not help in a match
/// that is over by then.
const COMPILE_LIMIT: Duration = Duration::from_secs(2);

/// Tunes on these games, of which there must be at least one, calling `now` with a description of
/// each measurement.
///
/// When the time is up or a stop comes, the best settings so far are the result.
///
/// # Errors
/// When a game cannot be compiled or played.
pub fn tune(
    subjects: &[Subject],
    config: &TuneConfig,
    stop: &Stop,
    mut now: impl FnMut(&str),
) -> Result<Tuning, TuneError> {
    now("the defaults");
    let start = Instant::now();
    let defaults = Settings::default();
    let mut tuner = Tuner {
        subjects,
        config,
        stop,
        deadline: start.checked_add(config.time).unwrap_or(start),
        best: Entrant::new(subjects, &defaults, Duration::MAX, stop)?,
    };
    tracing::info!(?config, "tuning");
    let mut tuning = Tuning {
        best: defaults.clone(),
        defaults,
        parameters: Vec::new(),
        left: Vec::new(),
        checks: Vec::new(),
        interrupted: false,
    };
    for (number, parameter) in Parameter::ALL.into_iter().enumerate() {
        now(parameter.name());
        let candidates = tuner.candidates(parameter);
        if candidates.is_empty() {
            continue;
        }
        let to_come = &Parameter::ALL[number + 1..];
        match tuner.tune(parameter, &candidates, to_come)? {
            Some(tuned) => tuning.parameters.push(tuned),
            None => tuning.left.push(parameter.name()),
        }
    }
    now("the best against the defaults");
    tuning.checks = tuner.check(&tuning.defaults)?;
    tuning.interrupted = stop.is_set();
    // If interrupted before the check, each gain is taken as real.
    let mut beaten_by = tuning.checks.iter().filter(|check| !check.gain.is_real());
    tuning.best = match beaten_by.next() {
        Some(check) => check.against.clone(),
        None => tuner.best.settings,
    };
    Ok(tuning)
}

struct Tuner<'a> {
    subjects: &'a [Subject],
    config: &'a TuneConfig,
    stop: &'a Stop,
    deadline: Instant,
    /// The best settings so far.
    best: Entrant,
}

impl Tuner<'_> {
    fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// The other values of a parameter.
    fn candidates(&self, parameter: Parameter) -> Vec<Settings> {
        parameter.others(&self.best.settings, self.config.cores)
    }

    /// Tries the candidates for a parameter and keeps the best one, leaving time for the
    /// parameters `to_come`. None if there is not enough time, or a stop came.
    fn tune(
        &mut self,
        parameter: Parameter,
        candidates: &[Settings],
        to_come: &[Parameter],
    ) -> Result<Option<Tuned>, TuneError> {
        if self.time_left().is_zero() || self.stop.is_set() {
            return Ok(None);
        }
        let to_come = to_come
            .iter()
            .map(|&later| self.candidates(later).len() + 1);
        let all = candidates.len() + 1 + CHECK_SHARE + to_come.sum::<usize>();
        let share = (candidates.len() + 1) as f64 / all as f64;
        let end = Instant::now() + self.time_left().mul_f64(share);
        let (mut racing, mut reasons) = (Vec::new(), Vec::new());
        for settings in candidates {
            if Instant::now() >= end {
                reasons.push(Some("no time left to compile it".to_string()));
                continue;
            }
            let entrant = Entrant::new(self.subjects, settings, COMPILE_LIMIT, self.stop);
            reasons.push(entrant.as_ref().err().map(CompileError::to_string));
            racing.extend(entrant);
        }
        if self.stop.is_set() {
            return Ok(None);
        }
        let before = self.best.settings.clone();
        let time = end.saturating_duration_since(Instant::now());
        let Some(gains) = self.race(&racing, ROUNDS, time)? else {
            return Ok(None);
        };
        let best = (0..gains.len())
            .filter(|&at| gains[at].is_real())
            .max_by(|&a, &b| gains[a].ratio.total_cmp(&gains[b].ratio));
        if let Some(best) = best {
            self.best = racing.swap_remove(best);
        }
        let mut gains = gains.into_iter();
        let outcomes = reasons.into_iter().map(|reason| match reason {
            Some(reason) => TuneOutcome::Unavailable(reason),
            None => TuneOutcome::Gain(gains.next().expect("all others have raced")),
        });
        let candidate = |(settings, outcome)| Candidate {
            value: parameter.value(settings),
            outcome,
        };
        Ok(Some(Tuned {
            parameter: parameter.name(),
            before: parameter.value(&before),
            candidates: candidates.iter().zip(outcomes).map(candidate).collect(),
            chosen: parameter.value(&self.best.settings),
        }))
    }

    /// Returns the gains of the best settings over the defaults, and over these on as many threads,
    /// since threads gain so much that they would hide losses of other settings. Uses all the time
    /// that is left.
    fn check(&self, defaults: &Settings) -> Result<Vec<Check>, TuneError> {
        let best = &self.best.settings;
        let mut rivals = vec![defaults.clone()];
        rivals.push(Settings {
            threads: best.threads,
            ..defaults.clone()
        });
        rivals.dedup();
        rivals.retain(|rival| rival != best);
        let compiled = |rival| Entrant::new(self.subjects, rival, Duration::MAX, self.stop);
        let entrants: Result<Vec<Entrant>, _> = rivals.iter().map(compiled).collect();
        if self.stop.is_set() {
            return Ok(Vec::new());
        }
        let entrants = entrants?;
        if entrants.is_empty() {
            return Ok(Vec::new());
        }
        let gains = self.race(&entrants, CHECK_ROUNDS, self.time_left())?;
        let gains = gains.into_iter().flatten().map(Gain::inverse);
        let check = |(against, gain)| Check { against, gain };
        Ok(rivals.into_iter().zip(gains).map(check).collect())
    }

    /// Returns the gain of others over the best so far; none if a stop came.
    fn race(
        &self,
        others: &[Entrant],
        rounds: usize,
        time: Duration,
    ) -> Result<Option<Vec<Gain>>, TuneError> {
        let entrants: Vec<&Entrant> = [&self.best].into_iter().chain(others).collect();
        let slices = (rounds * self.subjects.len() * entrants.len()) as u32;
        let heats = Heats {
            rounds,
            slice: (time / slices).clamp(SHORTEST_SLICE, LONGEST_SLICE),
            seed: self.config.seed,
        };
        Ok(race(self.subjects, &entrants, heats, self.stop)?)
    }
}
