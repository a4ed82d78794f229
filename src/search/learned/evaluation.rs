//! Learned evaluations: a small neural network over the propositions of a state, computed incrementally
//! from state to state.

use std::sync::Arc;

use propjit_jit::{VectorWork, vectorised};

use super::inputs::{Counts, InputObserver, Inputs};
use super::weights::{COLUMNS, HIDDEN, InputWeights, Roles, Shares, Weights};
use crate::game::ground::encoded;
use crate::game::machine::RoleId;
use crate::game::vocabulary::state::ones;
use crate::support::fnv::Fnv64;

/// The units of weights past the hidden layer. Whole numbers have the same sum in any order,
/// however often some are added and taken away again.
pub(super) const DIRECT: f32 = (1 << 16) as f32;

/// The units of what the hidden layer gets. Its units are of 16 bits, so that many of them fit a
/// register: their sums may be as great as 64.
const HIDDEN_UNIT: f32 = ONE as f32;
pub(super) const ONE: i16 = 1 << 9;

/// The units of weights from the hidden layer.
const OUTPUT: f32 = (1 << 10) as f32;

/// The greatest weight past the hidden layer, to it, and from it. Some thousand of the first have
/// a sum of 32 bits, some hundred of the second hardly have one of 64, and the layer's 32 products
/// of the last have one of 32 bits.
const MAX_DIRECT: f32 = 8.0;
const MAX_HIDDEN: f32 = 4.0;
const MAX_OUTPUT: f32 = 8.0;

/// The values that each of two to four roles can expect from a state in which some role decides, as a share
/// of the range of its goals: the logistic function of the output of a network.
///
/// Inputs are the propositions and some patterns of them. Each has weights to the outputs and to a layer of
/// hidden units, with sums that are cut off below 0 and above 1. With two roles, outputs depend on the role
/// to move; the hidden layer does not, so that it can be kept up to date from state to state: an idea of
/// shogi programs (Yu Nasu, "Efficiently updatable neural-network-based evaluation functions for computer
/// shogi", 2018). The contents of parts of boards have weights to the outputs only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evaluation {
    roles: Roles,
    pub(super) constant: Sums,
    inputs: Arc<Inputs>,
    /// Those of each input.
    pub(super) weights: Vec<Sums>,
    /// From the hidden units to each output.
    pub(super) outputs: [[i16; HIDDEN]; COLUMNS],
    /// From each cell of tuples to each output.
    pub(super) cells: Vec<Direct>,
}

/// Weights to each output past the hidden layer in whole units, or sums of those.
pub(super) type Direct = [i32; COLUMNS];

/// The weights of an input in whole units, or sums of those.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sums {
    pub direct: Direct,
    pub hidden: [i16; HIDDEN],
}

impl Evaluation {
    /// With these weights of the inputs. Those that are too great or not a number are limited.
    pub(in crate::search) fn new(
        roles: Roles,
        inputs: Arc<Inputs>,
        weights: &Weights,
    ) -> Evaluation {
        let output = |weight: f32| whole(weight, MAX_OUTPUT, OUTPUT) as i16;
        Evaluation {
            roles,
            constant: Sums::of(&weights.constant),
            inputs,
            weights: weights.inputs.iter().map(Sums::of).collect(),
            outputs: weights.outputs.map(|row| row.map(output)),
            cells: weights.cells.iter().map(whole_direct).collect(),
        }
    }

    /// Returns the evaluation by which all states of a game of `bases` propositions for two roles are worth the same.
    pub(in crate::search) fn zero(bases: usize) -> Evaluation {
        let roles = Roles::TWO;
        let inputs = Arc::new(Inputs::plain(bases));
        let weights = Weights::zero(&inputs);
        Evaluation::new(roles, inputs, &weights)
    }

    /// The weights, which give the same evaluation again.
    pub(super) fn weights(&self) -> Weights {
        let floats = |row: [i16; HIDDEN]| row.map(|weight| f32::from(weight) / OUTPUT);
        Weights {
            constant: self.constant.weights(),
            inputs: self.weights.iter().map(Sums::weights).collect(),
            outputs: self.outputs.map(floats),
            cells: self.cells.iter().map(float_direct).collect(),
        }
    }

    /// A hash of the weights.
    pub fn fingerprint(&self) -> Fnv64 {
        let inputs = (self.inputs.patterns(), self.inputs.tuples().all());
        Fnv64::of(&encoded(&(inputs, self.weights())))
    }

