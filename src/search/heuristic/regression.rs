//! Logistic regression of results on features, by stochastic gradient descent with a rate for each
//! weight (Duchi, Hazan and Singer, "Adaptive Subgradient Methods for Online Learning", 2011).

use rand::RngExt;

use super::evaluation::{COLUMNS, Evaluation, column, logistic};
use super::features::Features;
use super::samples::{Sample, Samples};
use crate::machine::RoleId;
use crate::rng::GameRng;

/// The rate of the first step.
const RATE: f32 = 0.1;

/// By how much a weight shrinks where its feature is seen, as a share of the gradient's range.
const RIDGE: f32 = 2e-6;

/// The part of what is known about the steepness that is kept when matches of another kind come.
const MEMORY: f32 = 0.3;

/// Weights while they are learned.
#[derive(Clone, Debug)]
pub(super) struct Regression {
    features: Features,
    /// Whether what one role gets is what the other one does not, so that one is learned.
    is_shared: bool,
    /// For each feature, and last for what every state has.
    weights: Vec<[Weight; COLUMNS]>,
    /// The features of a sample.
    present: Vec<u32>,
}

/// A weight, and the sum of the squares of its gradients.
#[derive(Clone, Copy, Default, Debug)]
struct Weight {
    value: f32,
    squares: f32,
}

impl Regression {
    /// All weights are zero.
    pub(super) fn new(features: Features, is_shared: bool) -> Regression {
        Regression {
            weights: vec![Default::default(); features.len() + 1],
            present: Vec::new(),
            features,
            is_shared,
        }
    }

    /// With pairs as further features, if there were none; their weights are zero.
    pub(super) fn add_pairs(&mut self, pairs: Vec<[u32; 2]>) {
        let bases = self.features.bases();
        let constant = self.weights.pop().unwrap_or_default();
        self.features = Features::new(bases, pairs);
        self.weights.resize(self.features.len(), Default::default());
        self.weights.push(constant);
    }

    /// Learns from samples, of which so many are drawn at random.
    pub(super) fn learn(&mut self, samples: &Samples, count: usize, rng: &mut GameRng) {
        for weight in self.weights.iter_mut().flatten() {
            weight.squares *= MEMORY;
        }
        if samples.len() > 0 {
            for _ in 0..count {
                self.step(samples.get(rng.random_range(0..samples.len())));
            }
        }
    }

    /// A step against the gradient of the logarithmic loss of a sample.
    fn step(&mut self, sample: Sample<'_>) {
        self.present.clear();
        self.features.find(sample.state, &mut self.present);
        self.present.push(self.features.len() as u32);
        let roles = if self.is_shared { 1 } else { 2 };
        for role in RoleId::first(roles) {
            let column = column(sample.to_move, role);
            let present = self.present.iter();
            let weights = present.map(|&feature| self.weights[feature as usize][column].value);
            let error = logistic(weights.sum()) - sample.results[role.index()];
            for &feature in &self.present {
                let weight = &mut self.weights[feature as usize][column];
                let gradient = error + RIDGE * weight.value;
                weight.squares += gradient * gradient;
                weight.value -= RATE * gradient / (weight.squares.sqrt() + 1e-3);
            }
        }
    }

    /// The evaluation with these weights.
    pub(super) fn evaluation(&self) -> Evaluation {
        let row = |weights: &[Weight; COLUMNS]| {
            let mut row = weights.map(|weight| weight.value);
            if self.is_shared {
                for to_move in [RoleId(0), RoleId(1)] {
                    row[column(to_move, RoleId(1))] = -row[column(to_move, RoleId(0))];
                }
            }
            row
        };
        let (constant, weights) = self.weights.split_last().expect("there is a constant");
        Evaluation::new(
            self.features.clone(),
            row(constant),
            weights.iter().map(row),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::streams;

    /// Of a hundred thousand states at random, with results by known weights, the weights are
    /// found again: their standard errors are about 0.03, so that 0.2 is far off.
    #[test]
    fn known_weights_are_found() {
        let mut rng = streams(1).next().unwrap();
        let known = [1.0, -0.5, 0.0, 2.0];
        let (constant, of_pair) = (-0.5, 1.5);
        let mut samples = Samples::new(1);
        for _ in 0..100_000 {
            let state = rng.random_range(0..16u64);
            let to_move = RoleId(rng.random_range(0..2));
            let sign = if to_move == RoleId(0) { 1.0 } else { -1.0 };
            let holding = (0..4).filter(|base| state >> base & 1 == 1);
            let mut sum: f32 = constant + holding.map(|base| known[base]).sum::<f32>();
            if state & 0b11 == 0b11 {
                sum += of_pair;
            }
            let won = rng.random_bool(logistic(sign * sum).into());
            let result = f32::from(u8::from(won));
            samples.add_match(&[state], &[to_move], [result, 1.0 - result]);
        }
        for is_shared in [true, false] {
            let mut regression = Regression::new(Features::new(4, Vec::new()), is_shared);
            regression.add_pairs(vec![[0, 1]]);
            regression.learn(&samples, 400_000, &mut rng);
            let evaluation = regression.evaluation();
            let expected = known.into_iter().chain([of_pair]).enumerate();
            for (to_move, sign) in [(RoleId(0), 1.0), (RoleId(1), -1.0)] {
                for (feature, weight) in expected.clone() {
                    for (role, sign) in [(RoleId(0), sign), (RoleId(1), -sign)] {
                        let found = evaluation.weight(feature, to_move, role);
                        assert!(
                            (found - sign * weight).abs() < 0.2,
                            "{feature}: {found} instead of {weight}"
                        );
                    }
                }
                let found = evaluation.constant()[column(to_move, RoleId(0))];
                assert!((found - sign * constant).abs() < 0.2, "{found}");
            }
        }
    }
}
