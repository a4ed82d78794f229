//! Columns, with a bit for each row, as bytes or numbers.
//!
//! ```
//! use propjit_jit::lanes::unpack::to_bytes;
//!
//! // Two columns of three rows.
//! let mut bytes = [9; 6];
//! to_bytes(&[&[0b011, 0b110]], 3, &mut bytes);
//! assert_eq!(bytes, [1, 1, 0, 0, 1, 1]);
//! ```

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256i, _mm256_and_ps, _mm256_and_si256, _mm256_castsi256_ps, _mm256_cmpeq_epi8,
    _mm256_cmpeq_epi32, _mm256_set1_epi8, _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_set1_ps,
    _mm256_setr_epi32, _mm256_setr_epi64x, _mm256_shuffle_epi8, _mm256_storeu_ps,
    _mm256_storeu_si256, _mm512_maskz_mov_ps, _mm512_maskz_set1_epi8, _mm512_set1_ps,
    _mm512_storeu_ps, _mm512_storeu_si512,
};

use super::transpose::column_words;

/// Expands each of the first `rows` bits of each column to a byte, 0 or 1, one column after the other.
/// With several sets of columns, the first columns of all sets come first.
///
/// Columns have [`column_words`] words, and each set as many columns.
///
/// # Panics
/// If the lengths do not fit.
pub fn to_bytes(sets: &[&[u64]], rows: usize, bytes: &mut [u8]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512bw") {
        // SAFETY: the CPU has AVX512BW, as just checked.
        return unsafe { with_avx512(sets, rows, bytes) };
    }
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the CPU has AVX2, as just checked.
        return unsafe { with_avx2(sets, rows, bytes) };
    }
    write(sets, rows, bytes, spread);
}

/// Does the same, with the numbers 0 and 1 instead of bytes.
///
/// # Panics
/// If the lengths do not fit.
pub fn to_floats(sets: &[&[u64]], rows: usize, floats: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the CPU has AVX512F, as just checked.
        return unsafe { floats_with_avx512(sets, rows, floats) };
    }
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the CPU has AVX2, as just checked.
        return unsafe { floats_with_avx2(sets, rows, floats) };
    }
    write(sets, rows, floats, spread_floats);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512bw")]
