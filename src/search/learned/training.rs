//! Training of an evaluation's weights, by stochastic gradient descent with a rate for each weight
//! (Duchi, Hazan and Singer, "Adaptive Subgradient Methods for Online Learning", 2011).

use std::sync::Arc;

use propjit_jit::{VectorWork, vectorised};
use propjit_stop::Stop;
use rand::RngExt;

use super::evaluation::{Evaluation, logistic};
use super::inputs::{Contents, Inputs};
use super::samples::{Sample, Samples};
use super::weights::{COLUMNS, HIDDEN, InputWeights, Roles, Weights};
use crate::game::machine::RoleId;
use crate::game::vocabulary::state::ones;
use crate::search::symmetry::Symmetry;
use crate::support::rng::GameRng;

/// The rate of the first step: of weights past the hidden layer, and of others.
const DIRECT_RATE: f32 = 0.1;
const HIDDEN_RATE: f32 = 0.02;

/// The rate of all cells of a state together: the more there are, the shorter are the steps of each. A third and three
/// times as much are worse.
const CELLS_RATE: f32 = 2.0;

/// By how much a weight shrinks where its input is seen, as a share of the gradient's range.
const DIRECT_RIDGE: f32 = 2e-6;
const HIDDEN_RIDGE: f32 = 1e-5;

/// The part of what is known about the steepness that is kept when matches of another kind come.
const MEMORY: f32 = 0.3;

/// The range of the weights from the hidden layer at the start.
const OUTPUT_RANGE: f32 = 0.3;

/// After how many steps a stop is looked for.
const STEPS_AT_A_TIME: usize = 500;

/// Weights while they are learned.
#[derive(Clone, Debug)]
pub(super) struct Training {
    constant: InputTraining,
    each: Vec<InputTraining>,
    /// From the hidden units to each output, and the sums of the squares of their gradients.
    outputs: [[f32; HIDDEN]; COLUMNS],
    squares: [[f32; HIDDEN]; COLUMNS],
    /// For each output, the weights of cells to it; none for outputs that are not learned.
    cells: [Vec<CellTraining>; COLUMNS],
    roles: Roles,
    inputs: Arc<Inputs>,
    /// Whether there are two roles with complementary results, so that only one is learned.
    is_shared: bool,
    /// Each sample is as good with any of these.
    images: Vec<Image>,
    /// The inputs that are true in a sample, and the cells of its tuples.
    present: Vec<u32>,
    contents: Contents,
}

/// The factors by which an input has to be multiplied, while they are learned.
#[derive(Clone, Default, Debug)]
struct InputTraining {
    weights: InputWeights,
    /// For each weight, the sum of the squares of its gradients.
    squares: InputWeights,
}

/// A weight from a cell to an output, and the sum of the squares of its gradients.
#[derive(Clone, Copy, Debug)]
struct CellTraining {
    weight: f32,
    squares: f32,
}

/// A symmetry, and what each input becomes by it.
#[derive(Clone, Debug)]
struct Image {
    symmetry: Symmetry,
    inputs: Vec<u32>,
}

impl Training {
    /// Weights by chance to and from the hidden layer, where there are samples like these; others
    /// are zero.
    pub(super) fn new(
        roles: Roles,
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
        let mut weights = Weights::zero(&inputs);
        let hidden = weights
            .inputs
            .iter_mut()
            .flat_map(|input| &mut input.hidden);
        hidden.for_each(|weight| *weight = rng.random_range(-range..range));
        let outputs = weights.outputs.iter_mut().flatten();
        outputs.for_each(|weight| *weight = rng.random_range(-OUTPUT_RANGE..OUTPUT_RANGE));
        Training::of(roles, Arc::new(inputs), &weights, is_shared)
    }

    /// The weights of an evaluation, to go on from.
    pub(super) fn resumed(evaluation: &Evaluation, is_shared: bool) -> Training {
        let inputs = evaluation.inputs().clone();
        Training::of(evaluation.roles(), inputs, &evaluation.weights(), is_shared)
    }

