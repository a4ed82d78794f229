//! Columns: the states that lanes start from, where these differ, as one column of bits per lane.
//!
//! A lane's column stays until it needs another state. Then only the bits that differ are changed,
//! which are few for states of one match.

use propjit_jit::lanes::Width;

use crate::game::machine::State;

/// A row per base proposition, or per bit of their [code](crate::game::circuits::stepping::StateCode), with a bit per
/// lane.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    width: Width,
    /// Words of a packed state.
    state_words: usize,
    rows: Vec<u64>,
    /// The states in the columns, packed, one after the other.
    packed: Vec<u64>,
    /// The number of the state in the column of each lane; 0 is the empty state.
    numbers: Vec<u64>,
}

impl Columns {
    /// Creates columns of empty states of `bits` bits.
    pub(super) fn new(width: Width, bits: usize) -> Columns {
        let state_words = bits.div_ceil(64);
        Columns {
            width,
            state_words,
            rows: vec![0; bits * width.words()],
            packed: vec![0; state_words * width.lanes()],
            numbers: vec![0; width.lanes()],
        }
    }

    /// Returns the rows.
    pub(super) fn rows(&self) -> &[u64] {
        &self.rows
    }

    /// Returns the number of rows.
    pub(super) fn bits(&self) -> usize {
        self.rows.len() / self.width.words()
    }

    /// Returns whether the state with this number, which is not 0, is in a lane's column.
    pub(super) fn has(&self, lane: usize, number: u64) -> bool {
        self.numbers[lane] == number
    }

    /// Puts this state into a lane's column. Equal numbers other than 0 mean equal states.
    pub(super) fn set(&mut self, lane: usize, state: &State, number: u64) {
        if std::mem::replace(&mut self.numbers[lane], number) == number {
            return;
        }
        let words = self.width.words();
        let (word, bit) = (lane / 64, 1 << (lane % 64));
        let held = &mut self.packed[lane * self.state_words..][..self.state_words];
        let wanted = state.words().iter().copied().chain(std::iter::repeat(0));
        for ((held, wanted), first) in held.iter_mut().zip(wanted).zip((0..).step_by(64)) {
            let mut changed = std::mem::replace(held, wanted) ^ wanted;
            while changed != 0 {
                let base = first + changed.trailing_zeros() as usize;
                self.rows[base * words + word] ^= bit;
                changed &= changed - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_lane_has_the_state_given_last(
            changes in prop::collection::vec((0usize..256, prop::collection::vec(0usize..130, 0..20)), 0..60),
        ) {
            let mut columns = Columns::new(Width::X256, 130);
            let mut expected = vec![State::new(); 256];
            for ((lane, bases), number) in changes.into_iter().zip(1..) {
                let state: State = bases.into_iter().collect();
                columns.set(lane, &state, number);
                columns.set(lane, &state, number);
                expected[lane] = state;
            }
            for (lane, state) in expected.iter().enumerate() {
                for (base, row) in columns.rows().chunks(4).enumerate() {
                    let bit = row[lane / 64] >> (lane % 64) & 1 == 1;
                    prop_assert_eq!(bit, state.contains(base), "lane {} base {}", lane, base);
                }
            }
        }
    }
}
