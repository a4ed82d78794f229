//! Joint move rows: the states after all joint moves of a state, with a bit for each joint move.

use crate::game::vocabulary::state::ones;

use super::cube::Cube;

/// A part of a row: as many joint moves as are processed together.
pub(super) type Lanes = [u64; 4];

/// The number of joint moves in a part.
pub(super) const PART: usize = 4 * u64::BITS as usize;

/// A part without any.
pub(super) const EMPTY: Lanes = [0; 4];

/// A row for each base proposition: the joint moves after which it holds. Rows consist of whole
/// parts.
#[derive(Default, Debug)]
pub(super) struct JointRows {
    /// The parts of a row.
    parts: usize,
    rows: Vec<Lanes>,
}

impl JointRows {
    /// Makes room for this number of joint moves.
    pub(super) fn resize(&mut self, propositions: usize, joints: usize) {
        self.parts = joints.div_ceil(PART);
        self.rows.resize(propositions * self.parts, EMPTY);
    }

    /// Takes rows of this number of words for some joint moves, from word `first` on.
    pub(super) fn fill(&mut self, first: usize, words: usize, rows: &[u64]) {
        let to = self
            .rows
            .as_flattened_mut()
            .chunks_exact_mut(4 * self.parts);
        for (to, row) in to.zip(rows.chunks_exact(words)) {
            let to = &mut to[first..];
            let length = to.len().min(words);
            to[..length].copy_from_slice(&row[..length]);
        }
    }

    /// The words of a set of joint moves.
    pub(super) fn words(&self) -> usize {
        4 * self.parts
    }

    /// The joint moves of a part after which a proposition holds.
    pub(super) fn row(&self, part: usize, proposition: usize) -> &Lanes {
        &self.rows[proposition * self.parts + part]
    }

    /// For each word of a state, the propositions that hold after all joint moves of a set, and
    /// after some of them.
    pub(super) fn common(&self, part: usize, set: &Lanes) -> Vec<[u64; 2]> {
        let rows = self.rows.chunks(64 * self.parts);
        let words = rows.map(|rows| {
            let mut common = [0; 2];
            for (bit, row) in rows.iter().skip(part).step_by(self.parts).enumerate() {
                let both = row.iter().zip(set);
                let (missing, some) = both.fold((0, 0), |(missing, some), (row, set)| {
                    (missing | (!row & set), some | (row & set))
                });
                common[0] |= u64::from(missing == 0) << bit;
                common[1] |= u64::from(some != 0) << bit;
            }
            common
        });
        words.collect()
    }

    /// The joint moves of a set after which the state is in the cube. The set is a part of one
    /// with this in [common](JointRows::common), and the cube agrees with that.
    pub(super) fn restrict(
        &self,
        part: usize,
        cube: &Cube,
        common: &[[u64; 2]],
        mut set: Lanes,
    ) -> Lanes {
        let words = cube.mask().iter().zip(cube.values()).zip(common);
        for (word, ((&mask, &values), [all, some])) in words.enumerate() {
            let mut left = mask & (all ^ some);
            while left != 0 && set != EMPTY {
                let bit = left.trailing_zeros() as usize;
                left &= left - 1;
                let inverted = (values >> bit & 1).wrapping_sub(1);
                let row = self.row(part, 64 * word + bit);
                for (set, row) in set.iter_mut().zip(row) {
                    *set &= row ^ inverted;
                }
            }
        }
        set
    }

    /// The joint moves of a set after which the state is in the cube.
    pub(super) fn within(&self, cube: &Cube, set: &[u64]) -> Vec<u64> {
        let anything = vec![[0, !0]; cube.mask().len()];
        let parts = set.as_chunks().0.iter().enumerate();
        let within = parts.map(|(part, &set)| self.restrict(part, cube, &anything, set));
        within.flatten().collect()
    }

    /// The state after a joint move, packed in this number of words.
    pub(super) fn state(&self, joint: usize, words: usize) -> Vec<u64> {
        let mut state = vec![0; words];
        let rows = self.rows.iter().skip(joint / PART).step_by(self.parts);
        for (proposition, row) in rows.enumerate() {
            let bit = row[joint % PART / 64] >> (joint % 64) & 1;
            state[proposition / 64] |= bit << (proposition % 64);
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