    fn of(roles: Roles, inputs: Arc<Inputs>, weights: &Weights, is_shared: bool) -> Training {
        let is_shared = is_shared && roles.are_two();
        let mut cells = [const { Vec::new() }; COLUMNS];
        for (to_move, role) in roles.each().flat_map(|to_move| {
            let learned = learned_roles(roles, is_shared);
            learned.map(move |role| (to_move, role))
        }) {
            let column = roles.column(to_move, role);
            let weights = weights.cells.iter().map(|weights| weights[column]);
            let training = weights.map(|weight| CellTraining {
                weight,
                squares: 0.0,
            });
            cells[column] = training.collect();
        }
        Training {
            constant: InputTraining::of(&weights.constant),
            each: weights.inputs.iter().map(InputTraining::of).collect(),
            outputs: weights.outputs,
            squares: [[0.0; HIDDEN]; COLUMNS],
            cells,
            roles,
            inputs,
            is_shared,
            images: Vec::new(),
            present: Vec::new(),
            contents: Contents::default(),
        }
    }

    /// The same, where these are symmetries of the game: from each sample all of its images are learned.
    /// Those that patterns do not have are left out.
    pub(super) fn with_symmetries(mut self, symmetries: Vec<Symmetry>) -> Training {
        let image = |symmetry: Symmetry| {
            let inputs = self.inputs.images(&symmetry)?;
            Some(Image { symmetry, inputs })
        };
        self.images = symmetries.into_iter().filter_map(image).collect();
        self
    }

    /// The number of symmetries that serve.
    pub(super) fn symmetries(&self) -> usize {
        self.images.len()
    }

    /// Returns the inputs, with patterns that have to be found in samples.
    pub(super) fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// Evaluates `count` samples drawn at random, without learning from them: only the steepness is
    /// measured. Without that, the first steps would lead far away from weights that are good.
    pub(super) fn estimate(
        &mut self,
        samples: &Samples,
        count: usize,
        rng: &mut GameRng,
        stop: &Stop,
    ) {
        self.pass(samples, count, 0.0, rng, stop);
    }

    /// Learns from `count` samples drawn at random, or fewer if a stop comes, in steps of this length.
    pub(super) fn learn(
        &mut self,
        samples: &Samples,
        count: usize,
        length: f32,
        rng: &mut GameRng,
        stop: &Stop,
    ) {
        self.pass(samples, count, length, rng, stop);
    }

    /// Steps from `count` samples drawn at random, with the lengths of all steps multiplied by `rate`.
    fn pass(&mut self, samples: &Samples, count: usize, rate: f32, rng: &mut GameRng, stop: &Stop) {
        let inputs = self.each.iter_mut().chain([&mut self.constant]);
        inputs.for_each(InputTraining::forget);
        let squares = self.squares.iter_mut().flatten();
        let cells = self
            .cells
            .iter_mut()
            .flatten()
            .map(|cell| &mut cell.squares);
        let squares = squares.chain(cells);
        squares.for_each(|squares| *squares *= MEMORY);
        if samples.len() == 0 {
            return;
        }
        for start in (0..count).step_by(STEPS_AT_A_TIME) {
            if stop.is_set() {
                return;
            }
            vectorised(Steps {
                training: self,
                samples,
                count: STEPS_AT_A_TIME.min(count - start),
                rate,
                rng,
            });
        }
    }

