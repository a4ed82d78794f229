//! Beliefs of a role during a match.

use std::collections::BTreeMap;
use std::sync::Arc;

use propjit_stop::Stop;

use super::explanation::explain;
use super::observation::Observation;
use super::population::Population;
use super::successors::Step;
use crate::game::engine::Engines;
use crate::game::machine::expansion::Expander;
use crate::game::machine::{Move, RoleId};
use crate::support::rng::{GameRng, streams};
use crate::support::setters::setters;

/// How often a way back is tried from each earlier population before an observation counts as unexplained.
const TRIES: usize = 3;

/// The most states that a SAT solver finds where all ways back led nowhere.
const EXPLANATIONS: usize = 64;

/// How a belief is kept.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BeliefConfig {
    /// The number of hypotheses that are kept at most. While there are no more, the belief is exact.
    pub hypotheses: usize,
    /// The memory for earlier populations, from which other states are found where none is left, in bytes.
    pub memory: usize,
    /// The [seed](crate::support::rng) of the random numbers.
    pub seed: u64,
}

impl Default for BeliefConfig {
    /// 16,384 hypotheses, 64 MiB and the seed 0.
    fn default() -> BeliefConfig {
        BeliefConfig {
            hypotheses: 1 << 14,
            memory: 64 << 20,
            seed: 0,
        }
    }
}

impl BeliefConfig {
    setters! {
        with_hypotheses(hypotheses: usize);
        with_memory(memory: usize);
        with_seed(seed: u64);
    }
}

/// What a role may take for the state of a match, and for what the others know. See the [module](super).
///
/// ```
/// # use propjit::game::load::{Game, Setup};
/// use propjit::game::machine::RoleId;
/// use propjit::search::beliefs::{Belief, BeliefConfig, Observation};
/// use propjit_stop::Stop;
///
/// // A coin lies heads or tails up; the guesser hears it fall.
/// let rules = "(role guesser) (role random) (init (step 1)) (side heads) (side tails)
///     (<= (legal random (throw ?s)) (true (step 1)) (side ?s)) (<= (legal random wait) (true (step 2)))
///     (<= (legal guesser wait) (true (step 1))) (<= (legal guesser (say ?s)) (true (step 2)) (side ?s))
///     (<= (next (coin ?s)) (does random (throw ?s))) (<= (next (coin ?s)) (true (coin ?s)))
///     (<= (next (step 2)) (true (step 1))) (<= (next (said ?s)) (does guesser (say ?s)))
///     (<= (sees guesser clink) (does random (throw ?s)))
///     (<= right (true (coin ?s)) (true (said ?s)))
///     (<= terminal (true (said ?s))) (<= (goal guesser 100) right) (<= (goal guesser 0) (not right)) (goal random 0)";
/// let game = Game::from_text("coin.kif", rules, &Setup::default())?;
/// let (ground, engines) = (game.ground_game().unwrap(), game.engines().unwrap());
/// let guesser = RoleId(0);
/// let mut belief = Belief::new(engines, guesser, BeliefConfig::default());
/// let wait = ground.parse_move(guesser, "wait")?;
/// let heard = Observation::from_texts(ground, guesser, wait, &["clink"], false)?;
/// belief.observe(&heard, &Stop::new())?;
/// assert_eq!(belief.population().states(), 2);
/// let heads = ground.parse_state(&["(coin heads)"])?.iter().next().unwrap();
/// assert_eq!(belief.population().probability_of(heads), 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Belief {
    expander: Expander,
    role: RoleId,
    config: BeliefConfig,
    rng: GameRng,
    population: Arc<Population>,
    /// Whether no state was ever left out.
    is_exact: bool,
    /// What was observed of each joint move so far.
    past: Vec<Past>,
}

/// An observation, and the population before it if that is kept: that of the initial state is, and the last ones are.
#[derive(Debug)]
struct Past {
    population: Option<Arc<Population>>,
    observation: Observation,
}

/// An observation that no state explains which is thought possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("what was perceived is not explained by any state that is thought possible")]
pub struct Unexplained {
    /// Whether it contradicts the rules: all states were known that are possible.
    pub is_certain: bool,
}

impl Belief {
    /// The belief of a role at the start of a match.
    pub fn new(engines: &Arc<Engines>, role: RoleId, config: BeliefConfig) -> Belief {
        let expander = Expander::new(engines);
        let initial = engines.game().initial();
        Belief {
            population: Arc::new(Population::of(
                initial,
                expander.words(),
                engines.game().roles().len(),
            )),
            expander,
            role,
            rng: streams(config.seed).next().expect("streams do not end"),
            config,
            is_exact: true,
            past: Vec::new(),
        }
    }

    /// The states that are possible.
    pub fn population(&self) -> &Population {
        &self.population
    }

    /// Whether these are all states that are possible, with their exact probabilities.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// The number of joint moves that were observed.
    pub fn observed(&self) -> usize {
        self.past.len()
    }

    /// What was observed of each joint move so far.
    pub fn observations(&self) -> impl ExactSizeIterator<Item = &Observation> {
        self.past.iter().map(|past| &past.observation)
    }

    /// The legal moves of the role: those that are legal with the greatest probability. By good rules, a role knows its legal
    /// moves, which are then the same in all states that are possible.
    pub fn legal_moves(&mut self) -> Vec<Move> {
        let lanes = self.expander.poll().lanes();
        let count = self.population.len().min(lanes);
        let mut states = Vec::new();
        for number in 0..count {
            states.extend_from_slice(self.population.state(number));
        }
        let legal = self.expander.legal(&states);
        let mut weights: BTreeMap<Move, f64> = BTreeMap::new();
        for number in 0..count {
            for &played in legal.get(number).role(self.role) {
                *weights.entry(played).or_default() += self.population.probability(number);
            }
        }
        let greatest = weights.values().copied().fold(0.0, f64::max);
        // Sums in another order differ by rounding.
        weights.retain(|_, weight| *weight >= greatest * 0.999);
        weights.into_keys().collect()
    }

