//! Pairs of propositions that may be worth a weight of their own.
//!
//! What a piece is worth depends on those that can capture it and those that guard it. Names do
//! not tell which these are, but what moves do: propositions that one move changes have to do
//! with each other. A capture changes where the piece comes from and what was where it goes.

use rustc_hash::FxHashSet;

use super::evaluation::Scorer;
use super::features::Features;
use super::samples::Samples;
use crate::machine::RoleId;
use crate::state::ones;

/// A decision that changes more propositions says nothing of any two of them.
const MOST_CHANGES: usize = 12;

/// How many pairs there are at most to choose from.
const MOST_CANDIDATES: usize = 1 << 14;

/// In how many states a pair has to be seen.
const FEWEST_STATES: u32 = 20;

/// The pairs of propositions that decisions were seen to change together.
#[derive(Clone, Debug)]
pub(super) struct Candidates {
    /// Propositions that change by themselves.
    periodic: Vec<u32>,
    pairs: FxHashSet<[u32; 2]>,
    /// The propositions that a decision changes.
    changed: Vec<u32>,
}

/// What an evaluation leaves unexplained of the states that have a pair, by who is to move: the
/// sum of errors and that of their variances.
#[derive(Clone, Copy, Default, Debug)]
struct PairErrors {
    sums: [[f32; 2]; 2],
    states: u32,
}

impl Candidates {
    /// None yet; some propositions change by themselves.
    pub(super) fn new(periodic: &[usize]) -> Candidates {
        Candidates {
            periodic: periodic.iter().map(|&base| base as u32).collect(),
            pairs: FxHashSet::default(),
            changed: Vec::new(),
        }
    }

    /// Notes what a decision changes.
    pub(super) fn note(&mut self, before: &[u64], after: &[u64]) {
        let padded = before.iter().copied().chain(std::iter::repeat(0));
        let changes = after
            .iter()
            .zip(padded)
            .map(|(after, before)| after ^ before);
        let changed = ones(changes).map(|base| base as u32);
        self.changed.clear();
        (self.changed).extend(changed.filter(|base| !self.periodic.contains(base)));
        if self.changed.len() > MOST_CHANGES {
            return;
        }
        for (place, &a) in self.changed.iter().enumerate() {
            for &b in &self.changed[place + 1..] {
                if self.pairs.len() < MOST_CANDIDATES {
                    self.pairs.insert([a, b]);
                }
            }
        }
    }

    /// Those of them, at most `most`, by which what an evaluation leaves unexplained of the
    /// samples can be explained best.
    pub(super) fn choose(
        self,
        samples: &Samples,
        scorer: &mut Scorer,
        most: usize,
    ) -> Vec<[u32; 2]> {
        let mut pairs: Vec<[u32; 2]> = self.pairs.into_iter().collect();
        pairs.sort_unstable();
        let bases = scorer.evaluation().features().bases();
        let features = Features::new(bases, pairs);
        let mut errors = vec![PairErrors::default(); features.pairs().len()];
        let mut present = Vec::new();
        for sample in samples.each() {
            let state = sample.state.iter().copied();
            let [value, _] = scorer.values(state, sample.to_move);
            present.clear();
            features.find(sample.state, &mut present);
            for &feature in &present {
                if let Some(pair) = (feature as usize).checked_sub(bases) {
                    let [error, variance] = &mut errors[pair].sums[sample.to_move.index()];
                    *error += sample.results[0] - value;
                    *variance += value * (1.0 - value);
                    errors[pair].states += 1;
                }
            }
        }
        let pairs = features.pairs().iter().zip(&errors);
        let seen = pairs.filter(|(_, errors)| errors.states >= FEWEST_STATES);
        let mut seen: Vec<(f32, [u32; 2])> =
            seen.map(|(&pair, errors)| (errors.score(), pair)).collect();
        seen.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        seen.truncate(most);
        let mut chosen: Vec<[u32; 2]> = seen.into_iter().map(|(_, pair)| pair).collect();
        chosen.sort_unstable();
        chosen
    }
}

impl PairErrors {
    /// How much better the loss could get by a weight, about.
    fn score(&self) -> f32 {
        let score = |role: RoleId| {
            let [error, variance] = self.sums[role.index()];
            error * error / (variance + 1.0)
        };
        score(RoleId(0)).max(score(RoleId(1)))
    }
}
