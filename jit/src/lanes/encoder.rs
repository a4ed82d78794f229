//! A one-hot encoder and decoder: from one true row per lane to a number per lane, and
//! back.
//!
//! For a game, the rows are the moves that were chosen. Their numbers, bit-sliced, take
//! as many rows as a number has bits, so that the moves of a match can be kept until it
//! turns out whether they are of interest; that takes some three operations a row, a sixth of
//! the cost of [choosing](super::select) one.
//!
//! ```
//! use propjit_jit::lanes::{Width, encoder::{decode, encode}};
//!
//! // Of three rows, the first and the last are true somewhere: lane 0 has the first one.
//! let mut numbers = Vec::new();
//! encode(Width::X64, &[0b01, 0, 0b10], &[0, 2], &mut numbers);
//! assert_eq!(decode(Width::X64, &numbers, 0), 0);
//! assert_eq!(decode(Width::X64, &numbers, 1), 1);
//! ```

use super::dispatch::{Kernel, dispatch};
use super::vector::Vector;
use crate::rows::Width;

/// Writes to `numbers`, for each lane, the number of the listed row that is true there: row `i`
/// of `numbers` is bit `i` of its place in the list. In each lane at most one of them may be
/// true; a lane with none has number 0.
///
/// # Panics
/// If `rows` has no such rows.
pub fn encode(width: Width, rows: &[u64], list: &[u32], numbers: &mut Vec<u64>) {
    let bits = list.len().saturating_sub(1).checked_ilog2();
    let bits = bits.map_or(0, |last| last as usize + 1);
    numbers.clear();
    numbers.resize(bits * width.words(), 0);
    let encode = Encode {
        rows,
        list,
        numbers,
    };
    dispatch(width, encode);
}

/// Returns the number that [`encode`] has given to a lane: a place in the list.
pub fn decode(width: Width, numbers: &[u64], lane: usize) -> usize {
    let bits = numbers.iter().skip(lane / 64).step_by(width.words());
    let bits = bits.enumerate();
    bits.map(|(bit, word)| (word >> (lane % 64) & 1) << bit)
        .sum::<u64>() as usize
}

struct Encode<'a> {
    rows: &'a [u64],
    list: &'a [u32],
    /// One row for each bit of the greatest place.
    numbers: &'a mut [u64],
}

/// The most bits of a number.
const MAX_BITS: usize = 32;

impl Kernel for Encode<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let row = |row: u32| {
            let words = &self.rows[row as usize * V::WORDS..][..V::WORDS];
            // SAFETY: these are the words of a vector.
            unsafe { V::load(words.as_ptr()) }
        };
        let mut numbers = [V::ZERO; MAX_BITS];
        let (blocks, rest) = self.list.as_chunks::<8>();
        for (block, &[a, b, c, d, e, f, g, h]) in blocks.iter().enumerate() {
            let (b, d, f, h) = (row(b), row(d), row(f), row(h));
            let (cd, gh) = (row(c).or(d), row(g).or(h));
            let efgh = row(e).or(f).or(gh);
            numbers[0] = numbers[0].or(b.or(d)).or(f.or(h));
            numbers[1] = numbers[1].or(cd).or(gh);
            numbers[2] = numbers[2].or(efgh);
            let all = row(a).or(b).or(cd).or(efgh);
            put(&mut numbers[3..], block, all);
        }
        for (place, &at) in (8 * blocks.len()..).zip(rest) {
            put(&mut numbers, place, row(at));
        }
        for (words, number) in self.numbers.chunks_exact_mut(V::WORDS).zip(numbers) {
            // SAFETY: the chunk has the words of a vector.
            unsafe { number.store(words.as_mut_ptr()) };
        }
    }
}

/// Computes the number of these lanes, which is zero before.
#[inline(always)]
fn put<V: Vector>(numbers: &mut [V], mut number: usize, lanes: V) {
    for bit in numbers {
        if number == 0 {
            break;
        }
        if number & 1 == 1 {
            *bit = bit.or(lanes);
        }
        number >>= 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_lane_gets_the_place_of_its_row(
            list in prop::collection::btree_set(0u32..200, 0..80),
            choices in prop::collection::vec(any::<prop::sample::Index>(), 512),
        ) {
            let list: Vec<u32> = list.into_iter().collect();
            for width in Width::ALL {
                let mut rows = vec![0; 200 * width.words()];
                let place = |lane: usize| choices[lane].index(list.len().max(1));
                if !list.is_empty() {
                    for lane in 0..width.lanes() {
                        let at = list[place(lane)] as usize * width.words() + lane / 64;
                        rows[at] |= 1 << (lane % 64);
                    }
                }
                let mut numbers = vec![!0; 3];
                encode(width, &rows, &list, &mut numbers);
                for lane in 0..width.lanes() {
                    prop_assert_eq!(decode(width, &numbers, lane), place(lane));
                }
            }
        }
    }
}