fn with_avx512(sets: &[&[u64]], rows: usize, bytes: &mut [u8]) {
    write(sets, rows, bytes, |word, to| spread_avx512(word, to));
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2(sets: &[&[u64]], rows: usize, bytes: &mut [u8]) {
    write(sets, rows, bytes, |word, to| spread_avx2(word, to));
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn floats_with_avx512(sets: &[&[u64]], rows: usize, floats: &mut [f32]) {
    write(sets, rows, floats, |word, to| {
        spread_floats_avx512(word, to)
    });
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn floats_with_avx2(sets: &[&[u64]], rows: usize, floats: &mut [f32]) {
    write(sets, rows, floats, |word, to| spread_floats_avx2(word, to));
}

#[inline(always)]
fn write<T: Copy + Default>(
    sets: &[&[u64]],
    rows: usize,
    to: &mut [T],
    spread: impl Fn(u64, &mut [T; 64]),
) {
    let words = column_words(rows);
    let columns = to.len().checked_div(rows * sets.len()).unwrap_or(0);
    assert_eq!(to.len(), columns * rows * sets.len(), "whole columns");
    for set in sets {
        assert_eq!(set.len(), columns * words, "a bit for each element");
    }
    let mut start = 0;
    for column in 0..columns {
        for set in sets {
            let column = &set[column * words..][..words];
            for (&word, at) in column.iter().zip((start..).step_by(64)) {
                let rest = &mut to[at..];
                match rest.first_chunk_mut() {
                    // Excess elements are overwritten by the next column.
                    Some(place) => spread(word, place),
                    None => {
                        let mut all = [T::default(); 64];
                        spread(word, &mut all);
                        rest.copy_from_slice(&all[..rest.len()]);
                    }
                }
            }
            start += rows;
        }
    }
}

/// The bits of a byte, one in each of eight.
const BITS: u64 = 0x8040_2010_0804_0201;

/// A byte, 0 or 1, of each bit.
#[inline(always)]
fn spread(word: u64, to: &mut [u8; 64]) {
    for (eight, byte) in to.as_chunks_mut().0.iter_mut().zip(word.to_le_bytes()) {
        let bits = (u64::from(byte) * 0x0101_0101_0101_0101) & BITS;
        // The highest bit of each byte becomes whether it is not zero.
        let ones = (bits + 0x7f7f_7f7f_7f7f_7f7f) >> 7 & 0x0101_0101_0101_0101;
        *eight = ones.to_le_bytes();
    }
}

/// As [`spread`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512bw")]
#[inline]
fn spread_avx512(word: u64, to: &mut [u8; 64]) {
    let found = _mm512_maskz_set1_epi8(word, 1);
    // SAFETY: there are 64 bytes to write to, at any alignment.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), found) };
}

/// As [`spread`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn spread_avx2(word: u64, to: &mut [u8; 64]) {
    let ones: u64 = 0x0101_0101_0101_0101;
    let repeat = _mm256_setr_epi64x(0, ones as i64, 2 * ones as i64, 3 * ones as i64);
    let bits = _mm256_set1_epi64x(BITS as i64);
    for (half, to) in [word as u32, (word >> 32) as u32]
        .into_iter()
        .zip(to.as_chunks_mut::<32>().0)
    {
        let repeated = _mm256_shuffle_epi8(_mm256_set1_epi32(half as i32), repeat);
        let is_set = _mm256_cmpeq_epi8(_mm256_and_si256(repeated, bits), bits);
        let found: __m256i = _mm256_and_si256(is_set, _mm256_set1_epi8(1));
        // SAFETY: there are 32 bytes to write to, at any alignment.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), found) };
    }
}

/// A number, 0 or 1, of each bit.
#[inline(always)]
fn spread_floats(word: u64, to: &mut [f32; 64]) {
    let mut bytes = [0; 64];
    spread(word, &mut bytes);
    *to = bytes.map(f32::from);
}

/// As [`spread_floats`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
fn spread_floats_avx512(word: u64, to: &mut [f32; 64]) {
    let ones = _mm512_set1_ps(1.0);
    for (number, to) in to.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        let found = _mm512_maskz_mov_ps((word >> (16 * number)) as u16, ones);
        // SAFETY: there are 16 numbers to write to, at any alignment.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), found) };
    }
}

/// As [`spread_floats`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn spread_floats_avx2(word: u64, to: &mut [f32; 64]) {
    let ones = _mm256_set1_ps(1.0);
    let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    for (byte, to) in word
        .to_le_bytes()
        .into_iter()
        .zip(to.as_chunks_mut::<8>().0)
    {
        let repeated = _mm256_set1_epi32(i32::from(byte));
        let is_set = _mm256_cmpeq_epi32(_mm256_and_si256(repeated, bits), bits);
        let found = _mm256_and_ps(_mm256_castsi256_ps(is_set), ones);
        // SAFETY: there are 8 numbers to write to, at any alignment.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), found) };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Checks each implementation, for any number of sets.
        #[test]
        fn every_bit_comes_to_its_place(
            words in prop::collection::vec(any::<u64>(), 30),
            rows in 0usize..=192,
            sets in 1usize..=3,
        ) {
            let length = column_words(rows);
            let columns = 3;
            let sets: Vec<&[u64]> = (0..sets).map(|set| &words[set * 10..][..columns * length]).collect();
            let mut found = vec![vec![9; sets.len() * columns * rows]; 3];
            to_bytes(&sets, rows, &mut found[0]);
            write(&sets, rows, &mut found[1], spread);
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the CPU has AVX2, as just checked.
                unsafe { with_avx2(&sets, rows, &mut found[2]) };
            } else {
                found.truncate(2);
            }
            #[cfg(not(target_arch = "x86_64"))]
            found.truncate(2);
            let mut expected = Vec::new();
            for column in 0..columns {
                for set in &sets {
                    let column = &set[column * length..][..length];
                    expected.extend((0..rows).map(|row| (column[row / 64] >> (row % 64) & 1) as u8));
                }
            }
            for found in found {
                prop_assert_eq!(&found, &expected);
            }
            let expected: Vec<f32> = expected.into_iter().map(f32::from).collect();
            let mut found = vec![vec![9.0; expected.len()]; 3];
            to_floats(&sets, rows, &mut found[0]);
            write(&sets, rows, &mut found[1], spread_floats);
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the CPU has AVX2, as just checked.
                unsafe { floats_with_avx2(&sets, rows, &mut found[2]) };
            } else {
                found.truncate(2);
            }
            #[cfg(not(target_arch = "x86_64"))]
            found.truncate(2);
            for found in found {
                prop_assert_eq!(&found, &expected);
            }
        }
    }
}
