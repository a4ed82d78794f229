//! Self-play matches between policies, many at a time.

use std::ops::Range;

use propjit_stop::Stop;
use rand::RngExt;

use super::evaluation::shares;
use super::joint_moves::JointMoves;
use super::match_play::{Decision, Lessons, MAX_STEPS, Match};
use super::policy::{Judge, Policy, greatest};
use super::samples::Samples;
use super::schedule::Traces;
use super::weights::{Roles, Shares};
use crate::game::ground::GroundGame;
use crate::game::machine::expansion::successor::{
    Expansions, NodeInfo, Siblings, Successor, Successors, Turn,
};
use crate::game::machine::{MachineError, RoleId, State};
use crate::game::playout::RunLimits;
use crate::search::expansion::Evaluator;
use crate::search::symmetry::{Symmetry, symmetries};
use crate::support::rng::GameRng;
use crate::support::statistics::Moments;

/// How many matches are played at a time at most, and where playouts decide.
const MAX_AT_A_TIME: usize = 128;
const MAX_AT_A_TIME_BY_PLAYOUTS: usize = 32;

/// About how many successors, or playouts from them, there are at a time: enough to fill the lanes, few
/// enough for matches to end soon. And how many matches at least.
const AT_A_TIME: f64 = 2048.0;
const MIN_AT_A_TIME: usize = 4;

/// In how many states symmetries are tried out.
const TRIED_STATES: usize = 60;

/// The chance in a match.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chance {
    /// The probability of a random decision.
    pub noise: f64,
    /// How many decisions are made at random at the start, at most.
    pub opening: u32,
}

/// A game for several roles, and what plays it.
pub(super) struct SelfPlay<'a> {
    evaluator: &'a mut dyn Evaluator,
    roles: Roles,
    /// The lowest and the highest goal of each role.
    ranges: Vec<(i32, i32)>,
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
    /// Returns the part of each of `of` players that share the work.
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

/// The outcome of matches.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    /// The score of the first policy, match by match: with two roles, its share of the range of goals; with
    /// more, the share of the pairs of a role of its own and another one, of which one got more, in which
    /// that was its own.
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
    /// Nothing yet: so far, what one role gets the other one does not.
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

/// The joint moves in some matches, and where they lead to.
struct JointDecisions {
    successors: Successors,
    /// For each match, if several roles decide, the joint moves and the places of their successors.
    of: Vec<Option<(JointMoves, Range<usize>)>>,
}

