//! The code of states in circuits of random steps: the bits that represent propositions.
//!
//! A large group of propositions of which at most one is true is represented by the number of the
//! true one in binary. So a step in hex reads and writes 567 bits for the numbers of cells, and not
//! 6,885 propositions. All other propositions have a bit each.

use std::ops::Range;

use propjit_jit::circuit::{Builder, Edge};
use propjit_jit::count_tree::count_bits;
use propjit_jit::lanes::Width;

use crate::game::ground::GroundGame;
use crate::game::ground::invariants::large_groups::LargeGroup;
use crate::game::vocabulary::state::State;

/// The minimum fraction of a game's propositions in large groups for which these are kept as
/// numbers: in games with few, such as one step counter, there is nothing to gain.
const MIN_PART: f64 = 0.5;

/// The bits that represent base propositions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateCode {
    bits: usize,
    /// The propositions that have a bit of their own, which are the first bits, in order.
    plain: Vec<usize>,
    groups: Vec<CodedGroup>,
    /// For each proposition, the first of the bits that hold the number of its group, and its own
    /// number.
    numbers: Vec<(usize, usize)>,
    /// The conditions on states that the code is used for.
    conditions: Vec<LargeGroup>,
    /// For each proposition, the condition of which it is a member, if there are any conditions.
    condition_of: Vec<Option<usize>>,
}

/// A group of propositions of which at most one is true.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CodedGroup {
    /// The propositions; the first has number 1, and 0 means that none is true.
    pub(super) members: Vec<usize>,
    /// The bits of the number of the true one, least significant first.
    pub(super) bits: Range<usize>,
}

impl StateCode {
    /// Creates the code of a game's states.
    pub(super) fn new(game: &GroundGame) -> StateCode {
        let bases = game.layout().bases.len();
        let least = (MIN_PART * bases as f64) as usize;
        let conditions = LargeGroup::find(game, least.max(1));
        let coded = conditions.iter().filter(|group| group.may_stay);
        let mut members: Vec<Vec<usize>> = coded.map(|group| group.members.clone()).collect();
        members.sort_unstable();
        StateCode::with(bases, members, conditions)
    }

    /// Creates the code of states with `bases` propositions, in which `members` are the coded
    /// groups.
    fn with(bases: usize, members: Vec<Vec<usize>>, conditions: Vec<LargeGroup>) -> StateCode {
        let mut is_coded = vec![false; bases];
        members
            .iter()
            .flatten()
            .for_each(|&base| is_coded[base] = true);
        let plain: Vec<usize> = (0..bases).filter(|&base| !is_coded[base]).collect();
        let mut numbers = vec![(0, 0); bases];
        for (bit, &base) in plain.iter().enumerate() {
            numbers[base] = (bit, 1);
        }
        let mut bits = plain.len();
        let groups = members.into_iter().map(|members| {
            let first = bits;
            bits += count_bits(members.len());
            for (&base, number) in members.iter().zip(1..) {
                numbers[base] = (first, number);
            }
            CodedGroup {
                members,
                bits: first..bits,
            }
        });
        let groups = groups.collect();
        let mut condition_of = vec![None; if conditions.is_empty() { 0 } else { bases }];
        for (number, group) in conditions.iter().enumerate() {
            for &base in &group.members {
                condition_of[base] = Some(number);
            }
        }
        StateCode {
            bits,
            plain,
            groups,
            numbers,
            conditions,
            condition_of,
        }
    }

    /// Returns the number of bits.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// Returns whether each proposition has a bit of its own, in their order.
    pub fn is_plain(&self) -> bool {
        self.groups.is_empty()
    }

    /// Returns whether the code is valid for a state and all states that follow from it.
    pub fn is_right_for(&self, state: &State) -> bool {
        let mut seen = vec![false; self.conditions.len()];
        state.iter().all(|base| {
            let Some(Some(group)) = self.condition_of.get(base) else {
                return true;
            };
            !std::mem::replace(&mut seen[*group], true)
                && self.conditions[*group].is_accompanied(state)
        })
    }

    /// Returns the bit that represents this base proposition alone, if there is one.
    pub fn plain_bit(&self, base: usize) -> Option<usize> {
        let (first, _) = self.numbers[base];
        (first < self.plain.len()).then_some(first)
    }

    pub(super) fn groups(&self) -> &[CodedGroup] {
        &self.groups
    }

    /// Returns the bits that represent one proposition each, with these propositions.
    pub(super) fn plain(&self) -> impl Iterator<Item = (usize, usize)> {
        self.plain.iter().copied().enumerate()
    }

    /// Returns the bits that represent a state.
    pub fn encode(&self, state: &State) -> State {
        let mut coded = State::new();
        for base in state.iter() {
            let (first, number) = self.numbers[base];
            let digits = (0..count_bits(number)).filter(|&digit| number >> digit & 1 == 1);
            digits.for_each(|digit| coded.insert(first + digit));
        }
        coded
    }