    /// Takes up what the role observed of the next joint move. If a stop comes, fewer states are found.
    ///
    /// # Errors
    /// If no state explains it. Then all that may follow without regard to the percepts counts as possible, so that play can
    /// go on.
    pub fn observe(&mut self, observation: &Observation, stop: &Stop) -> Result<(), Unexplained> {
        let before = self.population.clone();
        let was_exact = self.is_exact;
        let (mut next, is_all) = self.follow(&before, observation, self.config.hypotheses, stop);
        self.is_exact &= is_all;
        self.past.push(Past {
            population: Some(before.clone()),
            observation: observation.clone(),
        });
        let mut is_certain = was_exact && is_all;
        if next.is_empty() && !is_certain {
            match self.find_another_way(stop) {
                Some(found) => next = found,
                None => (next, is_certain) = self.explained(stop),
            }
        }
        let mut result = Ok(());
        if next.is_empty() {
            result = Err(Unexplained { is_certain });
            self.is_exact = false;
            let own = observation.own;
            let (any, _) = self.successors(&before, None, own, stop);
            next = self.limited(any, self.config.hypotheses).0;
        }
        if !next.is_empty() {
            self.population = Arc::new(next);
        }
        self.forget();
        result
    }

    /// The states that follow from a population and explain an observation, about `count` of them at most; and whether these
    /// are all.
    fn follow(
        &mut self,
        population: &Population,
        observation: &Observation,
        count: usize,
        stop: &Stop,
    ) -> (Population, bool) {
        let own = observation.own;
        let (found, is_all) = self.successors(population, Some(observation), own, stop);
        let (found, is_whole) = self.limited(found, count);
        (found, is_all && is_whole)
    }

    fn successors(
        &mut self,
        population: &Population,
        observation: Option<&Observation>,
        own: Move,
        stop: &Stop,
    ) -> (Population, bool) {
        let step = Step {
            role: self.role,
            own,
            observation,
        };
        step.successors(&mut self.expander, population, &mut self.rng, stop)
    }

    /// About `count` states of a population at most, and whether these are all.
    fn limited(&mut self, mut population: Population, count: usize) -> (Population, bool) {
        let is_whole = population.len() <= count;
        if !is_whole {
            population = population.resampled(count, &mut self.rng);
        }
        if !population.is_empty() {
            population.normalise();
        }
        (population, is_whole)
    }

    /// The states that follow from an earlier population and explain all that was observed since, if other states are
    /// drawn on the way.
    fn find_another_way(&mut self, stop: &Stop) -> Option<Population> {
        let kept = (0..self.past.len()).rev();
        let kept: Vec<usize> = kept
            .filter(|&at| self.past[at].population.is_some())
            .collect();
        for (tried, first) in kept.into_iter().enumerate() {
            // The earlier, the more is left out on the way.
            let count = self.config.hypotheses << tried.min(2);
            for _ in 0..TRIES {
                if stop.is_set() {
                    return None;
                }
                if let Some(found) = self.follow_all(first, count, stop) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// The same from the population before the observation with this number. The populations on the way take the places of
    /// those that led nowhere.
    fn follow_all(&mut self, first: usize, count: usize, stop: &Stop) -> Option<Population> {
        let mut way = vec![self.past[first].population.clone()?];
        for at in first..self.past.len() {
            let observation = self.past[at].observation.clone();
            let before = way[at - first].clone();
            let (next, _) = self.follow(&before, &observation, count, stop);
            if next.is_empty() {
                return None;
            }
            way.push(Arc::new(next));
        }
        let found = way.pop()?;
        for (past, population) in self.past[first..].iter_mut().zip(way) {
            past.population = Some(population);
        }
        Arc::into_inner(found).map(|found| self.limited(found, self.config.hypotheses).0)
    }

    /// States that a SAT solver finds by all that was observed; and whether it says that there are no others.
    fn explained(&mut self, stop: &Stop) -> (Population, bool) {
        let game = self.expander.game().clone();
        let observations = self.past.iter().map(|past| &past.observation);
        let most = self.config.hypotheses.min(EXPLANATIONS);
        let found = explain(&game, self.role, observations, most, stop);
        let (words, roles) = (self.expander.words(), game.roles().len());
        let mut population = Population::new(words, roles);
        for history in found.histories {
            let mut last = Population::of(game.initial(), words, roles);
            for (joint, past) in history.iter().zip(&self.past) {
                if last.is_empty() {
                    break;
                }
                let step = Step {
                    role: self.role,
                    own: past.observation.own,
                    observation: Some(&past.observation),
                };
                last = step.made(&mut self.expander, &last, joint);
            }
            population.add_all(&last);
        }
        if !population.is_empty() {
            population.normalise();
        }
        (population, found.are_all)
    }

    /// Forgets the earliest populations but the first, so that the others have room.
    fn forget(&mut self) {
        let bytes = |past: &Past| past.population.as_ref().map_or(0, |known| known.bytes());
        let mut used: usize = self.past.iter().map(bytes).sum();
        for past in self.past.iter_mut().skip(1) {
            if used <= self.config.memory {
                break;
            }
            used -= past.population.take().map_or(0, |known| known.bytes());
        }
    }
}
