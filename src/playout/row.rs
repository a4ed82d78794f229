//! One bit per lane.

use propjit_jit::lanes::Width;

use crate::machine::ones;

/// A set of lanes. Words that the width does not have are zero.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Row([u64; Width::MAX_WORDS]);

impl Row {
    /// All lanes of a width.
    pub fn all(width: Width) -> Row {
        Row::from_words(&[!0; Width::MAX_WORDS][..width.words()])
    }

    /// The lanes that have a one in these words.
    pub fn from_words(words: &[u64]) -> Row {
        let mut row = Row::default();
        row.0[..words.len()].copy_from_slice(words);
        row
    }

    /// The words of a width.
    pub fn words(&self, width: Width) -> &[u64] {
        &self.0[..width.words()]
    }

    pub fn insert(&mut self, lane: usize) {
        self.0[lane / 64] |= 1 << (lane % 64);
    }

    pub fn and(self, other: Row) -> Row {
        self.zip(other, |a, b| a & b)
    }

    pub fn or(self, other: Row) -> Row {
        self.zip(other, |a, b| a | b)
    }

    pub fn and_not(self, other: Row) -> Row {
        self.zip(other, |a, b| a & !b)
    }

    fn zip(self, other: Row, f: impl Fn(u64, u64) -> u64) -> Row {
        Row(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    /// The lanes, ascending.
    pub fn lanes(&self) -> impl Iterator<Item = usize> + use<> {
        ones(self.0.into_iter())
    }

    /// How many lanes there are.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}
