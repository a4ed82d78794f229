//! Transposition between rows, with a bit per lane, and columns, with all bits of one lane:
//! for a game, packed states.
//!
//! Blocks of 64 by 64 bits are transposed by swapping ever smaller quarters (Warren,
//! "Hacker's Delight", 2nd edition, section 7-3). States that follow from one state differ little, so that large
//! ones are made faster from the first one and the differences. Equal states of adjacent lanes are spread over
//! the lanes.
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

use std::ops::Range;

use super::dispatch::{Kernel, dispatch};
use super::vector::Vector;
use crate::rows::Width;

/// The words of a column that has a bit for each of `rows` rows.
pub fn column_words(rows: usize) -> usize {
    rows.div_ceil(64)
}

/// Sets bit `r` of column `l` to the value of row `r` in lane `l`, and other bits to zero.
///
/// The columns fill `columns`, each of [`column_words`] words, bit
/// `r` being bit `r % 64` of word `r / 64`.
///
/// # Panics
/// If there are more columns than lanes, or not whole rows or columns.
pub fn to_columns(width: Width, rows: &[u64], columns: &mut [u64]) {
    let shape = Shape::new(width, rows.len(), columns.len());
    if shape.columns <= FEW {
        return gather(width, rows, columns, shape);
    }
    dispatch(
        width,
        ToColumns {
            rows,
            columns,
            shape,
        },
    );
}

/// Sets row `r` in lane `l` to bit `r` of column `l`: the inverse of [`to_columns`].
/// In lanes without a column all rows become false.
///
/// # Panics
/// As [`to_columns`].
pub fn to_rows(width: Width, columns: &[u64], rows: &mut [u64]) {
    let shape = Shape::new(width, rows.len(), columns.len());
    dispatch(
        width,
        ToRows {
            columns,
            rows,
            shape,
        },
    );
}

/// Sets row `r` in a column's lanes to bit `r` of the column, for some columns and their lanes; in all other lanes
/// rows become false. As [`to_rows`], for few columns that are each for many lanes.
///
/// # Panics
/// If there are no such lanes, or not whole rows.
pub fn spread<'a>(
    width: Width,
    columns: impl Iterator<Item = (&'a [u64], Range<usize>)>,
    rows: &mut [u64],
) {
    assert_eq!(rows.len() % width.words(), 0, "whole rows");
    rows.fill(0);
    for (column, lanes) in columns {
        assert!(lanes.end <= width.lanes(), "lanes of the width");
        dispatch(
            width,
            Spread {
                column,
                lanes,
                rows,
            },
        );
    }
}

/// Up to this many columns are made bit by bit, which takes less time than a vector's worth of them.
const FEW: usize = 4;

/// As [`to_columns`], bit by bit.
fn gather(width: Width, rows: &[u64], columns: &mut [u64], shape: Shape) {
    for (lane, column) in columns.chunks_exact_mut(shape.words).enumerate() {
        let parts = rows.chunks(64 * width.words());
        for (word, rows) in column.iter_mut().zip(parts) {
            let rows = rows.chunks_exact(width.words()).enumerate();
            let bits = rows.map(|(at, row)| (row[lane / 64] >> (lane % 64) & 1) << at);
            *word = bits.fold(0, |all, bit| all | bit);
        }
    }
}

/// From `MANY_WORDS` words on, columns are compared with the first one. Up to `FEW_DIFFERING` differing rows of 64
/// are corrected one by one: for more, the block is transposed.
const MANY_WORDS: usize = 4;
const FEW_DIFFERING: usize = 8;

struct ToColumns<'a> {
    rows: &'a [u64],
    columns: &'a mut [u64],
    shape: Shape,
}

