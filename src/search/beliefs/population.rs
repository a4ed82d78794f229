//! Populations: hypotheses about a match, with weights.

use std::hash::{Hash, Hasher};

use rand::RngExt;
use rand::distr::weighted::WeightedIndex;
use rand::seq::SliceRandom;
use rustc_hash::FxHasher;

use crate::game::ground::GroundGame;
use crate::game::machine::{Move, State};
use crate::game::vocabulary::state::ones;
use crate::game::vocabulary::state_set::StateSet;
use crate::support::rng::GameRng;

/// Different hypotheses: states with what the other roles know then, each with a weight and the number of histories that lead
/// to it.
#[derive(Debug)]
pub struct Population {
    /// The number of words of a state, and of a hypothesis: a [`Knowledge`] for each role comes after its state.
    state_words: usize,
    words: usize,
    hypotheses: StateSet,
    weights: Vec<f64>,
    histories: Vec<f64>,
    total: f64,
}

/// A hash of all moves and percepts of a role so far.
pub type Knowledge = u64;

/// Zeros alone, as of the first move without percepts, would be hashed to zero, which is the knowledge at the start.
const SALT: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns what a role knows after it made a move and perceived something, packed, with that knowledge before.
pub fn knowledge_after(before: Knowledge, own: Move, percepts: &[u64]) -> Knowledge {
    let mut hasher = FxHasher::default();
    (SALT, before, own, percepts).hash(&mut hasher);
    hasher.finish()
}

impl Population {
    /// No hypotheses, the states of which would have this number of words, about the knowledge of this number of roles.
    pub(super) fn new(state_words: usize, roles: usize) -> Population {
        Population {
            state_words,
            words: state_words + roles,
            hypotheses: StateSet::new(state_words + roles),
            weights: Vec::new(),
            histories: Vec::new(),
            total: 0.0,
        }
    }

    /// A state in which all know all.
    pub(super) fn of(state: &State, state_words: usize, roles: usize) -> Population {
        let mut population = Population::new(state_words, roles);
        let hypothesis = state.packed(state_words + roles);
        population.add(&hypothesis, 1.0, 1.0);
        population
    }

    /// None of those of another one.
    pub(super) fn emptied(other: &Population) -> Population {
        Population::new(other.state_words, other.words - other.state_words)
    }

    /// Adds a hypothesis, with a weight and a number of histories; if it is there, it has the sums.
    pub(super) fn add(&mut self, hypothesis: &[u64], weight: f64, histories: f64) {
        let (number, is_new) = self.hypotheses.insert(hypothesis);
        if is_new {
            self.weights.push(0.0);
            self.histories.push(0.0);
        }
        self.weights[number as usize] += weight;
        self.histories[number as usize] += histories;
        self.total += weight;
    }

    /// Adds all hypotheses of another one.
    pub(super) fn add_all(&mut self, other: &Population) {
        for number in 0..other.len() {
            let (weight, histories) = (other.weights[number], other.histories[number]);
            self.add(other.hypothesis(number), weight, histories);
        }
    }

