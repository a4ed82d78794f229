//! Matches between policies, many at a time.

use propjit_stop::Stop;
use rand::RngExt;

use super::evaluation::logistic;
use super::policy::{Judge, Policy};
use super::samples::Samples;
use crate::ground::GroundGame;
use crate::machine::{MachineError, RoleId, State};
use crate::playout::RunLimits;
use crate::rng::GameRng;
use crate::search::evaluator::Evaluator;
use crate::search::successor::{NodeInfo, Siblings, Successor, Turn};
use crate::search::symmetry::{Symmetry, symmetries};
use crate::statistics::Moments;

/// How many matches are played at a time at most, and where playouts decide.
const MOST_AT_A_TIME: usize = 128;
const MOST_AT_A_TIME_BY_PLAYOUTS: usize = 32;

/// About how many successors, or playouts from them, there are at a time: enough to fill the lanes, few
/// enough for matches to end soon. And how many matches at least.
const AT_A_TIME: f64 = 2048.0;
const LEAST_AT_A_TIME: usize = 4;

/// In how many states symmetries are tried out.
const TRIED_STATES: usize = 60;

/// How far what is learned of a state is what came of it, instead of what was expected after each
/// decision: the λ of temporal differences (Sutton, "Learning to Predict by the Methods of Temporal
/// Differences", 1988).
const TRACE: f32 = 0.8;

/// The chance in a match.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chance {
    /// The probability of a random decision.
    pub noise: f64,
    /// How many decisions are made at random at the start, at most.
    pub opening: u32,
}

/// A game for two roles that take turns, and what plays it.
pub(super) struct SelfPlay<'a> {
    evaluator: &'a mut dyn Evaluator,
    /// The lowest and the highest goal of each role.
    ranges: [(f32, f32); 2],
    start: Successor,
    /// How many successors a state has, in the mean of the last ones.
    branching: f64,
    rng: GameRng,
}

/// How much is played.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    /// How many decisions.
    pub decisions: u64,
    /// How many successors of states, at most.
    pub successors: u64,
    /// How many matches have to be over, at least.
    pub matches: u64,
}

impl Work {
    /// The part of each of so many that do it together.
    pub(super) fn part(self, of: u64) -> Work {
        Work {
            decisions: self.decisions.div_ceil(of),
            successors: self.successors.div_ceil(of),
            matches: self.matches.div_ceil(of),
        }
    }
}

/// Matches that are under way.
#[derive(Default)]
pub(super) struct Matches {
    running: Vec<Match>,
    started: u64,
}

/// What came of matches.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    /// What the first policy got of the range of goals, match by match.
    pub score: Moments<f64>,
    /// How many decisions were made.
    pub decisions: u64,
    /// How many successors there were.
    successors: u64,
    /// How many matches are over.
    over: u64,
    /// Whether the roles together always got as much as one of them can.
    pub is_shared: bool,
}

impl Default for Outcome {
    /// Nothing yet: as far as is known, what one role gets the other one does not.
    fn default() -> Outcome {
        Outcome {
            score: Moments::default(),
            decisions: 0,
            successors: 0,
            over: 0,
            is_shared: true,
        }
    }
}

impl Outcome {
    /// Adds what came of other matches.
    pub(super) fn merge(&mut self, other: &Outcome) {
        self.score.merge(&other.score);
        self.decisions += other.decisions;
        self.successors += other.successors;
        self.over += other.over;
        self.is_shared &= other.is_shared;
    }
}

/// Why matches cannot be played to the end.
#[derive(Debug)]
pub(super) enum NoOutcome {
    /// Several roles decide at once.
    Simultaneous,
    /// A stop came.
    Stopped,
    /// The machine cannot go on.
    Machine(MachineError),
}

impl From<MachineError> for NoOutcome {
    fn from(error: MachineError) -> NoOutcome {
        NoOutcome::Machine(error)
    }
}

/// A match.
struct Match {
    number: u64,
    state: State,
    info: NodeInfo,
    /// How many decisions are still made at random.
    opening: u32,
    /// The states after these, packed, who was to move, and how was decided.
    states: Vec<u64>,
    to_move: Vec<RoleId>,
    decisions: Vec<Decision>,
}

/// A decision in a match.
#[derive(Clone, Copy, Debug)]
struct Decision {
    /// What the roles can expect if the best is done, as far as that is known.
    expected: Option<[f32; 2]>,
    /// Whether it was made at random.
    is_random: bool,
}

