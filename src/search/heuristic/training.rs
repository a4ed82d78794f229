//! Training of an evaluation's weights, by stochastic gradient descent with a rate for each weight
//! (Duchi, Hazan and Singer, "Adaptive Subgradient Methods for Online Learning", 2011).

use std::sync::Arc;

use rand::RngExt;

use super::evaluation::{Evaluation, logistic};
use super::patterns::{Inputs, PatternCounts};
use super::samples::{Sample, Samples};
use super::weights::{COLUMNS, HIDDEN, Weights, column};
use crate::machine::RoleId;
use crate::rng::GameRng;
use crate::search::symmetry::Symmetry;
use crate::state::ones;

/// The rate of the first step: of weights past the hidden layer, and of others.
const DIRECT_RATE: f32 = 0.1;
const HIDDEN_RATE: f32 = 0.02;

/// By how much a weight shrinks where its input is seen, as a share of the gradient's range.
const DIRECT_RIDGE: f32 = 2e-6;
const HIDDEN_RIDGE: f32 = 1e-5;

/// The part of what is known about the steepness that is kept when matches of another kind come.
const MEMORY: f32 = 0.3;

/// The range of the weights from the hidden layer at the start.
const OUTPUT_RANGE: f32 = 0.3;

/// Weights while they are learned.
#[derive(Clone, Debug)]
pub(super) struct Training {
    weights: Weights,
    /// For each weight, the sum of the squares of its gradients.
    squares: Weights,
    inputs: Arc<Inputs>,
    /// Whether what one role gets is what the other one does not, so that one is learned.
    is_shared: bool,
    /// Each sample is as good with any of these.
    symmetries: Vec<Symmetry>,
    /// The inputs that are true in a sample.
    present: Vec<usize>,
    counts: PatternCounts,
}

impl Training {
    /// Weights by chance to and from the hidden layer, where there are samples like these; others
    /// are zero.
    pub(super) fn new(
        inputs: Inputs,
        samples: &Samples,
        is_shared: bool,
        rng: &mut GameRng,
    ) -> Training {
        let present = samples.each().map(|sample| {
            let words = sample.state.iter();
            words.map(|word| word.count_ones() as usize).sum::<usize>()
        });
        let mean = present.sum::<usize>() as f32 / samples.len().max(1) as f32;
        let range = 1.0 / mean.max(1.0).sqrt();
        let mut weights = Weights::zero(inputs.count());
        let hidden = weights
            .inputs
            .iter_mut()
            .flat_map(|input| &mut input.hidden);
        hidden.for_each(|weight| *weight = rng.random_range(-range..range));
        let outputs = weights.outputs.iter_mut().flatten();
        outputs.for_each(|weight| *weight = rng.random_range(-OUTPUT_RANGE..OUTPUT_RANGE));
        Training::of(Arc::new(inputs), weights, is_shared)
    }

    /// The weights of an evaluation, to go on from.
    pub(super) fn resumed(evaluation: &Evaluation, is_shared: bool) -> Training {
        Training::of(evaluation.inputs().clone(), evaluation.weights(), is_shared)
    }

    fn of(inputs: Arc<Inputs>, weights: Weights, is_shared: bool) -> Training {
        Training {
            squares: Weights::zero(inputs.count()),
            counts: inputs.no_counts(),
            weights,
            inputs,
            is_shared,
            symmetries: Vec::new(),
            present: Vec::new(),
        }
    }

    /// The same, where these are symmetries of the game: from each sample all of its images are learned.
    pub(super) fn with_symmetries(mut self, symmetries: Vec<Symmetry>) -> Training {
        self.symmetries = symmetries;
        self
    }

    /// Looks at samples, of which so many are drawn at random, without learning from them: only how
    /// steep it is. Without that, the first steps would lead far away from weights that are good.
    pub(super) fn look(&mut self, samples: &Samples, count: usize, rng: &mut GameRng) {
        self.pass(samples, count, 0.0, rng);
    }

    /// Learns from samples, of which so many are drawn at random.
    pub(super) fn learn(&mut self, samples: &Samples, count: usize, rng: &mut GameRng) {
        self.pass(samples, count, 1.0, rng);
    }

    /// Steps from so many samples drawn at random, all of them so many times as long as they would be.
    fn pass(&mut self, samples: &Samples, count: usize, rate: f32, rng: &mut GameRng) {
        self.squares
            .each_mut()
            .for_each(|squares| *squares *= MEMORY);
        if samples.len() > 0 {
            for _ in 0..count {
                let sample = samples.get(rng.random_range(0..samples.len()));
                let symmetry = match self.symmetries.len() {
                    0 => None,
                    many => Some(rng.random_range(0..=many)).filter(|&at| at < many),
                };
                self.step(sample, symmetry, rate);
            }
        }
    }

