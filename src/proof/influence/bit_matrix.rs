//! Bit matrices.

/// A matrix of bits: rows of whole words.
#[derive(Debug)]
pub(super) struct BitMatrix {
    words: usize,
    bits: Vec<u64>,
}

impl BitMatrix {
    /// A matrix of zeros.
    pub(super) fn new(rows: usize, columns: usize) -> BitMatrix {
        let words = columns.div_ceil(64);
        BitMatrix {
            words,
            bits: vec![0; rows * words],
        }
    }

    /// Sets a bit.
    pub(super) fn insert(&mut self, row: usize, column: usize) {
        self.bits[row * self.words + column / 64] |= 1 << (column % 64);
    }

    /// Adds a row to a set of columns.
    pub(super) fn add_to(&self, row: usize, set: &mut [u64]) {
        let row = &self.bits[row * self.words..][..self.words];
        set.iter_mut().zip(row).for_each(|(set, row)| *set |= row);
    }

    /// Whether a row has ones in some of these columns.
    pub(super) fn meets(&self, row: usize, set: &[u64]) -> bool {
        let row = &self.bits[row * self.words..][..self.words];
        row.iter().zip(set).any(|(row, set)| row & set != 0)
    }
}