    /// The number of propositions.
    pub fn bases(&self) -> usize {
        self.inputs.bases()
    }

    /// The number of roles.
    pub(in crate::search) fn roles(&self) -> Roles {
        self.roles
    }

    /// The sums for the state in which no proposition holds.
    fn empty(&self) -> Sums {
        let mut sums = self.constant;
        let counts = self.inputs.no_counts();
        for cell in self.inputs.tuples().cells_of(counts.contents()) {
            add_direct(&mut sums.direct, &self.cells[cell]);
        }
        sums
    }

    /// The inputs.
    pub(super) fn inputs(&self) -> &Arc<Inputs> {
        &self.inputs
    }
}

/// A weight in whole units.
fn whole(weight: f32, most: f32, unit: f32) -> i32 {
    (weight.clamp(-most, most) * unit).round() as i32
}

fn whole_direct(weights: &[f32; COLUMNS]) -> Direct {
    weights.map(|weight| whole(weight, MAX_DIRECT, DIRECT))
}

fn float_direct(weights: &Direct) -> [f32; COLUMNS] {
    weights.map(|weight| weight as f32 / DIRECT)
}

/// Adds weights to sums, which go on from the other end if they become too great.
#[inline(always)]
pub(super) fn add_direct<const N: usize>(sums: &mut [i32; N], weights: &[i32; N]) {
    for (sum, weight) in sums.iter_mut().zip(weights) {
        *sum = sum.wrapping_add(*weight);
    }
}

/// Takes weights away from sums.
#[inline(always)]
pub(super) fn subtract_direct<const N: usize>(sums: &mut [i32; N], weights: &[i32; N]) {
    for (sum, weight) in sums.iter_mut().zip(weights) {
        *sum = sum.wrapping_sub(*weight);
    }
}

impl Sums {
    fn of(weights: &InputWeights) -> Sums {
        let hidden = |weight| whole(weight, MAX_HIDDEN, HIDDEN_UNIT) as i16;
        Sums {
            direct: whole_direct(&weights.direct),
            hidden: weights.hidden.map(hidden),
        }
    }

    fn weights(&self) -> InputWeights {
        InputWeights {
            direct: float_direct(&self.direct),
            hidden: self.hidden.map(|weight| f32::from(weight) / HIDDEN_UNIT),
        }
    }

    /// Adds weights. Sums that are far too great go on from the other end, and so are right again
    /// when what made them great is taken away.
    #[inline(always)]
    fn add(&mut self, other: &Sums) {
        add_direct(&mut self.direct, &other.direct);
        for (sum, weight) in self.hidden.iter_mut().zip(other.hidden) {
            *sum = sum.wrapping_add(weight);
        }
    }

    /// Adds the weights of an input that is true now, or takes them away.
    #[inline(always)]
    fn change(&mut self, weights: &Sums, is_true: bool) {
        match is_true {
            true => self.add(weights),
            false => self.subtract(weights),
        }
    }

    /// Takes weights away.
    #[inline(always)]
    fn subtract(&mut self, other: &Sums) {
        subtract_direct(&mut self.direct, &other.direct);
        for (sum, weight) in self.hidden.iter_mut().zip(other.hidden) {
            *sum = sum.wrapping_sub(weight);
        }
    }
}

/// Evaluates states one after the other. The sums that two states have in common are not computed again, so
/// that states which follow from one state cost little.
#[derive(Clone, Debug)]
pub struct Scorer {
    evaluation: Arc<Evaluation>,
    /// The state that the sums are for.
    state: Vec<u64>,
    sums: Sums,
    counts: Counts,
    /// The words that were others in the state before, with their places.
    replaced: Vec<(usize, u64)>,
}

impl Scorer {
    /// A scorer that has seen no state.
    pub fn new(evaluation: Arc<Evaluation>) -> Scorer {
        Scorer {
            state: vec![0; evaluation.bases().div_ceil(64)],
            sums: evaluation.empty(),
            counts: evaluation.inputs.no_counts(),
            replaced: Vec::new(),
            evaluation,
        }
    }

    /// Returns what each role can expect in the state with these words. If several roles decide, the first
    /// counts as the role to move.
    pub(in crate::search) fn values(
        &mut self,
        words: impl Iterator<Item = u64>,
        to_move: RoleId,
    ) -> Shares {
        shares(self.roles(), self.log_odds(words, to_move))
    }