impl<'a> SelfPlay<'a> {
    /// Matches that the evaluator plays.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub(super) fn new(
        evaluator: &'a mut dyn Evaluator,
        roles: Roles,
        rng: GameRng,
    ) -> Result<SelfPlay<'a>, MachineError> {
        let ranges = evaluator.goal_ranges();
        let state = evaluator.initial_state()?;
        let start = evaluator.skip_forced_moves(&state, 0)?;
        let branching = match start.info.turn.is_end() {
            true => 1,
            false => {
                let legal = evaluator.legal_moves(&start.state)?;
                legal.iter().map(Vec::len).max().unwrap_or(1)
            }
        };
        Ok(SelfPlay {
            start,
            branching: branching as f64,
            evaluator,
            roles,
            ranges,
            rng,
        })
    }

    /// Returns whether matches are over before any role has decided anything.
    pub(super) fn is_over_at_once(&self) -> bool {
        self.start.info.turn.is_end()
    }

    /// Goes on with matches of a policy against itself, and learns from those that are over by then. If
    /// a stop comes, less was played.
    pub(super) fn play_on(
        &mut self,
        matches: &mut Matches,
        policy: Policy<'_>,
        work: Work,
        chance: Chance,
        mut lessons: Lessons<'_>,
        stop: &Stop,
    ) -> Result<Outcome, NoOutcome> {
        let mut judges = [policy].map(Judge::new);
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

    /// Plays matches between two policies, which change their roles from match to match, until this number
    /// of decisions, and to the end. If a stop comes, the matches that are over by then count, unless most
    /// are not. The states of those that are over are added to `states`, if that is wanted, with the
    /// results.
    pub(super) fn play(
        &mut self,
        policies: [Policy<'_>; 2],
        decisions: u64,
        chance: Chance,
        states: Option<&mut Samples>,
        stop: &Stop,
    ) -> Result<Outcome, NoOutcome> {
        let mut judges = policies.map(Judge::new);
        let mut matches = Matches::default();
        let mut outcome = Outcome::default();
        // Nothing is learned from them: all matches are held out.
        let mut none = Samples::new(states.as_ref().map_or(0, |states| states.words()));
        let mut lessons = states.map(|states| Lessons {
            samples: &mut none,
            held_out: (states, 1),
            traces: Traces::at(1.0),
        });
        loop {
            if outcome.decisions < decisions {
                self.fill(&mut matches, &judges, chance);
            }
            if matches.running.is_empty() {
                return Ok(outcome);
            }
            let lessons = lessons.as_mut();
            if !self.advance(
                &mut matches,
                &mut judges,
                chance,
                &mut outcome,
                lessons,
                stop,
            )? {
                return match 2 * outcome.over > matches.started {
                    true => Ok(outcome),
                    false => Err(NoOutcome::Stopped),
                };
            }
        }
    }

    /// Starts as many matches as there should be at a time.
    fn fill(&mut self, matches: &mut Matches, judges: &[Judge], chance: Chance) {
        let playouts = judges.iter().filter_map(|judge| match judge {
            Judge::Playouts(playouts) => Some(playouts.matches),
            _ => None,
        });
        let (most, each) = match playouts.max() {
            Some(playouts) => (MAX_AT_A_TIME_BY_PLAYOUTS, playouts as f64),
            None => (MAX_AT_A_TIME, 1.0),
        };
        let fitting = AT_A_TIME / (each * self.branching);
        let fitting = (fitting as usize).clamp(MIN_AT_A_TIME, most);
        while matches.running.len() < fitting {
            matches.running.push(self.start(matches.started, chance));
            matches.started += 1;
        }
    }

    /// Makes a decision in each of the matches, or in the first few. Returns whether it did: not if a stop
    /// comes.
    fn advance(
        &mut self,
        matches: &mut Matches,
        judges: &mut [Judge],
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
        let running = &matches.running[..found.len()];
        let Some(joint) = self.joint_decisions(running, &found, stop)? else {
            return Ok(false);
        };
        let options = |at: usize| match &joint.of[at] {
            Some((_, places)) => joint.successors.siblings(places.clone()),
            None => found.get(at).successors,
        };
        let count = judges.len();
        for (at, one) in running.iter().enumerate() {
            for (number, judge) in judges.iter_mut().enumerate() {
                if let (Judge::Playouts(playouts), true) = (judge, one.asks(number, count)) {
                    let replies = joint.of[at]
                        .as_ref()
                        .map_or(1, |(moves, _)| moves.replies());
                    playouts.queue(options(at), playouts.matches.div_ceil(replies as u64));
                }
            }
        }
        for judge in &mut *judges {
            if let Judge::Playouts(playouts) = judge {
                let states = std::mem::take(&mut playouts.states);
                let values = self.playout_values(&states, stop)?;
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
            let next = options(at);
            outcome.decisions += 1;
            successors += next.infos.len() as u64;
            let joint = joint.of[at].as_ref().map(|(moves, _)| moves);
            let (role, best, expected) = self.decide(&one, next, joint, judges);
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
            if !one.info.turn.is_end() && one.info.depth < MAX_STEPS {
                matches.running.push(one);
                continue;
            }
            // A match that takes too long is worth nothing.
            let goal = |role: RoleId| one.info.turn.counted_goal(role);
            let results = self.roles.shares(|role| self.unit(role, goal(role)));
            outcome.is_shared &= (results.iter().sum::<f32>() - 1.0).abs() < 1e-3;
            outcome.score.add(self.score(one.number, results), 1);
            outcome.over += 1;
            if let (Some(lessons), false) = (&mut lessons, one.to_move.is_empty()) {
                lessons.add(&one, results);
            }
        }
        self.branching = (successors as f64 / found.len() as f64).max(1.0);
        outcome.successors += successors;
        Ok(true)
    }

    /// Returns the role that decides in the state of a match, or the first role if several do with these joint moves;
    /// the place of the best successor; and what the roles can expect then, if that is known. Where only chance plays,
    /// that is any successor, and as what it brings is a fair sample, nothing is expected.
    fn decide(
        &mut self,
        one: &Match,
        next: Siblings<'_>,
        joint: Option<&JointMoves>,
        judges: &mut [Judge],
    ) -> (RoleId, usize, Option<Shares>) {
        let count = judges.len();
        let judged = judges.iter_mut().enumerate().map(|(number, judge)| {
            let asked = one.asks(number, count);
            asked.then(|| self.log_odds(one, next, judge))
        });
        let judged: Vec<Vec<Shares>> = judged.map(Option::unwrap_or_default).collect();
        let of = |role: RoleId| one.judge_of(role, count);
        let role = one.info.turn.first().expect("somebody decides in it");
        if one.info.turn == Turn::One(role) && self.roles.is_random(role) {
            return (role, self.rng.random_range(0..next.infos.len()), None);
        }
        let best = match joint {
            Some(joint) => joint.best(self.roles, |role| &judged[of(role)], &mut self.rng),
            None => {
                let values = judged[of(role)].iter();
                greatest(values.map(|values| values[role.index()]), &mut self.rng)
            }
        };
        let is_over = next.infos[best].turn.is_end();
        let is_known = is_over || !matches!(judges[of(role)], Judge::Random);
        let expected = judged[of(role)][best];
        (role, best, is_known.then(|| shares(self.roles, expected)))
    }

    /// Returns the mean of what the roles get in playouts, this many from each of these states, in which
    /// some role decides, unless a stop comes.
    pub(super) fn playout_values(
        &mut self,
        states: &[(State, u64)],
        stop: &Stop,
    ) -> Result<Option<Vec<Shares>>, NoOutcome> {
        let runner = self.evaluator.runner();
        let ids = states
            .iter()
            .map(|(state, matches)| runner.queue_mut().add_going(state, Some(*matches)));
        let ids: Vec<_> = ids.collect();
        let limits = RunLimits::default()
            .with_enough(states.len())
            .with_stop(stop.clone());
        runner.play(&limits)?;
        let is_done = runner.queue().finished() == states.len();
        let mean = |id| {
            let tally = runner.queue().tally(id);
            self.roles.shares(|role| {
                let sum = tally.goals[role.index()].values.sum as f32;
                sum / tally.rollouts().max(1) as f32
            })
        };
        let means: Vec<Shares> = ids.into_iter().map(mean).collect();
        runner.clear();
        let units = |means: Shares| {
            self.roles
                .shares(|role| self.unit(role, means[role.index()]))
        };
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
        let states = samples
            .each()
            .step_by(step)
            .map(|sample| State::from_words(sample.state));
        let states: Vec<State> = states.collect();
        symmetries(game, self.evaluator, &states, stop)
    }

    fn start(&mut self, number: u64, chance: Chance) -> Match {
        Match {
            number,
            roles: self.roles,
            state: self.start.state.clone(),
            info: self.start.info.clone(),
            opening: self.rng.random_range(0..=chance.opening),
            states: Vec::new(),
            to_move: Vec::new(),
            decisions: Vec::new(),
        }
    }

    /// Returns the joint moves that are evaluated in those matches in which several roles decide, unless a
    /// stop comes.
    fn joint_decisions(
        &mut self,
        matches: &[Match],
        found: &Expansions,
        stop: &Stop,
    ) -> Result<Option<JointDecisions>, NoOutcome> {
        let (mut parents, mut moves) = (Vec::new(), Vec::new());
        let mut of = Vec::with_capacity(matches.len());
        for (at, one) in matches.iter().enumerate() {
            of.push((one.info.turn == Turn::Several).then(|| {
                let legal = found.get(at).legal;
                let joint = JointMoves::new(legal, &mut self.rng);
                let start = parents.len();
                parents.resize(start + joint.len(), (&one.state, one.info.depth));
                moves.extend(joint.moves(legal));
                (joint, start..parents.len())
            }));
        }
        let successors = match parents.is_empty() {
            true => Successors::default(),
            false => self.evaluator.follow_all(&parents, &moves, stop)?,
        };
        let is_done = successors.all().infos.len() == parents.len();
        Ok(is_done.then_some(JointDecisions { successors, of }))
    }

    /// The logarithms of the odds of all roles in what follows from the state of a match.
    fn log_odds(&self, one: &Match, next: Siblings<'_>, judge: &mut Judge) -> Vec<Shares> {
        if let (Judge::Evaluation(scorer), Some(role)) = (&mut *judge, one.info.turn.first()) {
            scorer.log_odds(one.state.words().iter().copied(), role);
        }
        let value = |(place, info): (usize, &NodeInfo)| match (&info.turn, &mut *judge) {
            (turn, _) if turn.is_end() => {
                let unit = |role: RoleId| self.unit(role, turn.counted_goal(role));
                self.roles.shares(|role| log_odds(unit(role)))
            }
            (turn, Judge::Evaluation(scorer)) => {
                let state = next.state(place).iter().copied();
                scorer.log_odds_beside(state, turn.first().unwrap_or(RoleId(0)))
            }
            (_, Judge::Playouts(playouts)) => {
                let values = playouts.values.next().expect("each has a value");
                let value = |role: RoleId| values[role.index()].clamp(1e-3, 1.0 - 1e-3);
                self.roles.shares(|role| log_odds(value(role)))
            }
            (_, Judge::Random) => [0.0; Roles::MOST],
        };
        next.infos.iter().enumerate().map(value).collect()
    }

    /// Returns the score of the first policy in a match with these results: see [`Outcome::score`].
    fn score(&self, number: u64, results: Shares) -> f32 {
        if self.roles.are_two() {
            return results[(number % 2) as usize];
        }
        self.roles
            .pairs_won(&results, |role| self.roles.side(number, role, 2) == 0)
    }

    /// A goal as a share of the range of goals.
    fn unit(&self, role: RoleId, goal: f32) -> f32 {
        let (low, high) = self.ranges[role.index()];
        let (low, high) = (low as f32, high as f32);
        if high > low {
            (goal - low) / (high - low)
        } else {
            0.0
        }
    }
}

/// The logarithm of the odds.
fn log_odds(probability: f32) -> f32 {
    (probability / (1.0 - probability)).ln()
}