    /// Encodes states in lanes: computes the rows of bits from the rows of propositions.
    pub fn encode_rows(&self, width: Width, bases: &[u64], bits: &mut [u64]) {
        let words = width.words();
        let row = |at: usize| at * words..(at + 1) * words;
        for (bit, base) in self.plain() {
            bits[row(bit)].copy_from_slice(&bases[row(base)]);
        }
        for group in &self.groups {
            bits[group.bits.start * words..group.bits.end * words].fill(0);
            for (&base, number) in group.members.iter().zip(1..) {
                let held = &bases[row(base)];
                if held.iter().all(|&word| word == 0) {
                    continue;
                }
                for (digit, bit) in group.bits.clone().enumerate() {
                    if number >> digit & 1 == 1 {
                        for (word, held) in bits[row(bit)].iter_mut().zip(held) {
                            *word |= held;
                        }
                    }
                }
            }
        }
    }

    /// Decodes states in lanes: computes the rows of propositions from the rows of bits.
    pub fn decode_rows(&self, width: Width, bits: &[u64], bases: &mut [u64]) {
        let words = width.words();
        let row = |at: usize| at * words..(at + 1) * words;
        for (bit, base) in self.plain() {
            bases[row(base)].copy_from_slice(&bits[row(bit)]);
        }
        for group in &self.groups {
            for (&base, number) in group.members.iter().zip(1..) {
                let held = &mut bases[row(base)];
                held.fill(!0);
                for (digit, bit) in group.bits.clone().enumerate() {
                    let is_one = number >> digit & 1 == 1;
                    for (word, bits) in held.iter_mut().zip(&bits[row(bit)]) {
                        *word &= if is_one { *bits } else { !bits };
                    }
                }
            }
        }
    }

    /// Returns the base propositions, computed from the bits.
    pub(super) fn decode(&self, builder: &mut Builder, bits: &[Edge]) -> Vec<Edge> {
        let members = self.groups.iter().map(|group| group.members.len());
        let mut bases = vec![Edge::FALSE; self.plain.len() + members.sum::<usize>()];
        for (bit, base) in self.plain() {
            bases[base] = bits[bit];
        }
        for group in &self.groups {
            // Each number is decoded as a conjunction of its low and high half; there are few
            // distinct halves.
            let bits = &bits[group.bits.clone()];
            let (low, high) = bits.split_at(bits.len() / 2);
            for (&base, number) in group.members.iter().zip(1..) {
                let [low, high] = [(low, number), (high, number >> low.len())]
                    .map(|(bits, number)| equals(builder, bits, number));
                bases[base] = builder.and(low, high);
            }
        }
        bases
    }
}

/// Returns whether bits are the last digits of a number.
fn equals(builder: &mut Builder, bits: &[Edge], number: usize) -> Edge {
    let digits = bits.iter().enumerate();
    let digits = digits.map(|(digit, &bit)| bit.invert_if(number >> digit & 1 == 0));
    builder.and_all(&digits.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BASES: usize = 50;

    fn code() -> StateCode {
        let groups = vec![(3..20).collect(), (22..49).step_by(2).collect()];
        StateCode::with(BASES, groups, Vec::new())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        /// States are the same after coding and decoding: one by one, in rows, and in a circuit.
        #[test]
        fn what_is_decoded_was_coded(
            states in prop::collection::vec(
                (prop::collection::vec(any::<bool>(), BASES), 0..40_usize, 0..40_usize),
                64,
            ),
        ) {
            let code = code();
            prop_assert_eq!(code.bits(), BASES - 17 - 14 + 5 + 4);
            let chosen = |members: &[usize], at: usize, base: usize| members.get(at) == Some(&base);
            let states = states.iter().map(|(plain, first, second)| -> State {
                let [one, other] = [&code.groups[0].members, &code.groups[1].members];
                (0..BASES)
                    .filter(|&base| match base {
                        _ if one.contains(&base) => chosen(one, *first, base),
                        _ if other.contains(&base) => chosen(other, *second, base),
                        _ => plain[base],
                    })
                    .collect()
            });
            let states: Vec<State> = states.collect();
            let rows = |states: &[State], count: usize| -> Vec<u64> {
                let row = |at: usize| {
                    let lanes = states.iter().enumerate();
                    lanes.fold(0, |row, (lane, state)| row | u64::from(state.contains(at)) << lane)
                };
                (0..count).map(row).collect()
            };
            let coded: Vec<State> = states.iter().map(|state| code.encode(state)).collect();
            let (bases, bits) = (rows(&states, BASES), rows(&coded, code.bits()));
            let mut found = vec![!0; code.bits()];
            code.encode_rows(Width::X64, &bases, &mut found);
            prop_assert_eq!(&found, &bits);
            let mut found = vec![!0; BASES];
            code.decode_rows(Width::X64, &bits, &mut found);
            prop_assert_eq!(&found, &bases);
            let mut builder = Builder::new(code.bits());
            let inputs: Vec<Edge> = (0..code.bits()).map(|bit| builder.input(bit)).collect();
            let decoded = code.decode(&mut builder, &inputs);
            let circuit = builder.finish(decoded);
            for (state, coded) in states.iter().zip(&coded) {
                let bits: Vec<bool> = (0..code.bits()).map(|bit| coded.contains(bit)).collect();
                let bases: Vec<bool> = (0..BASES).map(|base| state.contains(base)).collect();
                prop_assert_eq!(circuit.evaluate(&bits), bases);
            }
        }
    }
}