    /// A step against the gradient of the logarithmic loss of a sample, or of its image with this number.
    #[inline(always)]
    fn step(&mut self, mut sample: Sample<'_>, image: Option<usize>, rate: f32) {
        let present = ones(sample.state.iter().copied()).map(|base| base as u32);
        self.present.clear();
        self.present
            .extend(present.chain(sample.patterns.iter().copied()));
        if let Some(Image { symmetry, inputs }) = image.map(|at| &self.images[at]) {
            for input in &mut self.present {
                *input = inputs[*input as usize];
            }
            if !sample.are_several {
                sample.to_move = symmetry.role(sample.to_move);
            }
            sample.results = symmetry.values(sample.results);
        }
        let InputWeights {
            mut direct,
            hidden: mut sums,
        } = self.constant.weights;
        for &input in &self.present {
            let weights = &self.each[input as usize].weights;
            (direct.iter_mut().zip(&weights.direct)).for_each(|(sum, weight)| *sum += weight);
            (sums.iter_mut().zip(&weights.hidden)).for_each(|(sum, weight)| *sum += weight);
        }
        let tuples = self.inputs.tuples();
        let bases = (self.present.iter().map(|&input| input as usize))
            .take_while(|&input| input < self.inputs.bases());
        tuples.find(bases, &mut self.contents);
        let cells_rate = rate * DIRECT_RATE.min(CELLS_RATE / tuples.all().len() as f32);
        let mut units = sums;
        units
            .iter_mut()
            .for_each(|unit| *unit = unit.clamp(0.0, 1.0));
        let mut errors = [0.0; COLUMNS];
        // The gradients of the hidden layer's sums.
        let mut back = [0.0; HIDDEN];
        for role in learned_roles(self.roles, self.is_shared) {
            let column = self.roles.column(sample.to_move, role);
            let cells = &mut self.cells[column];
            let contents = || tuples.cells_of(&self.contents);
            let of_cells: f32 = contents().map(|cell| cells[cell].weight).sum();
            let outputs = &mut self.outputs[column];
            let output = direct[column] + of_cells + dot(outputs, &units);
            let error = logistic(output) - sample.results[role.index()];
            errors[column] = error;
            contents().for_each(|cell| cells[cell].descend(error, cells_rate));
            for (at, output) in outputs.iter_mut().enumerate() {
                back[at] += error * *output;
                let gradient = error * units[at] + HIDDEN_RIDGE * *output;
                let squares = &mut self.squares[column][at];
                *squares += gradient * gradient;
                *output -= rate * HIDDEN_RATE * gradient * inverse(*squares);
            }
        }
        for (back, sum) in back.iter_mut().zip(sums) {
            // Cut-off sums pass no gradient back.
            *back *= f32::from(u8::from(sum > 0.0 && sum < 1.0));
        }
        for &input in &self.present {
            self.each[input as usize].descend(&errors, &back, rate);
        }
        self.constant.descend(&errors, &back, rate);
    }

    /// The evaluation with these weights.
    pub(super) fn evaluation(&self) -> Evaluation {
        let mut weights = Weights {
            constant: self.constant.weights,
            inputs: self.each.iter().map(|input| input.weights).collect(),
            outputs: self.outputs,
            cells: (0..self.inputs.tuples().cells())
                .map(|cell| {
                    let weight = |of: &Vec<CellTraining>| of.get(cell).map_or(0.0, |of| of.weight);
                    self.cells.each_ref().map(weight)
                })
                .collect(),
        };
        if self.is_shared {
            for to_move in [RoleId(0), RoleId(1)] {
                let [own, other] = [0, 1].map(|role| self.roles.column(to_move, RoleId(role)));
                weights.outputs[other] = weights.outputs[own].map(|weight| -weight);
                for input in weights.inputs.iter_mut().chain([&mut weights.constant]) {
                    input.direct[other] = -input.direct[own];
                }
                for cell in &mut weights.cells {
                    cell[other] = -cell[own];
                }
            }
        }
        Evaluation::new(self.roles, self.inputs.clone(), &weights)
    }
}

/// The roles whose results are learned: the first one, if results are shared.
fn learned_roles(roles: Roles, is_shared: bool) -> impl Iterator<Item = RoleId> {
    roles.each().take(if is_shared { 1 } else { Roles::MOST })
}

/// Steps to be made at a stretch.
struct Steps<'a> {
    training: &'a mut Training,
    samples: &'a Samples,
    count: usize,
    rate: f32,
    rng: &'a mut GameRng,
}

impl VectorWork for Steps<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for _ in 0..self.count {
            let at = self.rng.random_range(0..self.samples.len());
            let image = match self.training.images.len() {
                0 => None,
                many => Some(self.rng.random_range(0..=many)).filter(|&at| at < many),
            };
            let sample = self.samples.get(at);
            self.training.step(sample, image, self.rate);
        }
    }
}

impl InputTraining {
    fn of(weights: &InputWeights) -> InputTraining {
        InputTraining {
            weights: *weights,
            ..InputTraining::default()
        }
    }