impl Kernel for ToColumns<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let ToColumns {
            rows,
            columns,
            shape: Shape {
                columns: count,
                words,
            },
        } = self;
        let parts = rows.chunks(64 * V::WORDS).enumerate();
        if words < MANY_WORDS {
            for (part, rows) in parts {
                transpose_part::<V>(rows, part, columns, words);
            }
            return;
        }
        let lanes = lanes::<V>(0..count);
        let mut differences: Vec<(usize, [u64; MAX_WORDS])> = Vec::new();
        let mut mixed = Vec::new();
        let (first, others) = columns.split_at_mut(words);
        for (part, rows) in parts {
            let before = differences.len();
            let mut word = 0;
            for (at, row) in rows.chunks_exact(V::WORDS).enumerate() {
                let is_true = row[0] & 1;
                word |= is_true << at;
                // SAFETY: a row has this many words.
                let row = unsafe { V::load(row.as_ptr()) };
                let differing = row.xor([V::ZERO, V::ONES][is_true as usize]).and(lanes);
                if !differing.is_zero() {
                    differences.push((64 * part + at, array(differing)));
                }
            }
            first[part] = word;
            if differences.len() > before + FEW_DIFFERING {
                differences.truncate(before);
                mixed.push((part, rows));
            }
        }
        for column in others.chunks_exact_mut(words) {
            column.copy_from_slice(first);
        }
        for (row, differing) in differences {
            for (mut left, first) in differing.into_iter().zip((0..).step_by(64)) {
                while left != 0 {
                    let lane = first + left.trailing_zeros() as usize;
                    columns[lane * words + row / 64] ^= 1 << (row % 64);
                    left &= left - 1;
                }
            }
        }
        for (part, rows) in mixed {
            transpose_part::<V>(rows, part, columns, words);
        }
    }
}

/// Makes the word at `part` of each column, of `words` words, from up to 64 rows.
#[inline(always)]
fn transpose_part<V: Vector>(rows: &[u64], part: usize, columns: &mut [u64], words: usize) {
    let mut block = [V::ZERO; 64];
    for (word, row) in block.iter_mut().zip(rows.chunks_exact(V::WORDS)) {
        // SAFETY: a row has this many words.
        *word = unsafe { V::load(row.as_ptr()) };
    }
    transpose(&mut block);
    let count = columns.len() / words;
    for (first, word) in block.iter().enumerate().take(count) {
        let word = array(*word);
        for (lane, word) in (first..count).step_by(64).zip(word) {
            columns[lane * words + part] = word;
        }
    }
}

struct Spread<'a> {
    column: &'a [u64],
    lanes: Range<usize>,
    rows: &'a mut [u64],
}

impl Kernel for Spread<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let lanes = lanes::<V>(self.lanes);
        let parts = self.rows.chunks_mut(64 * V::WORDS);
        for (&word, rows) in self.column.iter().zip(parts) {
            let mut left = word;
            while left != 0 {
                let at = left.trailing_zeros() as usize * V::WORDS;
                left &= left - 1;
                if let Some(row) = rows.get_mut(at..at + V::WORDS) {
                    // SAFETY: a row has this many words.
                    unsafe { V::load(row.as_ptr()).or(lanes).store(row.as_mut_ptr()) };
                }
            }
        }
    }
}

/// A row that is true in these lanes.
#[inline(always)]
fn lanes<V: Vector>(lanes: Range<usize>) -> V {
    let mut words = [0; MAX_WORDS];
    for (word, first) in words.iter_mut().zip((0..).step_by(64)) {
        let below = |end: usize| match end.saturating_sub(first) {
            count @ 0..64 => (1u64 << count) - 1,
            _ => !0,
        };
        *word = below(lanes.end) & !below(lanes.start);
    }
    // SAFETY: no vector has more words.
    unsafe { V::load(words.as_ptr()) }
}

struct ToRows<'a> {
    columns: &'a [u64],
    rows: &'a mut [u64],
    shape: Shape,
}