/// What is learned from matches.
pub(super) struct Lessons<'a> {
    /// The states after the opening.
    pub samples: &'a mut Samples,
    /// The same of one of so many matches, which are not among the samples.
    pub held_out: (&'a mut Samples, usize),
}

impl Lessons<'_> {
    /// Adds what can be learned from a match with these results.
    fn add(&mut self, one: &Match, results: [f32; 2]) {
        let (held_out, part) = &mut self.held_out;
        if one.number.is_multiple_of(*part as u64) {
            let results = std::iter::repeat_n(results, one.to_move.len());
            held_out.add_match(&one.states, &one.to_move, results);
        } else {
            let targets = one.targets(results).into_iter();
            self.samples.add_match(&one.states, &one.to_move, targets);
        }
    }
}

impl<'a> SelfPlay<'a> {
    /// Matches that the evaluator plays.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub(super) fn new(
        evaluator: &'a mut dyn Evaluator,
        ranges: [(f32, f32); 2],
        rng: GameRng,
    ) -> Result<SelfPlay<'a>, MachineError> {
        let state = evaluator.initial_state()?;
        let start = evaluator.skip_forced_moves(&state, 0)?;
        let branching = match start.info.turn {
            Turn::Over(_) => 1,
            _ => {
                let legal = evaluator.legal_moves(&start.state)?;
                legal.iter().map(Vec::len).max().unwrap_or(1)
            }
        };
        Ok(SelfPlay {
            start,
            branching: branching as f64,
            evaluator,
            ranges,
            rng,
        })
    }

    /// Goes on with matches of a policy against itself, and learns from those that are over by then. If
    /// a stop comes, less was played.
    pub(super) fn go_on(
        &mut self,
        matches: &mut Matches,
        policy: Policy<'_>,
        work: Work,
        chance: Chance,
        mut lessons: Lessons<'_>,
        stop: &Stop,
    ) -> Result<Outcome, NoOutcome> {
        let mut judges = [policy; 2].map(Judge::new);
        let mut outcome = Outcome::default();
        let is_enough = |outcome: &Outcome| {
            outcome.over >= work.matches
                && (outcome.decisions >= work.decisions || outcome.successors >= work.successors)
        };
        while !is_enough(&outcome) {
            self.fill(matches, &judges, chance);
            let lessons = Some(&mut lessons);
            if !self.advance(matches, &mut judges, chance, &mut outcome, lessons, stop)? {
                break;
            }
        }
        Ok(outcome)
    }

    /// Plays matches between two policies, which change their roles from match to match, until
    /// there were so many decisions, and to the end. If a stop comes, the matches that are over by then
    /// count, unless most are not.
    pub(super) fn play(
        &mut self,
        policies: [Policy<'_>; 2],
        decisions: u64,
        chance: Chance,
        stop: &Stop,
    ) -> Result<Outcome, NoOutcome> {
        let mut judges = policies.map(Judge::new);
        let mut matches = Matches::default();
        let mut outcome = Outcome::default();
        loop {
            if outcome.decisions < decisions {
                self.fill(&mut matches, &judges, chance);
            }
            if matches.running.is_empty() {
                return Ok(outcome);
            }
            if !self.advance(&mut matches, &mut judges, chance, &mut outcome, None, stop)? {
                return match 2 * outcome.over > matches.started {
                    true => Ok(outcome),
                    false => Err(NoOutcome::Stopped),
                };
            }
        }
    }

    /// Starts as many matches as there should be at a time.
    fn fill(&mut self, matches: &mut Matches, judges: &[Judge; 2], chance: Chance) {
        let playouts = judges.iter().filter_map(|judge| match judge {
            Judge::Playouts(playouts) => Some(playouts.matches),
            _ => None,
        });
        let (most, each) = match playouts.max() {
            Some(playouts) => (MOST_AT_A_TIME_BY_PLAYOUTS, playouts as f64),
            None => (MOST_AT_A_TIME, 1.0),
        };
        let fitting = AT_A_TIME / (each * self.branching);
        let fitting = (fitting as usize).clamp(LEAST_AT_A_TIME, most);
        while matches.running.len() < fitting {
            matches.running.push(self.start(matches.started, chance));
            matches.started += 1;
        }
    }

    /// Makes a decision in each of the matches, or in the first few. Tells whether it did: not if a stop
    /// comes.
    fn advance(
        &mut self,
        matches: &mut Matches,
        judges: &mut [Judge; 2],
        chance: Chance,
        outcome: &mut Outcome,
        mut lessons: Option<&mut Lessons<'_>>,
        stop: &Stop,
    ) -> Result<bool, NoOutcome> {
        let states = matches
            .running
            .iter()
            .map(|one| (&one.state, one.info.depth));
        let states: Vec<_> = states.collect();
        let found = self.evaluator.expand(&states, stop)?;
        for (at, one) in matches.running.iter().take(found.len()).enumerate() {
            if let Some(Judge::Playouts(playouts)) = one.decides(judges) {
                playouts.queue(found.get(at).successors);
            }
        }
        for judge in &mut *judges {
            if let Judge::Playouts(playouts) = judge {
                let states = std::mem::take(&mut playouts.states);
                let values = self.playout_values(&states, playouts.matches, stop)?;
                let Some(values) = values else {
                    return Ok(false);
                };
                playouts.values = values.into_iter();
            }
        }
        if found.is_empty() {
            return Ok(false);
        }
        // Those that there was no room for are first the next time.
        let waiting = matches.running.split_off(found.len());
        let running = std::mem::replace(&mut matches.running, waiting);
        let mut successors = 0;
        for (at, mut one) in running.into_iter().enumerate() {
            let next = found.get(at).successors;
            let Turn::One(role) = one.info.turn else {
                return Err(NoOutcome::Simultaneous);
            };
            outcome.decisions += 1;
            successors += next.infos.len() as u64;
            let policy = (one.number + u64::from(role.0)) % 2;
            let judge = &mut judges[policy as usize];
            let (best, expected) = self.best(one.state.words(), next, role, judge);
            let is_random = one.opening > 0 || self.rng.random_bool(chance.noise);
            let chosen = match is_random {
                true => self.rng.random_range(0..next.infos.len()),
                false => best,
            };
            if let (Some(lessons), 0) = (&lessons, one.opening) {
                let decision = Decision {
                    expected,
                    is_random,
                };
                one.note(role, decision, lessons.samples.words());
            }
            one.opening = one.opening.saturating_sub(1);
            one.state.assign(next.state(chosen));
            one.info = next.infos[chosen].clone();
            let Turn::Over(goals) = &one.info.turn else {
                matches.running.push(one);
                continue;
            };
            let results = [0, 1].map(|role| self.unit(RoleId(role as u32), goals[role]));
            outcome.is_shared &= (results[0] + results[1] - 1.0).abs() < 1e-3;
            outcome.score.add(results[(one.number % 2) as usize], 1);
            outcome.over += 1;
            if let (Some(lessons), false) = (&mut lessons, one.to_move.is_empty()) {
                lessons.add(&one, results);
            }
        }
        self.branching = (successors as f64 / found.len() as f64).max(1.0);
        outcome.successors += successors;
        Ok(true)
    }

    /// The mean of what the roles get in playouts from each of these states, in which somebody decides, unless a
    /// stop comes.
    pub(super) fn playout_values(
        &mut self,
        states: &[State],
        matches: u64,
        stop: &Stop,
    ) -> Result<Option<Vec<[f32; 2]>>, NoOutcome> {
        let runner = self.evaluator.runner();
        let ids = states
            .iter()
            .map(|state| runner.queue_mut().add_going(state, Some(matches)));
        let ids: Vec<_> = ids.collect();
        let limits = RunLimits::default()
            .with_enough(states.len())
            .with_stop(stop.clone());
        runner.play(&limits)?;
        let is_done = runner.queue().finished() == states.len();
        let mean = |id| {
            let tally = runner.queue().tally(id);
            [0, 1].map(|role| {
                let sum = tally.goals[role].values.sum as f32;
                sum / tally.rollouts().max(1) as f32
            })
        };
        let means: Vec<[f32; 2]> = ids.into_iter().map(mean).collect();
        runner.clear();
        let units =
            |means: [f32; 2]| [0, 1].map(|role| self.unit(RoleId(role as u32), means[role]));
        Ok(is_done.then(|| means.into_iter().map(units).collect()))
    }

    /// The symmetries of the game that hold in some of these states.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub(super) fn symmetries(
        &mut self,
        game: &GroundGame,
        samples: &Samples,
        stop: &Stop,
    ) -> Result<Vec<Symmetry>, MachineError> {
        let step = samples.len().div_ceil(TRIED_STATES).max(1);
        let states = samples.each().step_by(step).map(|sample| {
            let mut state = State::new();
            state.assign(sample.state);
            state
        });
        let states: Vec<State> = states.collect();
        symmetries(game, self.evaluator, &states, stop)
    }

    fn start(&mut self, number: u64, chance: Chance) -> Match {
        Match {
            number,
            state: self.start.state.clone(),
            info: self.start.info.clone(),
            opening: self.rng.random_range(0..=chance.opening),
            states: Vec::new(),
            to_move: Vec::new(),
            decisions: Vec::new(),
        }
    }

    /// The place of the successor of a state that is best for a role, or by chance one of those
    /// that are; and what the roles can expect there.
    fn best(
        &mut self,
        state: &[u64],
        next: Siblings<'_>,
        role: RoleId,
        judge: &mut Judge,
    ) -> (usize, Option<[f32; 2]>) {
        if let Judge::Evaluation(scorer) = judge {
            scorer.log_odds(state.iter().copied(), role);
        }
        let (mut best, mut greatest, mut equal) = (0, None, 0);
        for (place, info) in next.infos.iter().enumerate() {
            let log_odds = match (&info.turn, &mut *judge) {
                (Turn::Over(goals), _) => [RoleId(0), RoleId(1)]
                    .map(|role| log_odds(self.unit(role, goals[role.index()]))),
                (&Turn::One(to_move), Judge::Evaluation(scorer)) => {
                    let state = next.state(place).iter().copied();
                    scorer.log_odds_beside(state, to_move)
                }
                (Turn::One(_), Judge::Playouts(playouts)) => {
                    let values = playouts.values.next().expect("each has a value");
                    values.map(|value| log_odds(value.clamp(1e-3, 1.0 - 1e-3)))
                }
                _ => [0.0; 2],
            };
            let value = log_odds[role.index()];
            let before = greatest.map(|greatest: [f32; 2]| greatest[role.index()]);
            if before.is_none_or(|before| value > before) {
                (best, greatest, equal) = (place, Some(log_odds), 1);
            } else if before == Some(value) {
                equal += 1;
                if self.rng.random_range(0..equal) == 0 {
                    best = place;
                }
            }
        }
        let is_over = matches!(next.infos[best].turn, Turn::Over(_));
        let expected = greatest.filter(|_| is_over || !matches!(judge, Judge::Random));
        (best, expected.map(|log_odds| log_odds.map(logistic)))
    }

    /// A goal as a share of the range of goals.
    fn unit(&self, role: RoleId, goal: f32) -> f32 {
        let (low, high) = self.ranges[role.index()];
        if high > low {
            (goal - low) / (high - low)
        } else {
            0.0
        }
    }
}