    /// Reduces the weight of earlier measurements of the steepness.
    fn forget(&mut self) {
        let squares = self
            .squares
            .direct
            .iter_mut()
            .chain(&mut self.squares.hidden);
        squares.for_each(|squares| *squares *= MEMORY);
    }

    /// A step against the gradient, with these errors of the outputs, and these gradients of the hidden
    /// layer's sums.
    #[inline(always)]
    fn descend(&mut self, errors: &[f32; COLUMNS], back: &[f32; HIDDEN], rate: f32) {
        let InputTraining { weights, squares } = self;
        for (at, error) in errors.iter().enumerate() {
            let gradient = error + DIRECT_RIDGE * weights.direct[at];
            squares.direct[at] += gradient * gradient;
            let step = DIRECT_RATE * inverse(squares.direct[at]);
            weights.direct[at] -= rate * step * gradient;
        }
        for (at, back) in back.iter().enumerate() {
            let gradient = back + HIDDEN_RIDGE * weights.hidden[at];
            squares.hidden[at] += gradient * gradient;
            let step = HIDDEN_RATE * inverse(squares.hidden[at]);
            weights.hidden[at] -= rate * step * gradient;
        }
    }
}

impl CellTraining {
    /// A step against the gradient, with this error of the output.
    #[inline(always)]
    fn descend(&mut self, error: f32, rate: f32) {
        let gradient = error + DIRECT_RIDGE * self.weight;
        self.squares += gradient * gradient;
        self.weight -= rate * inverse(self.squares) * gradient;
    }
}

/// The sum of products, of which eight are added up at a time.
#[inline(always)]
fn dot(a: &[f32; HIDDEN], b: &[f32; HIDDEN]) -> f32 {
    let mut sums = [0.0; 8];
    for (a, b) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
        (sums.iter_mut().zip(a.iter().zip(b))).for_each(|(sum, (a, b))| *sum += a * b);
    }
    sums.iter().sum()
}

/// Returns the factor of a step, for a sum of squares: the reciprocal of its root.
///
/// Half of the exponent is a guess that is right within 4%, and one step of Newton's brings it within 0.2%, which does
/// not matter here. Without exact roots and divisions, there are 7% more rounds in the same time.
#[inline(always)]
fn inverse(squares: f32) -> f32 {
    // This keeps the reciprocal finite at first.
    let squares = squares + 1e-6;
    let guess = f32::from_bits(0x5f37_59df - (squares.to_bits() >> 1));
    guess * (1.5 - 0.5 * squares * guess * guess)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::inputs::Tuple;
    use super::super::samples::ToMove;
    use super::*;
    use crate::search::learned::evaluation::Scorer;
    use crate::support::rng::streams;

    /// Of two hundred thousand states at random, with results by known odds, the odds are found
    /// again, though they are no sum of what propositions add: one counts only without another. A tuple is no obstacle.
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
            let results = [result, 1.0 - result, 0.0, 0.0];
            samples.add_match(&[state], &[ToMove::one(to_move)], std::iter::once(results));
        }
        for (is_shared, has_tuple) in [(true, false), (false, false), (true, true), (false, true)] {
            let tuples = has_tuple.then(|| Tuple(vec![vec![1], vec![2]]));
            let inputs = Inputs::new(4, Vec::new(), tuples.into_iter().collect());
            let roles = Roles::TWO;
            let mut training = Training::new(roles, inputs, &samples, is_shared, &mut rng);
            training.learn(&samples, 800_000, 1.0, &mut rng, &Stop::new());
            let learned = training.evaluation();
            // Evaluating samples changes nothing, and going on does not make it worse.
            let mut resumed = Training::resumed(&learned, is_shared);
            resumed.estimate(&samples, 200_000, &mut rng, &Stop::new());
            assert_eq!(resumed.evaluation(), learned);
            resumed.learn(&samples, 10_000, 1.0, &mut rng, &Stop::new());
            for evaluation in [learned, resumed.evaluation()] {
                let mut scorer = Scorer::new(Arc::new(evaluation));
                for (state, role) in (0..32).map(|number| (number / 2, number as u32 % 2)) {
                    let to_move = RoleId(role);
                    let [found, other, ..] = scorer.log_odds([state].into_iter(), to_move);
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
