//! The measurement of a game's [figures](Figures) in random matches.

use std::collections::BTreeMap;
use std::time::Duration;

use propjit_stop::Stop;
use rand::RngExt;

use super::figures::{Depth, Figures, FirstPlayer, Lengths, RoleFigures, Share};
use super::probes::{DeadRules, ProbesError};
use super::state_share::StateShare;
use crate::game::load::{Game, LoadError, Setup};
use crate::game::machine::{MachineError, RoleId, State, StateMachine};
use crate::game::playout::{MatchSteps, RandomMatch, RandomMatches};
use crate::support::rng::{GameRng, streams};
use crate::support::setters::setters;
use crate::support::statistics::{Moments, NORMAL_95, wilson};

/// How a game is measured.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MeasureConfig {
    /// For how long matches are played. A fourth of it is spent on the search for dead rules.
    pub time: Duration,
    /// The number of matches after which to end at the latest.
    pub matches: Option<u64>,
    /// The number of joint moves that a match may have.
    pub max_steps: usize,
    /// The [seed](crate::support::rng) of the random moves.
    pub seed: u64,
}

impl Default for MeasureConfig {
    /// Two seconds, and at most 10,000 joint moves.
    fn default() -> MeasureConfig {
        MeasureConfig {
            time: Duration::from_secs(2),
            matches: None,
            max_steps: 10_000,
            seed: 0,
        }
    }
}

impl MeasureConfig {
    setters! {
        with_time(time: Duration);
        with_matches(matches: Option<u64>);
        with_max_steps(max_steps: usize);
        with_seed(seed: u64);
    }
}

/// One in `LOOKED_AT` states is examined for decisive moves.
const LOOKED_AT: u32 = 16;

/// Plays random matches of a game that was loaded with `setup`, and counts; nothing if no match
/// came to an end in time.
///
/// # Errors
/// When the game cannot be evaluated, or its copy with probes for dead rules cannot be loaded.
pub fn measure(
    game: &Game,
    setup: &Setup,
    config: &MeasureConfig,
    stop: &Stop,
) -> Result<Option<Figures>, MeasureError> {
    let mut all = streams(config.seed);
    let mut next = || all.next().expect("streams do not end");
    let counted = count(game, config, &stop.within(config.time * 3 / 4), next())?;
    if counted.lengths.is_empty() {
        return Ok(None);
    }
    let mut figures = counted.figures(game);
    figures.seed = config.seed;
    match dead_rules(game, setup, config, stop, next()) {
        Ok(found) => figures.dead_rules = Some(found.rules),
        Err(ProbesError::Machine(error)) => return Err(error.into()),
        Err(ProbesError::Load(error)) if !matches!(error, LoadError::Stopped) => {
            return Err(error.into());
        }
        Err(why) => figures.dead_rules_unknown = Some(why.to_string()),
    }
    Ok(Some(figures))
}

/// Why a game cannot be measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// It cannot be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The copy with probes cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// The counts.
#[derive(Default)]
struct Counts {
    states: u64,
    truncated: u64,
    stuck: u64,
    lengths: BTreeMap<usize, u64>,
    /// By depth, the numbers of legal joint moves.
    branching: Vec<Moments<f64>>,
    roles: Vec<RoleCounts>,
    /// For each role, the matches in which it had a choice before all others.
    first: Vec<u64>,
    /// All roles but that of chance.
    players: Vec<RoleId>,
    /// Matches in which all of them had a goal, and those in which one had the only best one.
    valued: u64,
    decided: u64,
    /// The states with a decisive move, of those that were examined.
    decisive: StateShare,
    /// The differences of the two roles' results.
    differences: Moments<f64>,
}

#[derive(Clone, Default)]
struct RoleCounts {
    /// The states in which it has a choice, and the numbers of moves there.
    deciding: StateShare,
    choices: Moments,
    /// The numbers of percepts of joint moves.
    percepts: Moments,
    goals: BTreeMap<i32, u64>,
    undefined: u64,
    results: [u64; 3],
}

/// The places of results among [`RoleCounts::results`].
const WIN: usize = 0;
const DRAW: usize = 1;
const LOSS: usize = 2;

