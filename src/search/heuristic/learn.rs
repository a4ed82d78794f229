//! Learning: rounds of matches and training, and what the result is worth.

use std::sync::Arc;
use std::time::{Duration, Instant};

use propjit_stop::Stop;
use rand::Rng;

use super::effects::{Effect, effects};
use super::evaluation::{Evaluation, Scorer, logistic};
use super::samples::{Sample, Samples};
use super::self_play::{Chance, Lessons, NoOutcome, SelfPlay};
use super::store::{self, Known, StoreError};
use super::training::Training;
use crate::engine::MatchEngines;
use crate::ground::GroundGame;
use crate::machine::{MachineError, RoleId, State};
use crate::rng;
use crate::search::evaluator::lanes_evaluator;
use crate::setters::setters;
use crate::statistics::Moments;

/// How many joint moves a match may have.
const MAX_STEPS: u32 = 1000;

/// How many decisions the matches of a round have, about.
const DECISIONS: u64 = 25_000;

/// How many decisions the matches against random decisions have, about.
const TEST_DECISIONS: u64 = 10_000;

/// One of so many matches is not learned from, and how many samples of those are kept.
const HELD_OUT: usize = 5;
const MOST_HELD_OUT: usize = 30_000;

/// By what weights may be multiplied in the end.
const SCALES: [f32; 8] = [0.2, 0.3, 0.4, 0.55, 0.7, 0.85, 1.0, 1.2];

/// How many samples are drawn to learn from in a round.
const STEPS: usize = 100_000;

/// How many samples are kept.
const MOST_SAMPLES: usize = 200_000;

/// How much memory these may take, in bytes.
const MOST_BYTES: usize = 64 << 20;

/// By how many standard errors what is admitted has to be better.
const SIGMAS: f64 = 2.0;

/// By how much the loss has to be less than without features, in nats.
const LEAST_GAIN: f64 = 0.005;

/// How much an evaluation has to tell for what playouts do. In amazons, where it does harm, it is a
/// seventh.
const LEAST_SHARE: f64 = 0.75;

/// How many states are compared, with how many playouts each, and how long these may take.
const COMPARED: usize = 800;
const PLAYOUTS: u64 = 16;
const COMPARISON_TIME: Duration = Duration::from_secs(4);

/// What an evaluation has to get against random decisions that see the ends of matches.
const LEAST_SCORE: f64 = 0.75;

/// Chance while an evaluation learns, and while it is tested.
const LEARNING: Chance = Chance {
    noise: 0.1,
    opening: 12,
};
const TESTING: Chance = Chance {
    noise: 0.02,
    opening: 4,
};

/// How to learn.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HeuristicConfig {
    /// How long it may take. What has been learned by then is tested, which takes a little longer.
    pub time: Duration,
    /// How many rounds there are at most.
    pub rounds: u32,
    /// The [seed](crate::rng) of the random numbers.
    pub seed: u64,
}

impl Default for HeuristicConfig {
    /// Three seconds, 1000 rounds, the seed 0.
    fn default() -> HeuristicConfig {
        HeuristicConfig {
            time: Duration::from_secs(3),
            rounds: 1000,
            seed: 0,
        }
    }
}

impl HeuristicConfig {
    setters! {
        with_time(time: Duration);
        with_rounds(rounds: u32);
        with_seed(seed: u64);
    }
}

/// What was learned, and whether it is of use.
#[derive(Clone, Debug)]
pub struct Heuristic {
    /// The evaluation, unless the game has none.
    pub evaluation: Option<Arc<Evaluation>>,
    /// Whether it is of use.
    pub verdict: HeuristicVerdict,
    /// What propositions are worth in matches that it has not seen.
    pub effects: Vec<Effect>,
    /// How many rounds there were.
    pub rounds: u32,
    /// How many decisions were made in matches.
    pub decisions: u64,
    /// The mean logarithmic loss in matches that it has not seen, if there were any.
    pub loss: f64,
    /// By how much that is less than if every state had the mean value; each match counts once.
    pub gain: Moments<f64>,
    /// The gain by the mean of some playouts from the state instead, in some of these states.
    pub gain_by_playouts: Option<f64>,
    /// What it got of the range of goals against decisions that are random unless they end the
    /// match.
    pub score: Moments<f64>,
    /// How long it took.
    pub time: Duration,
}