impl Match {
    /// What decides for who is to move, if it is one role.
    fn decides<'a>(&self, judges: &'a mut [Judge; 2]) -> Option<&'a mut Judge> {
        match self.info.turn {
            Turn::One(role) => judges.get_mut(((self.number + u64::from(role.0)) % 2) as usize),
            _ => None,
        }
    }

    /// Keeps what can be learned from a decision.
    fn note(&mut self, role: RoleId, decision: Decision, words: usize) {
        let state = self.state.words().iter().copied();
        let padded = state.chain(std::iter::repeat(0));
        self.states.extend(padded.take(words));
        self.to_move.push(role);
        self.decisions.push(decision);
    }

    /// What is to be learned of each state if the match brought these results. What was decided at
    /// random says nothing of what came before.
    fn targets(&self, results: [f32; 2]) -> Vec<[f32; 2]> {
        let mut target = results;
        let targets = self.decisions.iter().rev().map(|decision| {
            if let Some(expected) = decision.expected {
                let trace = if decision.is_random { 0.0 } else { TRACE };
                target =
                    [0, 1].map(|role| expected[role] + trace * (target[role] - expected[role]));
            }
            target
        });
        let mut targets: Vec<[f32; 2]> = targets.collect();
        targets.reverse();
        targets
    }
}

/// The logarithm of the odds.
fn log_odds(probability: f32) -> f32 {
    (probability / (1.0 - probability)).ln()
}