fn count(
    game: &Game,
    config: &MeasureConfig,
    stop: &Stop,
    rng: GameRng,
) -> Result<Counts, MachineError> {
    let roles = game.rules().roles.len();
    let mut counts = Counts {
        roles: vec![RoleCounts::default(); roles],
        first: vec![0; roles],
        players: game.players().collect(),
        ..Counts::default()
    };
    let players = counts.players.clone();
    let greatest = greatest_goals(game);
    let has_percepts = game.rules().has_percepts();
    let mut matches = RandomMatches::new(game.machine(game.backend())?, config.max_steps, rng);
    let mut values = Vec::new();
    let mut seen_in_match: Vec<u64> = Vec::new();
    let mut played = 0;
    while config.matches.is_none_or(|most| played < most) {
        let mut first = None;
        seen_in_match.clear();
        let mut choices = vec![Moments::default(); roles];
        let mut percepts = vec![Moments::default(); roles];
        let (mut looked_at, mut decisive) = (0, 0);
        let end = matches.play(stop, &mut |machine, rng, seen| {
            let joint: f64 = seen
                .legal()
                .iter()
                .map(|legal| legal.len() as f64)
                .product();
            seen_in_match.push(joint.to_bits());
            let mut choosing = (RoleId::first(roles).zip(seen.legal()))
                .filter(|(_, legal)| legal.len() > 1)
                .map(|(role, _)| role);
            let (chooser, other) = (choosing.next(), choosing.next());
            for (choices, legal) in choices.iter_mut().zip(seen.legal()) {
                if legal.len() > 1 {
                    choices.add(legal.len() as i64, 1);
                }
            }
            for (role, percepts) in RoleId::first(roles).zip(&mut percepts) {
                if has_percepts {
                    let seen = machine.percepts(seen.state(), seen.joint(), role)?;
                    percepts.add(seen.len() as i64, 1);
                }
            }
            if first.is_none() {
                let has_choice = |role: &&RoleId| seen.legal()[role.index()].len() > 1;
                let mut choosing = players.iter().filter(has_choice);
                // The first role to move has no other beside it.
                if let Some(&role) = choosing.next() {
                    first = Some(choosing.next().is_none().then_some(role));
                }
            }
            if let (Some(role), None) = (chooser, other)
                && players.contains(&role)
                && rng.random_range(0..LOOKED_AT) == 0
            {
                looked_at += 1;
                let greatest = greatest.as_ref().map(|greatest| greatest[role.index()]);
                decisive += u64::from(has_decisive(machine, seen, role, greatest)?);
            }
            Ok(())
        })?;
        let Some(end) = end else {
            break;
        };
        if played == 0 {
            tracing::debug!("the first match is over");
        }
        played += 1;
        counts.decisive.add(decisive, looked_at);
        if let Some(Some(role)) = first {
            counts.first[role.index()] += 1;
        }
        let (last, machine) = matches.last();
        *counts.lengths.entry(last.length()).or_default() += 1;
        counts.states += seen_in_match.len() as u64;
        counts.branching.resize(
            counts.branching.len().max(seen_in_match.len()),
            Moments::default(),
        );
        for (depth, joint) in counts.branching.iter_mut().zip(&seen_in_match) {
            depth.add(f64::from_bits(*joint), 1);
        }
        for ((role, choices), percepts) in counts.roles.iter_mut().zip(&choices).zip(&percepts) {
            role.choices.merge(choices);
            role.percepts.merge(percepts);
            role.deciding.add(choices.count, seen_in_match.len() as u64);
        }
        match end {
            RandomMatch::Truncated => counts.truncated += 1,
            RandomMatch::Stuck(_) => counts.stuck += 1,
            RandomMatch::Terminal => {
                let mut goals = Vec::new();
                for role in RoleId::first(roles) {
                    machine.goals(last.state(), role, &mut values)?;
                    goals.push(match *values {
                        [value] => Some(value),
                        _ => None,
                    });
                }
                counts.end(&goals);
            }
        }
    }
    Ok(counts)
}

/// The greatest goal of each role that the network has.
fn greatest_goals(game: &Game) -> Option<Vec<i32>> {
    let roles = game.ground_game()?.propnet().roles.iter();
    Some(
        roles
            .map(|role| role.goals.last().map_or(100, |goal| goal.value))
            .collect(),
    )
}