/// Whether an evaluation is of use, and if not, why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeuristicVerdict {
    /// It tells how matches end, and wins.
    Admitted,
    /// The game is not one of two roles, neither of which plays at random.
    NotTwoRoles,
    /// Both roles decide at once somewhere.
    Simultaneous,
    /// It does not tell how matches end.
    NoGain,
    /// It does not tell much that playouts do not.
    WorseThanPlayouts,
    /// It does not win against random decisions.
    NoWins,
    /// A stop came before anything was learned.
    Stopped,
}

impl HeuristicVerdict {
    /// The verdict in words.
    pub fn text(self) -> &'static str {
        match self {
            HeuristicVerdict::Admitted => "admitted",
            HeuristicVerdict::NotTwoRoles => "not a game of two roles",
            HeuristicVerdict::Simultaneous => "the roles decide at once",
            HeuristicVerdict::NoGain => "does not tell how matches end",
            HeuristicVerdict::WorseThanPlayouts => "tells too little beside playouts",
            HeuristicVerdict::NoWins => "wins too little against random decisions",
            HeuristicVerdict::Stopped => "stopped",
        }
    }
}

impl Heuristic {
    /// Learns from matches against itself, on one thread; `random` is the role that plays at
    /// random, if there is one. Playouts, to which the evaluation is compared, are those of the
    /// engines.
    ///
    /// The same seed gives the same result, unless the time is too short for all rounds.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub fn learn(
        engines: &MatchEngines,
        random: Option<RoleId>,
        config: &HeuristicConfig,
        stop: &Stop,
    ) -> Result<Heuristic, MachineError> {
        let mut learner = Learner {
            found: Heuristic {
                evaluation: None,
                verdict: HeuristicVerdict::Stopped,
                effects: Vec::new(),
                rounds: 0,
                decisions: 0,
                loss: 0.0,
                gain: Moments::default(),
                gain_by_playouts: None,
                score: Moments::default(),
                time: Duration::ZERO,
            },
            start: Instant::now(),
            config,
            stop,
        };
        let verdict = match learner.run(engines, random) {
            Ok(verdict) => verdict,
            Err(NoOutcome::Simultaneous) => HeuristicVerdict::Simultaneous,
            Err(NoOutcome::Stopped) => HeuristicVerdict::Stopped,
            Err(NoOutcome::Machine(error)) => return Err(error),
        };
        let mut found = learner.found;
        found.verdict = verdict;
        found.time = learner.start.elapsed();
        tracing::debug!(
            verdict = verdict.text(),
            rounds = found.rounds,
            time = ?found.time,
            "learned an evaluation"
        );
        Ok(found)
    }

    /// Keeps the evaluation that was learned like this, or that it is of no use, so that the next
    /// search of the game starts with that; unless profiles are switched off or there was no
    /// verdict.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&self, game: &GroundGame, config: &HeuristicConfig) -> Result<(), StoreError> {
        match self.verdict {
            HeuristicVerdict::Stopped => Ok(()),
            _ => {
                let evaluation = self.admitted().map(|evaluation| (**evaluation).clone());
                let time = config.time;
                store::save(game, &Known { evaluation, time })
            }
        }
    }

    /// The evaluation, if it is of use.
    pub fn admitted(&self) -> Option<&Arc<Evaluation>> {
        let is_admitted = self.verdict == HeuristicVerdict::Admitted;
        self.evaluation.as_ref().filter(|_| is_admitted)
    }
}

struct Learner<'a> {
    found: Heuristic,
    start: Instant,
    config: &'a HeuristicConfig,
    stop: &'a Stop,
}