    /// The number of hypotheses.
    pub fn len(&self) -> usize {
        self.hypotheses.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of histories that lead to them; where some were left out, an estimate of the number that would lead to all
    /// (Horvitz and Thompson, "A generalization of sampling without replacement from a finite universe", 1952).
    pub fn histories(&self) -> f64 {
        self.histories.iter().sum()
    }

    /// The words of the packed state of a hypothesis.
    pub fn state(&self, number: usize) -> &[u64] {
        &self.hypothesis(number)[..self.state_words]
    }

    /// What each role knows by a hypothesis; 0 for the role whose belief this is.
    pub fn knowledge(&self, number: usize) -> &[Knowledge] {
        &self.hypothesis(number)[self.state_words..]
    }

    fn hypothesis(&self, number: usize) -> &[u64] {
        self.hypotheses.states(number, number + 1)
    }

    /// The number of different states.
    pub fn states(&self) -> usize {
        let mut states = StateSet::new(self.state_words);
        (0..self.len()).for_each(|number| _ = states.insert(self.state(number)));
        states.len()
    }

    /// The probability of a hypothesis.
    pub fn probability(&self, number: usize) -> f64 {
        self.weights[number] / self.total
    }

    pub(super) fn weight(&self, number: usize) -> f64 {
        self.weights[number]
    }

    pub(super) fn histories_of(&self, number: usize) -> f64 {
        self.histories[number]
    }

    /// The number of hypotheses of the same weight that would say as much: (Σw)² / Σw² (Kong, Liu and Wong, "Sequential imputations
    /// and Bayesian missing data problems", 1994).
    pub fn effective_size(&self) -> f64 {
        let squares: f64 = self.weights.iter().map(|weight| weight * weight).sum();
        if squares > 0.0 {
            self.total * self.total / squares
        } else {
            0.0
        }
    }

    /// The probability that a base proposition holds.
    pub fn probability_of(&self, base: usize) -> f64 {
        let holds = |&number: &usize| self.state(number)[base / 64] >> (base % 64) & 1 != 0;
        let holding = (0..self.len()).filter(holds);
        holding.map(|number| self.probability(number)).sum()
    }

    /// The canonical texts of the propositions that may hold, with their probabilities, the most probable one first. Those that
    /// hold in all states have the probability 1.
    pub fn propositions(&self, game: &GroundGame) -> Vec<(String, f64)> {
        let mut all = vec![(0.0, 0); 64 * self.state_words];
        for number in 0..self.len() {
            let probability = self.probability(number);
            for base in ones(self.state(number).iter().copied()) {
                all[base].0 += probability;
                all[base].1 += 1;
            }
        }
        let held = all
            .into_iter()
            .enumerate()
            .filter(|(_, (_, count))| *count > 0);
        let mut texts: Vec<(String, f64)> = held
            .map(|(base, (probability, count))| {
                // Sums of weights are rounded.
                let probability = if count == self.len() {
                    1.0
                } else {
                    probability
                };
                (game.base_text(base), probability)
            })
            .collect();
        texts.sort_by(|(a, p), (b, q)| q.total_cmp(p).then_with(|| a.cmp(b)));
        texts
    }

    /// The numbers of hypotheses, each with its probability; `None` if there are none.
    pub fn distribution(&self) -> Option<WeightedIndex<f64>> {
        WeightedIndex::new(&self.weights).ok()
    }

    /// Returns about `count` of the hypotheses, with weights so that each has the same expected weight as before (systematic
    /// resampling: Kitagawa, "Monte Carlo filter and smoother for non-Gaussian nonlinear state space models", 1996). The
    /// order of the hypotheses is changed, so that neighbours do not depend on each other.
    pub(crate) fn resampled(&self, count: usize, rng: &mut GameRng) -> Population {
        let step = self.total / count as f64;
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.shuffle(rng);
        let mut next = rng.random_range(0.0..1.0) * step;
        let mut sum = 0.0;
        let mut kept = Population::emptied(self);
        for number in order {
            sum += self.weights[number];
            let mut copies = 0.0;
            while next < sum {
                copies += 1.0;
                next += step;
            }
            if copies > 0.0 {
                // It stands for those that were left out, by the inverse of the probability with which it is kept.
                let stands_for = (step / self.weights[number]).max(1.0);
                let histories = self.histories[number] * stands_for;
                kept.add(self.hypothesis(number), copies * step, histories);
            }
        }
        kept
    }

    /// Scales weights so that their sum is one: they would become too small.
    pub(super) fn normalise(&mut self) {
        let total = self.total;
        self.weights.iter_mut().for_each(|weight| *weight /= total);
        self.total = 1.0;
    }

    /// The memory that it takes, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.len() * (StateSet::bytes_a_state(self.words) + 16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A move that is not observed changes what a role knows, too.
    #[test]
    fn each_move_adds_knowledge() {
        let mut all = vec![0];
        for _ in 0..3 {
            let last = all[all.len() - 1];
            all.push(knowledge_after(last, Move(0), &[]));
        }
        all.push(knowledge_after(0, Move(0), &[0]));
        all.push(knowledge_after(0, Move(1), &[]));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
