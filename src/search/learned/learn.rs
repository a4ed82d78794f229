//! Learning: rounds of matches and training, and the trial of the result.

use std::sync::Arc;
use std::time::{Duration, Instant};

use propjit_stop::Stop;
use rand::Rng;

use super::config::HeuristicConfig;
use super::discovery::inputs;
use super::effects::{Effect, effects};
use super::evaluation::Evaluation;
use super::loss::calibrate;
use super::match_play::{Lessons, MAX_STEPS};
use super::policy::Policy;
use super::samples::Samples;
use super::schedule::{Traces, step_length};
use super::search_matches::{BetweenSearches, PlaySearchMatch, SearchMatch};
use super::self_play::{Chance, NoOutcome, SelfPlay, Work};
use super::store::{Known, StoreError};
use super::team::{Team, beside};
use super::training::Training;
use super::trial::{Trial, TrialResult};
use super::trust::{Trust, TrustedEvaluation};
use super::verdict::HeuristicVerdict;
use super::weights::Roles;
use crate::game::engine::MatchEngines;
use crate::game::ground::GroundGame;
use crate::game::load::Game;
use crate::game::machine::MachineError;
use crate::search::expansion::lanes_evaluator;
use crate::support::rng;
use crate::support::statistics::Moments;

/// The work of a round: a number of decisions, or fewer where states have many successors. The first round
/// has some matches to learn from.
const ROUND: Work = Work {
    decisions: 25_000,
    successors: 500_000,
    matches: 1,
};
const FIRST_MATCHES: u64 = 20;

/// The share of the time that the first round may take, and the search for inputs and for symmetries.
const FIRST_SHARE: f64 = 0.3;
const INPUTS_SHARE: f64 = 0.1;
const SYMMETRIES_SHARE: f64 = 0.1;

/// The time left to the trial of what was learned: the time of this many rounds, but no more than this
/// share of all and this long.
const TRIAL_ROUNDS: u32 = 4;
const TRIAL_SHARE: f64 = 0.2;
const MAX_TRIAL_TIME: Duration = Duration::from_secs(2);

/// The time left to matches between searches: the time of this many, by how long one takes after half of
/// the time, but no more than this share of all. If fewer fit into that than may be informative, there are
/// none, and all the time is for learning: in skirmish and speedChess matches take a second or two.
const SEARCH_MATCHES: u32 = 10;
const MIN_SEARCH_MATCHES: u32 = 6;
const SEARCHES_SHARE: f64 = 0.2;

/// One in `HELD_OUT` matches is not learned from, and the number of samples of those that are kept.
const HELD_OUT: usize = 5;
const MAX_HELD_OUT: usize = 30_000;

/// How many samples are drawn to learn from in a round, for each decision in it.
const STEPS: u64 = 2;

/// How many samples are kept.
const MAX_SAMPLES: usize = 200_000;

/// How much memory these may take, in bytes.
const MAX_BYTES: usize = 64 << 20;

/// Chance in the matches that it learns from.
const LEARNING: Chance = Chance {
    noise: 0.05,
    opening: 12,
};

/// The result of learning, and whether it helps.
#[derive(Clone, Debug)]
pub struct Heuristic {
    /// The evaluation, unless the game has none.
    pub evaluation: Option<Arc<Evaluation>>,
    /// Whether it helps.
    pub verdict: HeuristicVerdict,
    /// How far it is trusted, if it helps.
    pub trust: Option<Trust>,
    /// The effects of propositions in matches that it has not seen.
    pub effects: Vec<Effect>,
    /// How many rounds there were.
    pub rounds: u32,
    /// The number of symmetries of the game, without the identity, that served to learn more from each
    /// state.
    pub symmetries: usize,
    /// How many decisions were made in matches.
    pub decisions: u64,
    /// The mean logarithmic loss in matches that it has not seen, if there were any.
    pub loss: f64,
    /// By how much that is less than if every state had the mean value; each match counts once.
    pub gain: Moments<f64>,
    /// Its worth beside playouts and in matches, unless there was no evaluation to try.
    pub result: Option<TrialResult>,
    /// How long it took.
    pub time: Duration,
}