impl Kernel for ToRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Shape { columns, words } = self.shape;
        for (part, rows) in self.rows.chunks_mut(64 * V::WORDS).enumerate() {
            let mut block = [V::ZERO; 64];
            for (first, to) in block.iter_mut().enumerate().take(columns) {
                let mut word = [0; MAX_WORDS];
                for (lane, word) in (first..columns).step_by(64).zip(&mut word) {
                    *word = self.columns[lane * words + part];
                }
                // SAFETY: no vector has more words.
                *to = unsafe { V::load(word.as_ptr()) };
            }
            transpose(&mut block);
            for (word, row) in block.iter().zip(rows.chunks_exact_mut(V::WORDS)) {
                // SAFETY: a row has this many words.
                unsafe { word.store(row.as_mut_ptr()) };
            }
        }
    }
}

/// The words of the widest vector.
const MAX_WORDS: usize = 8;

/// The words of a vector, and then anything.
#[inline(always)]
fn array<V: Vector>(vector: V) -> [u64; MAX_WORDS] {
    let mut words = [0; MAX_WORDS];
    // SAFETY: no vector has more words.
    unsafe { vector.store(words.as_mut_ptr()) };
    words
}

/// The number of columns, and of words in each.
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

/// Swaps bit `i` of word `k` with bit `k` of word `i`, at each place of the vectors.
#[inline(always)]
fn transpose<V: Vector>(block: &mut [V; 64]) {
    let mut size = 32;
    // In each word, `size` bits that are one, as many that are zero, and so on.
    let mut low = V::ONES.shift_right(32);
    while size > 0 {
        let bits = size as i32;
        for first in (0..64).step_by(2 * size) {
            for k in first..first + size {
                let differ = block[k].shift_right(bits).xor(block[k + size]).and(low);
                block[k] = block[k].xor(differ.shift_left(bits));
                block[k + size] = block[k + size].xor(differ);
            }
        }
        size /= 2;
        low = low.xor(low.shift_left(size as i32));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Also where columns differ little from the first one.
        #[test]
        fn columns_that_are_alike_have_the_same_bits(
            column in prop::collection::vec(any::<u64>(), 1..12),
            spare in 0usize..64,
            lanes in 5usize..=512,
            differing in prop::collection::vec((0usize..800, 0usize..512), 0..100),
        ) {
            for width in Width::ALL {
                let (words, count) = (width.words(), 64 * column.len() - spare);
                let lanes = lanes.min(width.lanes());
                let mut rows = vec![0; count * words];
                spread(width, std::iter::once((&column[..], 0..width.lanes())), &mut rows);
                for (row, lane) in &differing {
                    rows[row % count * words + lane % width.lanes() / 64] ^= 1 << (lane % 64);
                }
                let mut columns = vec![!0; lanes * column.len()];
                to_columns(width, &rows, &mut columns);
                for (lane, column) in columns.chunks(column.len()).enumerate() {
                    for bit in 0..64 * column.len() {
                        let row = rows.chunks(words).nth(bit);
                        let expected = row.is_some_and(|row| row[lane / 64] >> (lane % 64) & 1 == 1);
                        prop_assert_eq!(column[bit / 64] >> (bit % 64) & 1 == 1, expected);
                    }
                }
            }
        }

        #[test]
        fn columns_are_spread_over_their_lanes(
            columns in prop::collection::vec(any::<[u64; 3]>(), 1..5),
            mut ends in prop::collection::vec(0usize..=512, 5),
            count in 129usize..=192,
        ) {
            ends.sort_unstable();
            for width in Width::ALL {
                let ends: Vec<usize> = ends.iter().map(|end| *end.min(&width.lanes())).collect();
                let runs = columns.iter().zip(ends.windows(2));
                let runs: Vec<_> = runs.map(|(column, ends)| (&column[..], ends[0]..ends[1])).collect();
                let mut packed = vec![0; 3 * width.lanes()];
                for (column, lanes) in &runs {
                    for lane in lanes.clone() {
                        packed[3 * lane..][..3].copy_from_slice(column);
                    }
                }
                let [mut found, mut expected] = [(); 2].map(|()| vec![!0; count * width.words()]);
                spread(width, runs.into_iter(), &mut found);
                to_rows(width, &packed, &mut expected);
                prop_assert_eq!(found, expected);
            }
        }

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
