//! Transposition between rows, with a bit per lane, and columns, with all bits of one lane:
//! for a game, packed states.
//!
//! Blocks of 64 by 64 bits are transposed by swapping ever smaller quarters (Warren,
//! "Hacker's Delight", 2nd edition, section 7-3).
//!
//! ```
//! use propjit_jit::lanes::Width;
//! use propjit_jit::lanes::transpose::{to_columns, to_rows};
//!
//! // Three rows of 64 lanes, of which two are of interest.
//! let rows = [0b01, 0b11, 0b10];
//! let mut columns = [0; 2];
//! to_columns(Width::X64, &rows, &mut columns);
//! assert_eq!(columns, [0b011, 0b110]);
//!
//! let mut back = [0; 3];
//! to_rows(Width::X64, &columns, &mut back);
//! assert_eq!(back, rows);
//! ```

use crate::rows::Width;

/// A block of 64 by 64 bits.
type Block = [u64; 64];

/// The words of a column that has a bit for each of `rows` rows.
pub fn column_words(rows: usize) -> usize {
    rows.div_ceil(64)
}

/// Makes bit `r` of column `l` what row `r` has in lane `l`, and other bits zero.
///
/// The columns fill `columns`, each of [`column_words`] words, bit
/// `r` being bit `r % 64` of word `r / 64`.
///
/// # Panics
/// If there are more columns than lanes, or not whole rows or columns.
pub fn to_columns(width: Width, rows: &[u64], columns: &mut [u64]) {
    let shape = Shape::new(width, rows.len(), columns.len());
    let mut block = [0; 64];
    for (lanes, first_lane) in (0..width.words()).zip((0..shape.columns).step_by(64)) {
        let in_block = (shape.columns - first_lane).min(64);
        for (part, rows) in rows.chunks(64 * width.words()).enumerate() {
            block.fill(0);
            for (word, row) in block.iter_mut().zip(rows.chunks_exact(width.words())) {
                *word = row[lanes];
            }
            transpose(&mut block);
            let columns = columns[first_lane * shape.words..].chunks_exact_mut(shape.words);
            for (column, word) in columns.zip(&block[..in_block]) {
                column[part] = *word;
            }
        }
    }
}

/// Makes row `r` in lane `l` what bit `r` of column `l` is: the inverse of [`to_columns`].
/// In lanes without a column all rows become false.
///
/// # Panics
/// As [`to_columns`].
pub fn to_rows(width: Width, columns: &[u64], rows: &mut [u64]) {
    let shape = Shape::new(width, rows.len(), columns.len());
    let mut block = [0; 64];
    for lanes in 0..width.words() {
        let first_lane = (64 * lanes).min(shape.columns);
        for (part, rows) in rows.chunks_mut(64 * width.words()).enumerate() {
            block.fill(0);
            let columns = columns[first_lane * shape.words..].chunks_exact(shape.words);
            for (word, column) in block.iter_mut().zip(columns) {
                *word = column[part];
            }
            transpose(&mut block);
            for (word, row) in block.iter().zip(rows.chunks_exact_mut(width.words())) {
                row[lanes] = *word;
            }
        }
    }
}

/// How many columns there are, and of how many words.
struct Shape {
    columns: usize,
    words: usize,
}

impl Shape {
    fn new(width: Width, rows: usize, columns: usize) -> Shape {
        assert_eq!(rows % width.words(), 0, "whole rows");
        // Columns of no rows have no words, and any number of them fits.
        let words = column_words(rows / width.words()).max(1);
        assert_eq!(columns % words, 0, "whole columns");
        let columns = columns / words;
        assert!(columns <= width.lanes(), "no more columns than lanes");
        Shape { columns, words }
    }
}

/// Makes bit `i` of word `k` what was bit `k` of word `i`.
fn transpose(block: &mut Block) {
    let mut size = 32;
    let mut low = u64::from(u32::MAX);
    while size > 0 {
        for first in (0..64).step_by(2 * size) {
            for k in first..first + size {
                let differ = ((block[k] >> size) ^ block[k + size]) & low;
                block[k] ^= differ << size;
                block[k + size] ^= differ;
            }
        }
        size /= 2;
        low ^= low << size;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rows_and_columns_have_the_same_bits(
            words in prop::collection::vec(any::<[u64; 8]>(), 0..200),
            lanes in 0usize..=512,
        ) {
            for width in Width::ALL {
                let rows: Vec<u64> = words.iter().flat_map(|row| &row[..width.words()]).copied().collect();
                let lanes = lanes.min(width.lanes());
                let column_words = column_words(words.len()).max(1);
                let mut columns = vec![!0; if words.is_empty() { 0 } else { lanes * column_words }];
                to_columns(width, &rows, &mut columns);
                for (lane, column) in columns.chunks(column_words).enumerate() {
                    for bit in 0..64 * column_words {
                        let expected = words.get(bit).is_some_and(|row| row[lane / 64] >> (lane % 64) & 1 == 1);
                        prop_assert_eq!(column[bit / 64] >> (bit % 64) & 1 == 1, expected);
                    }
                }
                let mut back = vec![!0; rows.len()];
                to_rows(width, &columns, &mut back);
                for (back, row) in back.chunks(width.words()).zip(&words) {
                    for (word, (back, row)) in back.iter().zip(row).enumerate() {
                        let there = lanes.saturating_sub(64 * word).min(64);
                        let mask = if there == 64 { !0 } else { (1 << there) - 1 };
                        prop_assert_eq!(*back, row & mask);
                    }
                }
            }
        }
    }
}
