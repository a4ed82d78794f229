//! An evaluation: weighted sums of features of a state, and how they are computed from state to
//! state.

use std::sync::Arc;

use super::features::Features;
use crate::machine::RoleId;
use crate::state::ones;

/// The units of weights: whole numbers have the same sum in any order, however often some are
/// added and taken away again.
const UNIT: f32 = (1 << 16) as f32;

/// The greatest weight. Some thousand of these have a sum of 32 bits.
const MOST: f32 = 8.0;

/// A weight for each role to move and each role that gets something: see [`column`].
type Row = [i32; COLUMNS];

/// How many weights a feature has.
pub(in crate::search) const COLUMNS: usize = 4;

/// The place of the weight for what a role gets where another one, or the same, is to move.
pub(super) fn column(to_move: RoleId, role: RoleId) -> usize {
    2 * to_move.index() + role.index()
}

/// What each of two roles can expect from a state in which one of them is to move, as a share of
/// the range of its goals: the logistic function of a sum of weights, one for each feature that
/// the state has. The weights depend on who is to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evaluation {
    features: Features,
    /// What every state has.
    constant: Row,
    /// What each feature adds.
    weights: Vec<Row>,
}

impl Evaluation {
    /// From the weights of every state and of each feature. Those that are too great or not a
    /// number are limited.
    ///
    /// # Panics
    /// If there is not one for each feature.
    pub(in crate::search) fn new(
        features: Features,
        constant: [f32; COLUMNS],
        weights: impl Iterator<Item = [f32; COLUMNS]>,
    ) -> Evaluation {
        let whole = |weights: [f32; COLUMNS]| {
            weights.map(|weight| (weight.clamp(-MOST, MOST) * UNIT).round() as i32)
        };
        let weights: Vec<Row> = weights.map(whole).collect();
        assert_eq!(weights.len(), features.len(), "weights for each feature");
        Evaluation {
            features,
            constant: whole(constant),
            weights,
        }
    }

    /// With all weights multiplied by this.
    pub(super) fn scaled(&self, scale: f32) -> Evaluation {
        let scaled = |row: [f32; COLUMNS]| row.map(|weight| scale * weight);
        let weights = (0..self.features.len()).map(|feature| scaled(self.row(feature)));
        Evaluation::new(self.features.clone(), scaled(self.constant()), weights)
    }

    /// The features.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// What a feature adds to the logarithm of the odds of a role where another one, or the same,
    /// is to move.
    pub fn weight(&self, feature: usize, to_move: RoleId, role: RoleId) -> f32 {
        self.weights[feature][column(to_move, role)] as f32 / UNIT
    }

    /// All weights of a feature.
    pub(super) fn row(&self, feature: usize) -> [f32; COLUMNS] {
        self.weights[feature].map(|weight| weight as f32 / UNIT)
    }

    /// All weights of what every state has.
    pub(super) fn constant(&self) -> [f32; COLUMNS] {
        self.constant.map(|weight| weight as f32 / UNIT)
    }
}

/// Evaluates states one after the other. What two states have in common is not added up again, so
/// that states which follow from one state cost little.
#[derive(Clone, Debug)]
pub struct Scorer {
    evaluation: Arc<Evaluation>,
    /// The state that the sums are for.
    state: Vec<u64>,
    sums: Row,
    /// The words that were others in the state before, with their places.
    replaced: Vec<(usize, u64)>,
}

impl Scorer {
    /// A scorer that has seen no state.
    pub fn new(evaluation: Arc<Evaluation>) -> Scorer {
        Scorer {
            state: vec![0; evaluation.features.bases().div_ceil(64)],
            sums: evaluation.constant,
            replaced: Vec::new(),
            evaluation,
        }
    }

    /// The evaluation.
    pub fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// What each role can expect in the state with these words.
    pub fn values(&mut self, words: impl Iterator<Item = u64>, to_move: RoleId) -> [f32; 2] {
        self.log_odds(words, to_move).map(logistic)
    }