    /// The number of roles.
    pub(in crate::search) fn roles(&self) -> Roles {
        self.evaluation.roles
    }

    /// The logarithms of the odds of each role in the state with these words.
    pub(in crate::search) fn log_odds(
        &mut self,
        words: impl Iterator<Item = u64>,
        to_move: RoleId,
    ) -> Shares {
        vectorised(LogOdds {
            scorer: self,
            words,
            to_move,
            is_beside: false,
        })
    }

    /// Brings the sums up to date for the state with these words.
    #[inline(always)]
    fn go_to(&mut self, words: impl Iterator<Item = u64>) {
        self.replaced.clear();
        let words = words.chain(std::iter::repeat(0));
        for (at, word) in (0..self.state.len()).zip(words) {
            let before = self.state[at];
            if before == word {
                continue;
            }
            self.replaced.push((at, before));
            self.state[at] = word;
            for bit in ones(std::iter::once(before & !word)) {
                self.toggle(64 * at + bit, false);
            }
            for bit in ones(std::iter::once(word & !before)) {
                self.toggle(64 * at + bit, true);
            }
        }
    }

    /// A proposition begins to hold, or ceases to.
    #[inline(always)]
    fn toggle(&mut self, base: usize, holds: bool) {
        let evaluation = &*self.evaluation;
        let sums = &mut self.sums;
        sums.change(&evaluation.weights[base], holds);
        let mut changes = SumChanges { sums, evaluation };
        (evaluation.inputs).toggle(base, holds, &mut self.counts, &mut changes);
    }

    /// As [`log_odds`](Scorer::log_odds), but for one of many states that differ little from the
    /// state before and more from each other, as its successors do.
    pub(in crate::search) fn log_odds_beside(
        &mut self,
        words: impl Iterator<Item = u64>,
        to_move: RoleId,
    ) -> Shares {
        vectorised(LogOdds {
            scorer: self,
            words,
            to_move,
            is_beside: true,
        })
    }

    /// Restores what depends on the state for the state before, except the sums.
    #[inline(always)]
    fn go_back(&mut self) {
        let inputs = &self.evaluation.inputs;
        for &(at, before) in &self.replaced {
            let word = std::mem::replace(&mut self.state[at], before);
            for bit in ones(std::iter::once(before ^ word)) {
                let holds = before >> bit & 1 != 0;
                inputs.count_base(64 * at + bit, holds, &mut self.counts);
            }
        }
    }

    /// As [`values`](Scorer::values), beside the state before.
    pub(in crate::search) fn values_beside(
        &mut self,
        words: impl Iterator<Item = u64>,
        to_move: RoleId,
    ) -> Shares {
        shares(self.roles(), self.log_odds_beside(words, to_move))
    }

    /// Returns the effect on the logarithms of the odds of a proposition that holds in the state before.
    pub(super) fn effect(&self, base: usize, to_move: RoleId) -> Shares {
        let mut without = self.sums;
        without.subtract(&self.evaluation.weights[base]);
        let tuples = self.evaluation.inputs.tuples();
        for [cell, other] in tuples.cells_with(base, self.counts.contents()) {
            subtract_direct(&mut without.direct, &self.evaluation.cells[cell]);
            add_direct(&mut without.direct, &self.evaluation.cells[other]);
        }
        let [with, without] = [&self.sums, &without].map(|sums| self.outputs(sums, to_move));
        (self.roles()).shares(|role| with[role.index()] - without[role.index()])
    }

    /// The outputs for all roles.
    #[inline(always)]
    fn outputs(&self, sums: &Sums, to_move: RoleId) -> Shares {
        let mut units = sums.hidden;
        units
            .iter_mut()
            .for_each(|unit| *unit = (*unit).clamp(0, ONE));
        let roles = self.evaluation.roles;
        roles.shares(|role| {
            let column = roles.column(to_move, role);
            let mut products = 0;
            for (&unit, &weight) in units.iter().zip(&self.evaluation.outputs[column]) {
                products += i32::from(unit) * i32::from(weight);
            }
            sums.direct[column] as f32 / DIRECT + products as f32 / (HIDDEN_UNIT * OUTPUT)
        })
    }
}

/// Brings sums up to date as inputs change.
struct SumChanges<'a> {
    sums: &'a mut Sums,
    evaluation: &'a Evaluation,
}