impl Heuristic {
    /// Learns a ground game from matches against itself. Playouts, to which the evaluation is compared, are those of
    /// these engines of the game.
    ///
    /// The same seed gives the same result, unless the time is too short for all rounds.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub fn learn(
        game: &Game,
        engines: &MatchEngines,
        config: &HeuristicConfig,
        stop: &Stop,
    ) -> Result<Heuristic, MachineError> {
        let mut learner = Learner {
            found: Heuristic {
                evaluation: None,
                verdict: HeuristicVerdict::Stopped,
                trust: None,
                effects: Vec::new(),
                rounds: 0,
                symmetries: 0,
                decisions: 0,
                loss: 0.0,
                gain: Moments::default(),
                result: None,
                time: Duration::ZERO,
            },
            start: Instant::now(),
            paused: Duration::ZERO,
            config,
            stop,
        };
        let verdict = match learner.run(game, engines) {
            Ok(verdict) => verdict,
            Err(NoOutcome::Stopped) if stop.is_set() => HeuristicVerdict::Stopped,
            Err(NoOutcome::Stopped) => HeuristicVerdict::TooSlow,
            Err(NoOutcome::Machine(error)) => return Err(error),
        };
        let time = learner.elapsed();
        let mut found = learner.found;
        found.verdict = verdict;
        found.trust = verdict.trust();
        let known = config.known.as_ref().filter(|known| known.trust.is_some());
        if let (HeuristicVerdict::TooSlow | HeuristicVerdict::Stopped, Some(known)) =
            (verdict, known)
        {
            // Earlier findings hold.
            (found.evaluation, found.trust) = (known.evaluation.clone(), known.trust);
        }
        found.time = time;
        tracing::debug!(
            verdict = verdict.text(),
            rounds = found.rounds,
            time = ?found.time,
            gain = found.gain.mean(),
            result = ?found.result,
            "learned an evaluation"
        );
        Ok(found)
    }

    /// Keeps the result of learning, so that the next search of the game starts with it if it helps, and
    /// the next learning may go on from it; unless profiles are switched off, there was no verdict, or no
    /// time to learn anything.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&self, game: &GroundGame, config: &HeuristicConfig) -> Result<(), StoreError> {
        match self.verdict {
            HeuristicVerdict::Stopped => Ok(()),
            // Nothing was learned that could take the place of what is kept.
            HeuristicVerdict::TooSlow if self.evaluation.is_none() => Ok(()),
            _ => self.known(config).save(game),
        }
    }

    /// Returns what is known of the game now.
    pub fn known(&self, config: &HeuristicConfig) -> Known {
        let before = config.known.as_ref();
        Known {
            evaluation: self.evaluation.clone(),
            trust: self.trust,
            time: before
                .map_or(Duration::ZERO, |known| known.time)
                .saturating_add(config.time),
        }
    }

    /// Returns the evaluation, if it helps.
    pub fn admitted(&self) -> Option<TrustedEvaluation> {
        TrustedEvaluation::new(self.evaluation.as_ref(), self.trust)
    }
}

struct Learner<'a> {
    found: Heuristic,
    start: Instant,
    /// How long it has waited since.
    paused: Duration,
    config: &'a HeuristicConfig,
    stop: &'a Stop,
}

