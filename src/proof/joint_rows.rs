//! The states after all joint moves of a state, as rows: a bit for each joint move.

use crate::state::ones;

use super::cube::Cube;

/// A row for each base proposition: the joint moves after which it holds.
#[derive(Default, Debug)]
pub(super) struct JointRows {
    /// The words of a row.
    words: usize,
    rows: Vec<u64>,
}

impl JointRows {
    /// The rows for a single state, which is packed, and as if after one joint move.
    pub(super) fn of(state: &[u64], propositions: usize) -> JointRows {
        let bit = |at: usize| state[at / 64] >> (at % 64) & 1;
        JointRows {
            words: 1,
            rows: (0..propositions).map(bit).collect(),
        }
    }

    /// Makes room for rows of this number of words.
    pub(super) fn resize(&mut self, propositions: usize, words: usize) {
        self.words = words;
        self.rows.resize(propositions * words, 0);
    }

    /// Takes the rows of some joint moves, from word `first` of each row on.
    pub(super) fn fill(&mut self, first: usize, words: usize, rows: &[u64]) {
        if words == self.words {
            return self.rows.copy_from_slice(rows);
        }
        let to = self.rows.chunks_exact_mut(self.words);
        for (to, row) in to.zip(rows.chunks_exact(words)) {
            to[first..first + words].copy_from_slice(row);
        }
    }

    /// The words of a row.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// The joint moves after which a proposition holds.
    pub(super) fn row(&self, proposition: usize) -> &[u64] {
        &self.rows[proposition * self.words..][..self.words]
    }

    /// For each word of a state, the propositions that hold after all joint moves of a set, and
    /// after some of them.
    pub(super) fn common(&self, set: &[u64]) -> Vec<[u64; 2]> {
        let rows = self.rows.chunks(64 * self.words);
        let words = rows.map(|rows| {
            let mut common = [0; 2];
            for (bit, row) in rows.chunks_exact(self.words).enumerate() {
                let (mut missing, mut some) = (0, 0);
                for (row, set) in row.iter().zip(set) {
                    missing |= !row & set;
                    some |= row & set;
                }
                common[0] |= u64::from(missing == 0) << bit;
                common[1] |= u64::from(some != 0) << bit;
            }
            common
        });
        words.collect()
    }

    /// Leaves the joint moves in the set after which the state is in the cube; whether there are
    /// any. The set is a part of one with this in [common](JointRows::common), and the cube agrees
    /// with that.
    pub(super) fn restrict(&self, cube: &Cube, common: &[[u64; 2]], set: &mut [u64]) -> bool {
        let words = cube.mask().iter().zip(cube.values()).zip(common);
        for (word, ((&mask, &values), [all, some])) in words.enumerate() {
            let mut left = mask & (all ^ some);
            while left != 0 {
                let bit = left.trailing_zeros() as usize;
                left &= left - 1;
                let inverted = (values >> bit & 1).wrapping_sub(1);
                let row = self.row(64 * word + bit).iter();
                let any = set.iter_mut().zip(row).fold(0, |any, (set, row)| {
                    *set &= row ^ inverted;
                    any | *set
                });
                if any == 0 {
                    return false;
                }
            }
        }
        set.iter().any(|&word| word != 0)
    }

    /// The joint moves of a set after which the state is in the cube.
    pub(super) fn within(&self, cube: &Cube, set: &[u64]) -> Vec<u64> {
        let mut set = set.to_vec();
        let words = cube.mask().len();
        self.restrict(cube, &vec![[0, !0]; words], &mut set);
        set
    }

    /// The state after a joint move, packed in this number of words.
    pub(super) fn state(&self, joint: usize, words: usize) -> Vec<u64> {
        let mut state = vec![0; words];
        for (proposition, row) in self.rows.chunks_exact(self.words).enumerate() {
            state[proposition / 64] |= (row[joint / 64] >> (joint % 64) & 1) << (proposition % 64);
        }
        state
    }
}

/// Whether a joint move is in a set.
pub(super) fn contains(set: &[u64], joint: usize) -> bool {
    set[joint / 64] >> (joint % 64) & 1 == 1
}

/// The joint moves in a set, ascending.
pub(super) fn joints(set: &[u64]) -> impl Iterator<Item = usize> {
    ones(set.iter().copied())
}