impl InputObserver for SumChanges<'_> {
    #[inline(always)]
    fn pattern(&mut self, input: usize, is_true: bool) {
        self.sums.change(&self.evaluation.weights[input], is_true);
    }

    #[inline(always)]
    fn cell(&mut self, before: usize, after: usize) {
        let cells = &self.evaluation.cells;
        subtract_direct(&mut self.sums.direct, &cells[before]);
        add_direct(&mut self.sums.direct, &cells[after]);
    }
}

/// To find the logarithms of the odds in the state with these words, and go back to the state before if that is
/// wanted.
struct LogOdds<'a, W> {
    scorer: &'a mut Scorer,
    words: W,
    to_move: RoleId,
    is_beside: bool,
}

impl<W: Iterator<Item = u64>> VectorWork for LogOdds<'_, W> {
    type Output = Shares;

    #[inline(always)]
    fn run(self) -> Shares {
        let scorer = self.scorer;
        let before = scorer.sums;
        scorer.go_to(self.words);
        let found = scorer.outputs(&scorer.sums, self.to_move);
        if self.is_beside {
            scorer.go_back();
            scorer.sums = before;
        }
        found
    }
}

/// Returns what each role can expect with these logarithms of the odds.
pub(super) fn shares(roles: Roles, log_odds: Shares) -> Shares {
    roles.shares(|role| logistic(log_odds[role.index()]))
}

/// The logistic function: the probability with these logarithmic odds.
pub(super) fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The outputs as they are defined, in floating point.
    fn expected(roles: Roles, weights: &Weights, state: &[usize], to_move: RoleId) -> Shares {
        let inputs = || {
            let inputs = state.iter().map(|&base| &weights.inputs[base]);
            inputs.chain([&weights.constant])
        };
        let unit = |at: usize| {
            let sum: f32 = inputs().map(|input| input.hidden[at]).sum();
            sum.clamp(0.0, 1.0)
        };
        roles.shares(|role| {
            let column = roles.column(to_move, role);
            let hidden = (0..HIDDEN).map(|at| unit(at) * weights.outputs[column][at]);
            inputs().map(|input| input.direct[column]).sum::<f32>() + hidden.sum::<f32>()
        })
    }

    fn input() -> impl Strategy<Value = InputWeights> {
        let direct = prop::array::uniform4(-9.0f32..9.0);
        let hidden = prop::array::uniform32(-1.0f32..1.0);
        (direct, hidden).prop_map(|(direct, hidden)| InputWeights { direct, hidden })
    }

    proptest! {
        /// Whatever states were evaluated before, outputs are those of the state.
        #[test]
        fn outputs_are_those_of_the_state(
            count in 2usize..=4,
            states in prop::collection::vec(prop::collection::btree_set(0usize..70, 0..20), 1..8),
            constant in input(),
            inputs in prop::collection::vec(input(), 70),
            outputs in prop::array::uniform4(prop::array::uniform32(-9.0f32..9.0)),
        ) {
            let propositions = Arc::new(Inputs::plain(70));
            let roles = Roles::new(count, None).unwrap();
            let evaluation = Evaluation::new(roles, propositions.clone(), &Weights { constant, inputs, outputs, cells: Vec::new() });
            let weights = evaluation.weights();
            prop_assert_eq!(&Evaluation::new(roles, propositions, &weights), &evaluation);
            let mut scorer = Scorer::new(Arc::new(evaluation));
            for (number, state) in states.into_iter().enumerate() {
                let state: Vec<usize> = state.into_iter().collect();
                let mut words = [0u64; 2];
                state.iter().for_each(|base| words[base / 64] |= 1 << (base % 64));
                for to_move in roles.each() {
                    let whole = expected(roles, &weights, &state, to_move);
                    let found = match number % 3 {
                        0 => scorer.log_odds(words.into_iter(), to_move),
                        _ => scorer.log_odds_beside(words.into_iter(), to_move),
                    };
                    for (found, whole) in found.iter().zip(whole) {
                        prop_assert!((found - whole).abs() < 1e-2);
                    }
                    if let (0, Some((&base, rest))) = (number % 3, state.split_first()) {
                        let without = expected(roles, &weights, rest, to_move);
                        let effect = scorer.effect(base, to_move);
                        for role in 0..count {
                            prop_assert!((effect[role] - whole[role] + without[role]).abs() < 1e-2);
                        }
                    }
                }
            }
        }
    }
}