impl Learner<'_> {
    fn run(
        &mut self,
        engines: &MatchEngines,
        random: Option<RoleId>,
    ) -> Result<HeuristicVerdict, NoOutcome> {
        let mut streams = rng::streams(self.config.seed);
        let mut rng = streams.next().expect("streams do not end");
        let game = engines.engines().game();
        let mut evaluator = lanes_evaluator(engines, MAX_STEPS, rng.next_u64());
        let (&[first, second], None) = (&evaluator.goal_ranges()[..], random) else {
            return Ok(HeuristicVerdict::NotTwoRoles);
        };
        let own = streams.next().expect("streams do not end");
        let mut play = SelfPlay::new(&mut *evaluator, [first, second], own)?;
        let bases = game.layout().bases.len();
        let words = bases.div_ceil(64).max(1);
        let most = MOST_SAMPLES.min(MOST_BYTES / (8 * words));
        let (mut samples, mut held_out) = (Samples::new(words), Samples::new(words));
        let mut training: Option<Training> = None;
        let stop = self.stop.within(self.config.time);
        for round in 0..self.config.rounds {
            let policy = self.found.evaluation.as_ref();
            let lessons = Lessons {
                samples: &mut samples,
                held_out: (&mut held_out, HELD_OUT),
            };
            let lessons = Some(lessons);
            let played = play.play([policy; 2], DECISIONS, LEARNING, lessons, &stop);
            let outcome = match played {
                // What was learned before is as good as it is.
                Err(NoOutcome::Stopped) if !self.stop.is_set() && round > 0 => break,
                played => played?,
            };
            self.found.decisions += outcome.decisions;
            samples.keep_last(most);
            held_out.keep_last(MOST_HELD_OUT.min(most));
            let training = training
                .get_or_insert_with(|| Training::new(bases, &samples, outcome.is_shared, &mut rng));
            if self.stop.is_set() {
                return Err(NoOutcome::Stopped);
            }
            training.learn(&samples, STEPS, &mut rng);
            self.found.evaluation = Some(Arc::new(training.evaluation()));
            self.found.rounds = round + 1;
        }
        let Some(evaluation) = self.found.evaluation.clone() else {
            return Err(NoOutcome::Stopped);
        };
        let (evaluation, loss, gain) = calibrate(&held_out, &evaluation);
        let evaluation = Arc::new(evaluation);
        (self.found.loss, self.found.gain) = (loss, gain);
        self.found.evaluation = Some(evaluation.clone());
        self.found.effects = effects(&held_out, &evaluation);
        self.test(&mut play, &evaluation, &held_out)
    }

    /// By how much the loss in some states that were not learned from is less than if every state
    /// had the mean value: with the evaluation, and with the mean of some playouts from the state.
    fn compare(
        &self,
        play: &mut SelfPlay<'_>,
        held_out: &Samples,
        evaluation: &Arc<Evaluation>,
    ) -> Result<[f64; 2], NoOutcome> {
        let step = held_out.len().div_ceil(COMPARED).max(1);
        let chosen = || held_out.each().step_by(step);
        let states = chosen().map(|sample| {
            let mut state = State::new();
            state.assign(sample.state);
            state
        });
        let states: Vec<State> = states.collect();
        let stop = self.stop.within(COMPARISON_TIME);
        let played = play.playout_values(&states, PLAYOUTS, &stop)?;
        let log_odds = played.into_iter().map(|value| {
            // Not all or nothing, however few playouts there were.
            let value = (value * PLAYOUTS as f32 + 0.5) / (PLAYOUTS + 1) as f32;
            (value / (1.0 - value)).ln()
        });
        let mut scorer = Scorer::new(evaluation.clone());
        let means = means(chosen());
        let (mut without, mut with, mut by_playouts) = (0.0, 0.0, [0.0; SCALES.len()]);
        for (sample, log_odds) in chosen().zip(log_odds) {
            let result = sample.results[0];
            let [value, _] = scorer.values(sample.state.iter().copied(), sample.to_move);
            without += loss(means[sample.to_move.index()], result);
            with += loss(value, result);
            for (sum, scale) in by_playouts.iter_mut().zip(SCALES) {
                *sum += loss(logistic(scale * log_odds), result);
            }
        }
        let by_playouts = by_playouts.into_iter().fold(f64::INFINITY, f64::min);
        let count = states.len().max(1) as f64;
        Ok([with, by_playouts].map(|loss| (without - loss) / count))
    }

    /// Finds out what an evaluation is worth.
    fn test(
        &mut self,
        play: &mut SelfPlay<'_>,
        evaluation: &Arc<Evaluation>,
        held_out: &Samples,
    ) -> Result<HeuristicVerdict, NoOutcome> {
        let [gain, by_playouts] = self.compare(play, held_out, evaluation)?;
        self.found.gain_by_playouts = Some(by_playouts);
        let policies = [Some(evaluation), None];
        let outcome = play.play(policies, TEST_DECISIONS, TESTING, None, self.stop)?;
        self.found.score = outcome.score;
        let is_above_playouts = gain >= LEAST_SHARE * by_playouts;
        let is_above = |moments: &Moments<f64>, least: f64| {
            let (mean, error) = (moments.mean(), moments.standard_error());
            let bound = |(mean, error)| mean - SIGMAS * error > least;
            mean.zip(error).is_some_and(bound)
        };
        Ok(if !is_above(&self.found.gain, LEAST_GAIN) {
            HeuristicVerdict::NoGain
        } else if !is_above_playouts {
            HeuristicVerdict::WorseThanPlayouts
        } else if !is_above(&self.found.score, LEAST_SCORE) {
            HeuristicVerdict::NoWins
        } else {
            HeuristicVerdict::Admitted
        })
    }
}