    /// The logarithms of the odds of each role in the state with these words.
    pub fn log_odds(&mut self, words: impl Iterator<Item = u64>, to_move: RoleId) -> [f32; 2] {
        self.replaced.clear();
        let words = words.chain(std::iter::repeat(0));
        for (at, word) in (0..self.state.len()).zip(words) {
            let before = self.state[at];
            if before != word {
                self.replaced.push((at, before));
            }
            for base in ones(std::iter::once(before ^ word)) {
                self.toggle(64 * at + base);
            }
        }
        [0, 1].map(|role| self.sums[column(to_move, RoleId(role))] as f32 / UNIT)
    }

    /// As [`log_odds`](Scorer::log_odds), but for one of many states that differ little from the
    /// state before and more from each other, as its successors do.
    pub fn log_odds_beside(
        &mut self,
        words: impl Iterator<Item = u64>,
        to_move: RoleId,
    ) -> [f32; 2] {
        let sums = self.sums;
        let found = self.log_odds(words, to_move);
        for &(at, before) in &self.replaced {
            self.state[at] = before;
        }
        self.sums = sums;
        found
    }

    /// As [`values`](Scorer::values), beside the state before.
    pub fn values_beside(&mut self, words: impl Iterator<Item = u64>, to_move: RoleId) -> [f32; 2] {
        self.log_odds_beside(words, to_move).map(logistic)
    }

    /// Makes a proposition true or false.
    fn toggle(&mut self, base: usize) {
        let Evaluation {
            features, weights, ..
        } = &*self.evaluation;
        let (word, bit) = (base / 64, 1 << (base % 64));
        let mut sum = weights[base];
        for pair in features.pairs_of(base) {
            let other = pair.other as usize;
            if self.state[other / 64] >> (other % 64) & 1 == 1 {
                add(&mut sum, weights[pair.feature as usize]);
            }
        }
        if self.state[word] & bit != 0 {
            sum = sum.map(|weight| -weight);
        }
        self.state[word] ^= bit;
        add(&mut self.sums, sum);
    }
}

fn add(sums: &mut Row, weights: Row) {
    for (sum, weight) in sums.iter_mut().zip(weights) {
        *sum += weight;
    }
}

/// The logistic function: the probability with these logarithmic odds.
pub(super) fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever states were evaluated before, sums are those of the state.
        #[test]
        fn sums_are_those_of_the_features(
            states in prop::collection::vec(prop::collection::btree_set(0usize..70, 0..20), 1..8),
            pairs in prop::collection::btree_set((0u32..35, 35u32..70), 0..60),
            weights in prop::collection::vec(prop::array::uniform4(-9.0f32..9.0), 140),
        ) {
            let pairs: Vec<[u32; 2]> = pairs.into_iter().map(|(a, b)| [a, b]).collect();
            let features = Features::new(70, pairs.clone());
            let count = features.len();
            let (first, rest) = weights.split_first().unwrap();
            let rest = rest.iter().cycle().take(count).copied();
            let evaluation = Arc::new(Evaluation::new(features, *first, rest));
            let mut scorer = Scorer::new(evaluation.clone());
            for (number, state) in states.into_iter().enumerate() {
                let mut words = [0u64; 2];
                state.iter().for_each(|base| words[base / 64] |= 1 << (base % 64));
                let has = |base: &u32| state.contains(&(*base as usize));
                let of_pairs = pairs.iter().zip(70..).filter(|(pair, _)| pair.iter().all(has));
                let present = state.iter().copied().chain(of_pairs.map(|(_, feature)| feature));
                for to_move in [RoleId(0), RoleId(1)] {
                    let sums = match number % 3 {
                        0 => scorer.log_odds(words.into_iter(), to_move),
                        _ => scorer.log_odds_beside(words.into_iter(), to_move),
                    };
                    for role in [RoleId(0), RoleId(1)] {
                        let each = present.clone();
                        let each = each.map(|feature| evaluation.weight(feature, to_move, role));
                        let constant = evaluation.constant()[column(to_move, role)];
                        let sum = constant + each.sum::<f32>();
                        prop_assert!((sums[role.index()] - sum).abs() < 1e-2);
                    }
                }
            }
        }
    }
}