/// Returns whether a move of the only role with a choice ends the match with its greatest goal, or
/// 100 if that is not known.
fn has_decisive(
    machine: &mut dyn StateMachine,
    seen: &MatchSteps,
    role: RoleId,
    greatest: Option<i32>,
) -> Result<bool, MachineError> {
    let mut joint = seen.joint().to_vec();
    let mut next = State::new();
    let mut values = Vec::new();
    for &played in &seen.legal()[role.index()] {
        joint[role.index()] = played;
        machine.next_state_unchecked(seen.state(), &joint, &mut next)?;
        if machine.is_terminal(&next)? {
            machine.goals(&next, role, &mut values)?;
            if values[..] == [greatest.unwrap_or(100)] {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Looks for dead rules in a fourth of the time.
fn dead_rules(
    game: &Game,
    setup: &Setup,
    config: &MeasureConfig,
    stop: &Stop,
    rng: GameRng,
) -> Result<DeadRules, ProbesError> {
    if let Some(reason) = game.grounding_error() {
        return Err(ProbesError::Ground(reason.clone()));
    }
    let limits = (config.max_steps, config.matches);
    DeadRules::find(game, setup, limits, config.time / 4, stop, rng)
}

impl Counts {
    /// Counts the goals at the end of a match.
    fn end(&mut self, goals: &[Option<i32>]) {
        for (role, goal) in self.roles.iter_mut().zip(goals) {
            match goal {
                Some(goal) => *role.goals.entry(*goal).or_default() += 1,
                None => role.undefined += 1,
            }
        }
        let goals = self.players.iter().map(|role| goals[role.index()]);
        let Some(goals) = goals.collect::<Option<Vec<i32>>>() else {
            return;
        };
        self.valued += 1;
        let result = |player: usize| {
            let others = goals.iter().enumerate();
            let others = others.filter(|&(other, _)| other != player);
            match others.map(|(_, &goal)| goal).max() {
                Some(best) if goals[player] > best => WIN,
                Some(best) if goals[player] < best => LOSS,
                None if goals[player] >= 100 => WIN,
                None if goals[player] <= 0 => LOSS,
                _ => DRAW,
            }
        };
        let results: Vec<usize> = (0..goals.len()).map(result).collect();
        for (role, &result) in self.players.iter().zip(&results) {
            self.roles[role.index()].results[result] += 1;
        }
        self.decided += u64::from(results.contains(&WIN));
        if let [first, second] = results[..] {
            let points = |result: usize| 1.0 - result as f64 / 2.0;
            self.differences.add(points(first) - points(second), 1);
        }
    }

    fn figures(&self, game: &Game) -> Figures {
        let matches: u64 = self.lengths.values().sum();
        let rules = game.rules();
        let names = rules.roles.iter().map(|&role| rules.terms.text(role));
        let names: Vec<String> = names.collect();
        let mut all = Moments::<f64>::default();
        self.branching.iter().for_each(|depth| all.merge(depth));
        let by_depth = self.branching.iter().enumerate();
        let roles = names.iter().zip(&self.roles);
        Figures {
            seed: 0,
            matches,
            states: self.states,
            truncated: self.truncated,
            stuck: self.stuck,
            lengths: lengths(&self.lengths),
            branching: all.mean().unwrap_or_default(),
            by_depth: by_depth
                .filter_map(|(depth, joint)| {
                    let (matches, branching) = (joint.count, joint.mean()?);
                    Some(Depth {
                        depth,
                        matches,
                        branching,
                    })
                })
                .collect(),
            roles: roles.map(|(name, role)| role.figures(name)).collect(),
            first_player: self.first_player(&names, matches),
            decided: (self.players.len() > 1)
                .then(|| share(self.decided as f64, self.valued))
                .flatten(),
            decisive_moves: self.decisive.share(),
            dead_rules: None,
            dead_rules_unknown: None,
        }
    }

    fn first_player(&self, names: &[String], matches: u64) -> Option<FirstPlayer> {
        let &[one, other] = &self.players[..] else {
            return None;
        };
        let begins = |role: &RoleId| self.first[role.index()] == matches;
        let first = [one, other].into_iter().find(begins)?;
        let sign = if first == one { 1.0 } else { -1.0 };
        let mean = sign * self.differences.mean()?;
        let error = NORMAL_95 * self.differences.standard_error()?;
        let interval = ((mean - error).max(-1.0), (mean + error).min(1.0));
        Some(FirstPlayer {
            role: names[first.index()].clone(),
            advantage: mean,
            interval,
        })
    }
}

impl RoleCounts {
    fn figures(&self, name: &str) -> RoleFigures {
        let [wins, draws, losses] = self.results;
        let valued = wins + draws + losses;
        let mut goals = Moments::<i128>::default();
        for (&goal, &count) in &self.goals {
            goals.add(goal, count);
        }
        RoleFigures {
            role: name.to_string(),
            choices: self.deciding.share(),
            branching: self.choices.mean(),
            percepts: self.percepts.mean(),
            wins,
            draws,
            losses,
            score: share(wins as f64 + draws as f64 / 2.0, valued),
            mean_goal: goals.mean(),
            goals: self
                .goals
                .iter()
                .map(|(&goal, &count)| (goal, count))
                .collect(),
            undefined: self.undefined,
        }
    }
}

/// A part of matches, unless there are none.
fn share(count: f64, of: u64) -> Option<Share> {
    let share = count / of as f64;
    (of > 0).then(|| Share {
        count,
        of,
        share,
        interval: wilson(share, of as f64),
    })
}

/// The lengths of matches, of which there are some.
fn lengths(counts: &BTreeMap<usize, u64>) -> Lengths {
    let mut moments = Moments::<i128>::default();
    for (&length, &count) in counts {
        moments.add(length as i64, count);
    }
    let quantile = |part: f64| {
        let wanted = (part * moments.count as f64).ceil().max(1.0) as u64;
        let mut below = 0;
        let mut all = counts.iter();
        let found = all.find(|&(_, &count)| {
            below += count;
            below >= wanted
        });
        found.map_or(0, |(&length, _)| length)
    };
    Lengths {
        mean: moments.mean().unwrap_or_default(),
        deviation: moments.variance().unwrap_or_default().sqrt(),
        least: quantile(0.0),
        lower_quartile: quantile(0.25),
        median: quantile(0.5),
        upper_quartile: quantile(0.75),
        greatest: quantile(1.0),
        counts: counts
            .iter()
            .map(|(&length, &count)| (length, count))
            .collect(),
    }
}