    /// A step against the gradient of the logarithmic loss of a sample, or of its image by the symmetry
    /// with this number.
    fn step(&mut self, mut sample: Sample<'_>, symmetry: Option<usize>, rate: f32) {
        self.present.clear();
        self.present.extend(ones(sample.state.iter().copied()));
        if let Some(symmetry) = symmetry.map(|at| &self.symmetries[at]) {
            for base in &mut self.present {
                *base = symmetry.base(*base);
            }
            sample.to_move = symmetry.role(sample.to_move);
            sample.results = symmetry.values(sample.results);
        }
        self.inputs.extend(&mut self.present, &mut self.counts);
        let Training {
            weights, squares, ..
        } = self;
        let (direct_rate, hidden_rate) = (rate * DIRECT_RATE, rate * HIDDEN_RATE);
        let mut sums = weights.constant.hidden;
        for &base in &self.present {
            let input = &weights.inputs[base].hidden;
            (sums.iter_mut().zip(input)).for_each(|(sum, weight)| *sum += weight);
        }
        let units = sums.map(|sum| sum.clamp(0.0, 1.0));
        let mut errors = [0.0; COLUMNS];
        // The gradients of the hidden layer's sums.
        let mut back = [0.0; HIDDEN];
        let roles = if self.is_shared { 1 } else { 2 };
        let columns = RoleId::first(roles).map(|role| (role, column(sample.to_move, role)));
        for (role, column) in columns.clone() {
            let outputs = &mut weights.outputs[column];
            let direct = self.present.iter().map(|&base| &weights.inputs[base]);
            let direct = direct.chain([&weights.constant]);
            let direct: f32 = direct.map(|input| input.direct[column]).sum();
            let hidden: f32 = outputs.iter().zip(&units).map(|(a, b)| a * b).sum();
            let error = logistic(direct + hidden) - sample.results[role.index()];
            errors[column] = error;
            for (at, output) in outputs.iter_mut().enumerate() {
                back[at] += error * *output;
                let gradient = error * units[at] + HIDDEN_RIDGE * *output;
                descend(
                    output,
                    &mut squares.outputs[column][at],
                    gradient,
                    hidden_rate,
                );
            }
        }
        for (back, sum) in back.iter_mut().zip(sums) {
            // Where a sum is cut off, it does not matter.
            *back *= f32::from(u8::from(sum > 0.0 && sum < 1.0));
        }
        let inputs = self.present.iter().map(|&base| Some(base)).chain([None]);
        for input in inputs {
            let (weights, squares) = match input {
                Some(base) => (&mut weights.inputs[base], &mut squares.inputs[base]),
                None => (&mut weights.constant, &mut squares.constant),
            };
            for (_, column) in columns.clone() {
                let weight = &mut weights.direct[column];
                let gradient = errors[column] + DIRECT_RIDGE * *weight;
                descend(weight, &mut squares.direct[column], gradient, direct_rate);
            }
            for (at, back) in back.iter().enumerate() {
                let weight = &mut weights.hidden[at];
                let gradient = back + HIDDEN_RIDGE * *weight;
                descend(weight, &mut squares.hidden[at], gradient, hidden_rate);
            }
        }
    }

    /// The evaluation with these weights.
    pub(super) fn evaluation(&self) -> Evaluation {
        let mut weights = self.weights.clone();
        if self.is_shared {
            for to_move in [RoleId(0), RoleId(1)] {
                let [own, other] = [0, 1].map(|role| column(to_move, RoleId(role)));
                weights.outputs[other] = weights.outputs[own].map(|weight| -weight);
                for input in weights.inputs.iter_mut().chain([&mut weights.constant]) {
                    input.direct[other] = -input.direct[own];
                }
            }
        }
        Evaluation::new(self.inputs.clone(), &weights)
    }
}

/// A step of a weight against its gradient.
fn descend(weight: &mut f32, squares: &mut f32, gradient: f32, rate: f32) {
    *squares += gradient * gradient;
    *weight -= rate * gradient / (squares.sqrt() + 1e-3);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::rng::streams;
    use crate::search::heuristic::evaluation::Scorer;

    /// Of two hundred thousand states at random, with results by known odds, the odds are found
    /// again, though they are no sum of what propositions add: one counts only without another.
    /// Their standard errors are about 0.03, so that 0.25 is far off.
    #[test]
    fn known_odds_are_found() {
        let mut rng = streams(1).next().unwrap();
        let known = |state: u64, to_move: RoleId| {
            let has = |base: u32| (state >> base & 1) as f32;
            let odds = 0.5 * has(0) - has(3) + 2.0 * has(1) * (1.0 - has(2)) - 0.5;
            if to_move == RoleId(0) { odds } else { -odds }
        };
        let mut samples = Samples::new(1);
        for _ in 0..200_000 {
            let state = rng.random_range(0..16u64);
            let to_move = RoleId(rng.random_range(0..2));
            let won = rng.random_bool(logistic(known(state, to_move)).into());
            let result = f32::from(u8::from(won));
            let results = [result, 1.0 - result];
            samples.add_match(&[state], &[to_move], std::iter::once(results));
        }
        for is_shared in [true, false] {
            let mut training =
                Training::new(Inputs::new(4, Vec::new()), &samples, is_shared, &mut rng);
            training.learn(&samples, 800_000, &mut rng);
            let learned = training.evaluation();
            // To look at samples changes nothing, and to go on does not make it worse.
            let mut resumed = Training::resumed(&learned, is_shared);
            resumed.look(&samples, 200_000, &mut rng);
            assert_eq!(resumed.evaluation(), learned);
            resumed.learn(&samples, 10_000, &mut rng);
            for evaluation in [learned, resumed.evaluation()] {
                let mut scorer = Scorer::new(Arc::new(evaluation));
                for (state, role) in (0..32).map(|number| (number / 2, number as u32 % 2)) {
                    let to_move = RoleId(role);
                    let [found, other] = scorer.log_odds([state].into_iter(), to_move);
                    let expected = known(state, to_move);
                    assert!(
                        (found - expected).abs() < 0.25 && (other + expected).abs() < 0.25,
                        "{state}: {found} and {other} instead of {expected}"
                    );
                }
            }
        }
    }
}