/// The evaluation with all weights multiplied by what suits matches best that it has not learned
/// from; with that, the loss and the gain.
///
/// The last rounds count most in what is learned, so that values are too far from the middle.
fn calibrate(samples: &Samples, evaluation: &Arc<Evaluation>) -> (Evaluation, f64, Moments<f64>) {
    let scaled = SCALES.map(|scale| {
        let evaluation = Evaluation::new(&evaluation.weights().scaled(scale));
        let (loss, gain) = losses(samples, &Arc::new(evaluation.clone()));
        (evaluation, loss, gain)
    });
    let best = scaled.into_iter().min_by(|a, b| a.1.total_cmp(&b.1));
    best.expect("there are some scales")
}

/// The mean logarithmic loss of the first role's results, and by how much that is less than
/// if every state had the mean of those with the same role to move: each match counts once.
fn losses(samples: &Samples, evaluation: &Arc<Evaluation>) -> (f64, Moments<f64>) {
    let means = means(samples.each());
    let mut scorer = Scorer::new(evaluation.clone());
    let (mut all, mut gain) = (Moments::<f64>::default(), Moments::default());
    for samples in samples.by_match() {
        let mut gains = Moments::<f64>::default();
        for sample in samples {
            let state = sample.state.iter().copied();
            let [value, _] = scorer.values(state, sample.to_move);
            let loss = loss(value, sample.results[0]);
            let without = self::loss(means[sample.to_move.index()], sample.results[0]);
            all.add(loss, 1);
            gains.add(without - loss, 1);
        }
        gain.add(gains.mean().unwrap_or(0.0), 1);
    }
    (all.mean().unwrap_or(0.0), gain)
}

/// The mean result of the first role, by who is to move.
fn means<'a>(samples: impl Iterator<Item = Sample<'a>>) -> [f32; 2] {
    let mut results = [Moments::<f64>::default(); 2];
    for sample in samples {
        results[sample.to_move.index()].add(sample.results[0], 1);
    }
    results.map(|results| results.mean().unwrap_or(0.5) as f32)
}

/// The logarithmic loss of a value where this is the result.
fn loss(value: f32, result: f32) -> f64 {
    let value = value.clamp(1e-6, 1.0 - 1e-6);
    let (value, result) = (f64::from(value), f64::from(result));
    -(result * value.ln() + (1.0 - result) * (1.0 - value).ln())
}
