//! Random bits for all lanes.
//!
//! Each word position of a row has its own xoshiro256++ generator (Blackman
//! and Vigna, "Scrambled linear pseudorandom number generators", 2021), stepped
//! together, so that a row of random bits is a few vector operations. The states
//! are filled by SplitMix64 (Steele, Lea and Flood, 2014), as its authors advise
//! for seeding.

use std::array;

use super::Width;
use super::vector::Vector;

/// A source of random rows.
#[derive(Clone, Debug)]
pub struct LaneRandom {
    state: [[u64; Width::MAX_WORDS]; 4],
}

impl LaneRandom {
    /// The source with this seed: the same seed gives the same rows at equal width.
    pub fn new(seed: u64) -> LaneRandom {
        let mut split = SplitMix64(seed);
        LaneRandom {
            state: array::from_fn(|_| array::from_fn(|_| split.next())),
        }
    }

    /// Fills a row of at most [`Width::MAX_WORDS`] words with random bits.
    ///
    /// # Panics
    /// If the row has more words.
    pub fn fill(&mut self, row: &mut [u64]) {
        let mut generators = self.take::<[u64; Width::MAX_WORDS]>();
        row.copy_from_slice(&generators.next()[..row.len()]);
        self.put_back(generators);
    }

    /// The generators of the first words, to be held in registers.
    #[inline(always)]
    pub(super) fn take<V: Vector>(&self) -> Generators<V> {
        const { assert!(V::WORDS <= Width::MAX_WORDS) };
        let [a, b, c, d] = &self.state;
        // SAFETY: each is an array of at least as many words as the vector has.
        Generators([a, b, c, d].map(|words| unsafe { V::load(words.as_ptr()) }))
    }

    /// Puts back the generators that [`LaneRandom::take`] returned.
    #[inline(always)]
    pub(super) fn put_back<V: Vector>(&mut self, generators: Generators<V>) {
        const { assert!(V::WORDS <= Width::MAX_WORDS) };
        for (words, vector) in self.state.iter_mut().zip(generators.0) {
            // SAFETY: the array has at least as many words as the vector.
            unsafe { vector.store(words.as_mut_ptr()) };
        }
    }
}

/// xoshiro256++ at the word positions of a vector; the array's index is that of the
/// published algorithm's state.
#[derive(Clone, Copy)]
pub(super) struct Generators<V>([V; 4]);

impl<V: Vector> Generators<V> {
    /// A row of random bits.
    #[inline(always)]
    pub(super) fn next(&mut self) -> V {
        let [s0, s1, s2, s3] = &mut self.0;
        let result = s0.add(*s3).rotate_left(23).add(*s0);
        let t = s1.shift_left(17);
        // As published, but in an order in which few operations wait for each other.
        let [a, b, c, d] = [*s0, *s1, *s2, *s3];
        *s0 = d.parity(b, a);
        *s1 = c.parity(a, b);
        *s2 = c.parity(a, t);
        *s3 = d.xor(b).rotate_left(45);
        result
    }
}

struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers as the reference implementations give them.
    #[test]
    fn published_numbers() {
        let mut split = SplitMix64(1234567);
        assert_eq!(split.next(), 6457827717110365317);
        assert_eq!(split.next(), 3203168211198807973);
        let mut generators = Generators([1u64, 2, 3, 4]);
        assert_eq!(generators.next(), 41943041);
        assert_eq!(generators.next(), 58720359);
        assert_eq!(generators.next(), 3588806011781223);
        assert_eq!(generators.next(), 3591011842654386);
    }

    /// Narrow rows are the first words of wide ones.
    #[test]
    fn widths_agree() {
        let (mut narrow, mut wide) = (LaneRandom::new(7), LaneRandom::new(7));
        let mut rows = ([0; 1], [0; Width::MAX_WORDS]);
        for _ in 0..10 {
            narrow.fill(&mut rows.0);
            wide.fill(&mut rows.1);
            assert_eq!(rows.0[0], rows.1[0]);
        }
        assert_ne!(rows.1[0], rows.1[1]);
    }
}
