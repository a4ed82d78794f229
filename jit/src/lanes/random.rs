//! Random bits for all lanes.
//!
//! Each of [`MAX_WORDS`] word positions has its own xoshiro256++ generator (Blackman
//! and Vigna, "Scrambled linear pseudorandom number generators", 2021), stepped
//! together, so that a row of random bits is a few vector operations. The states
//! are filled by SplitMix64 (Steele, Lea and Flood, 2014), as its authors advise
//! for seeding.

use std::array;

use super::Width;

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

    /// Fills the row, of at most as many words as the greatest width, with random bits.
    ///
    /// # Panics
    /// If the row is wider.
    pub fn fill(&mut self, row: &mut [u64]) {
        let mut generators: Generators<{ Width::MAX_WORDS }> = self.take();
        row.copy_from_slice(&generators.next()[..row.len()]);
        self.put_back(generators);
    }

    /// The first `W` generators, to be held in registers.
    #[inline(always)]
    pub(super) fn take<const W: usize>(&self) -> Generators<W> {
        Generators(array::from_fn(|i| array::from_fn(|w| self.state[i][w])))
    }

    #[inline(always)]
    pub(super) fn put_back<const W: usize>(&mut self, generators: Generators<W>) {
        for (old, new) in self.state.iter_mut().zip(&generators.0) {
            old[..W].copy_from_slice(new);
        }
    }
}

/// xoshiro256++ at `W` word positions; the array's first index is that of the
/// published algorithm's state.
pub(super) struct Generators<const W: usize>([[u64; W]; 4]);

impl<const W: usize> Generators<W> {
    /// A row of random bits.
    #[inline(always)]
    pub fn next(&mut self) -> [u64; W] {
        let [s0, s1, s2, s3] = &mut self.0;
        array::from_fn(|w| {
            let result = s0[w]
                .wrapping_add(s3[w])
                .rotate_left(23)
                .wrapping_add(s0[w]);
            let t = s1[w] << 17;
            s2[w] ^= s0[w];
            s3[w] ^= s1[w];
            s1[w] ^= s2[w];
            s0[w] ^= s3[w];
            s2[w] ^= t;
            s3[w] = s3[w].rotate_left(45);
            result
        })
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