impl Learner<'_> {
    /// How long it has learned.
    fn elapsed(&self) -> Duration {
        self.start.elapsed() - self.paused
    }

    fn run(
        &mut self,
        source: &Game,
        engines: &MatchEngines,
    ) -> Result<HeuristicVerdict, NoOutcome> {
        let mut streams = rng::streams(self.config.seed);
        let mut rng = streams.next().expect("streams do not end");
        let game = engines.engines().game();
        let threads = self.config.thread_count();
        let evaluators = (0..threads).map(|_| lanes_evaluator(engines, MAX_STEPS, rng.next_u64()));
        let mut evaluators: Vec<_> = evaluators.collect();
        let Some(roles) = Roles::of(game) else {
            return Ok(HeuristicVerdict::OtherRoles);
        };
        let players = (evaluators.iter_mut().zip(streams))
            .map(|(evaluator, own)| SelfPlay::new(&mut **evaluator, roles, own));
        let mut players: Vec<SelfPlay<'_>> = players.collect::<Result<_, _>>()?;
        if players[0].is_over_at_once() {
            return Ok(HeuristicVerdict::NoDecisions);
        }
        let mut team = Team::new(players.remove(0), players);
        let bases = game.layout().bases.len();
        let words = bases.div_ceil(64).max(1);
        let most = MAX_SAMPLES.min(MAX_BYTES / (8 * words));
        let (mut samples, mut held_out) = (Samples::new(words), Samples::new(words));
        let mut training: Option<Training> = None;
        let known = self.config.known.as_ref();
        let known = known.and_then(|known| known.evaluation.clone());
        self.found.evaluation = known.clone();
        let time = self.config.time;
        // The player of matches between searches: until it is known how long they take, and then, if there
        // is time for them.
        let (mut untimed, mut searches) = (self.config.search_matches, None);
        let mut searches_time = Duration::ZERO;
        let most_trial_time = time.mul_f64(TRIAL_SHARE).min(MAX_TRIAL_TIME);
        let mut trial_time = most_trial_time;
        for round in 0..self.config.rounds.unwrap_or(u32::MAX) {
            self.paused += self.config.pause.wait();
            let before = self.elapsed();
            let end = time.saturating_sub(trial_time + searches_time);
            let stop = (self.stop).within(end.saturating_sub(before));
            let progress = match self.config.rounds {
                Some(rounds) => round as f32 / rounds as f32,
                None => before.div_duration_f32(end),
            };
            let policy = match &self.found.evaluation {
                Some(evaluation) => Policy::Evaluation(evaluation),
                None => Policy::Random,
            };
            let lessons = Lessons {
                samples: &mut samples,
                held_out: (&mut held_out, HELD_OUT),
                // An evaluation that was learned before helps from the beginning.
                traces: Traces::at(if known.is_some() { 1.0 } else { progress }),
            };
            let is_first = training.is_none();
            let (work, until) = match is_first {
                true => {
                    let matches = FIRST_MATCHES;
                    (
                        Work { matches, ..ROUND },
                        stop.within(time.mul_f64(FIRST_SHARE)),
                    )
                }
                false => (ROUND, stop.clone()),
            };
            let outcome = team.play_on(policy, work, LEARNING, lessons, &until)?;
            self.found.decisions += outcome.decisions;
            samples.keep_last(most);
            held_out.keep_last(MAX_HELD_OUT.min(most));
            if self.stop.is_set() || samples.len() == 0 {
                return Err(NoOutcome::Stopped);
            }
            let steps = (STEPS * outcome.decisions) as usize;
            let training = match &mut training {
                Some(training) => training,
                None => {
                    let until = stop.within(time.mul_f64(SYMMETRIES_SHARE));
                    let symmetries = team.first().symmetries(game, &samples, &until)?;
                    let is_shared = outcome.is_shared;
                    let mut first = match &known {
                        Some(known) => Training::resumed(known, is_shared),
                        None => {
                            let until = stop.within(time.mul_f64(INPUTS_SHARE));
                            let inputs = inputs(source, game, &samples, &until);
                            Training::new(roles, inputs, &samples, is_shared, &mut rng)
                        }
                    };
                    first = first.with_symmetries(symmetries);
                    self.found.symmetries = first.symmetries();
                    if known.is_some() {
                        samples.find_patterns(first.inputs());
                        first.estimate(&samples, steps, &mut rng, &stop);
                    }
                    training.insert(first)
                }
            };
            // An evaluation that was learned before remains as it is.
            if stop.is_set() && self.found.evaluation.is_some() {
                break;
            }
            samples.find_patterns(training.inputs());
            training.learn(&samples, steps, step_length(progress), &mut rng, &stop);
            let evaluation = Arc::new(training.evaluation());
            self.found.evaluation = Some(evaluation.clone());
            self.found.rounds = round + 1;
            let round_time = self.elapsed() - before;
            trial_time = most_trial_time.min(TRIAL_ROUNDS * round_time);
            if let Some(play) = untimed.take_if(|_| progress >= 0.5)
                && let Some(time) = self.time_for_searches(play, engines, evaluation)?
            {
                (searches, searches_time) = (Some(play), time);
            }
        }
        let Some(evaluation) = self.found.evaluation.clone() else {
            return Err(NoOutcome::Stopped);
        };
        let (evaluation, loss, gain) = calibrate(&held_out, &evaluation);
        let evaluation = Arc::new(evaluation);
        (self.found.loss, self.found.gain) = (loss, gain);
        self.found.evaluation = Some(evaluation.clone());
        self.found.effects = effects(&held_out, &evaluation);
        let time = time.saturating_sub(searches_time);
        // The standard of comparison is playouts with decisive moves, if these are known in time.
        if !engines.engines().analysis_pause().is_on() {
            let left = time.saturating_sub(self.elapsed());
            engines.wait_for_decisive(Instant::now() + left / 2);
        }
        let trial = Trial {
            evaluation: &evaluation,
            held_out: &held_out,
            time: time.saturating_sub(self.elapsed()),
            stop: self.stop,
        };
        let mut result = trial.run(&mut team)?;
        let played = match searches {
            None => BetweenSearches::default(),
            Some(play) => BetweenSearches::play(|trust, number| {
                let first = SearchMatch {
                    engines,
                    evaluation: &TrustedEvaluation {
                        evaluation: evaluation.clone(),
                        trust,
                    },
                    number,
                    seed: self.config.seed,
                };
                self.search_matches(play, first, self.config.time)
            })?,
        };
        result.between_searches = self.config.search_matches.map(|_| played);
        let verdict = result.verdict(&self.found.gain);
        self.found.result = Some(result);
        Ok(verdict)
    }

    /// How much time is left to matches between searches, by how long they take, unless too few would fit into what there may be.
    fn time_for_searches(
        &mut self,
        play: PlaySearchMatch,
        engines: &MatchEngines,
        evaluation: Arc<Evaluation>,
    ) -> Result<Option<Duration>, MachineError> {
        let trust = Trust::Full;
        let first = SearchMatch {
            engines,
            evaluation: &TrustedEvaluation { evaluation, trust },
            number: 0,
            seed: self.config.seed,
        };
        let most = self.config.time.mul_f64(SEARCHES_SHARE);
        let start = self.elapsed();
        let played = self.search_matches(play, first, start + most / MIN_SEARCH_MATCHES)?;
        let each = (self.elapsed() - start).checked_div(played.len() as u32);
        Ok(each.map(|each| most.min(SEARCH_MATCHES * each)))
    }

    /// Returns the results of a match between searches and those after it, as many as there are threads,
    /// and as are over when learning has taken this long.
    fn search_matches(
        &mut self,
        play: PlaySearchMatch,
        first: SearchMatch<'_>,
        end: Duration,
    ) -> Result<Vec<f32>, MachineError> {
        self.paused += self.config.pause.wait();
        let stop = &self.stop.within(end.saturating_sub(self.elapsed()));
        let job = |number| move || play(&SearchMatch { number, ..first }, stop);
        let others = (1..self.config.thread_count() as u64).map(|more| job(first.number + more));
        let (own, found) = beside(others.collect(), job(first.number));
        let played = std::iter::once(own).chain(found);
        played.filter_map(Result::transpose).collect()
    }
}
