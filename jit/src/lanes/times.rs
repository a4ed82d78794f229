//! Times of lanes: a time for each lane, which is set in many of them at once, and the age since
//! then.
//!
//! ```
//! use propjit_jit::lanes::Width;
//! use propjit_jit::lanes::times::{Ages, LaneTimes};
//!
//! let mut times = LaneTimes::new(Width::X64);
//! times.set(&[0b011], 5);
//! times.set(&[0b100], 7);
//! assert_eq!(times.age(1, 8), 3);
//! assert_eq!(times.ages(&[0b110], 8), Ages { sum: 3 + 1, squares: 9 + 1 });
//! ```

use crate::rows::Width;

/// A time for each lane. Times wrap around: differences are exact if they are less than
/// 2<sup>32</sup>.
#[derive(Clone, Debug)]
pub struct LaneTimes {
    times: Box<[u32]>,
}

/// The ages of several lanes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Ages {
    /// Their sum.
    pub sum: u64,
    /// The sum of their squares.
    pub squares: u128,
}

impl LaneTimes {
    /// All times are 0.
    pub fn new(width: Width) -> LaneTimes {
        LaneTimes {
            times: vec![0; width.lanes()].into(),
        }
    }

    /// Sets the time in the lanes of a row.
    ///
    /// # Panics
    /// If `lanes` is not a row; likewise in the following.
    pub fn set(&mut self, lanes: &[u64], time: u32) {
        self.check(lanes);
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the CPU has AVX-512F, as just checked.
            return unsafe { set_with_avx512(&mut self.times, lanes, time) };
        }
        for (times, &word) in self.times.chunks_exact_mut(64).zip(lanes) {
            let mut left = word;
            while left != 0 {
                times[left.trailing_zeros() as usize] = time;
                left &= left - 1;
            }
        }
    }

    /// Returns how long before `now` the time of a lane is.
    #[inline]
    pub fn age(&self, lane: usize, now: u32) -> u32 {
        now.wrapping_sub(self.times[lane])
    }

    /// The sums over the ages of the lanes of a row.
    pub fn ages(&self, lanes: &[u64], now: u32) -> Ages {
        self.check(lanes);
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
            // SAFETY: the CPU has the instructions, as just checked.
            let ages = unsafe { ages_with_avx512(&self.times, lanes, now) };
            if let Some(ages) = ages {
                return ages;
            }
        }
        let mut ages = Ages::default();
        for (times, &word) in self.times.chunks_exact(64).zip(lanes) {
            let mut left = word;
            while left != 0 {
                let time = times[left.trailing_zeros() as usize];
                let age = u64::from(now.wrapping_sub(time));
                ages.sum += age;
                ages.squares += u128::from(age * age);
                left &= left - 1;
            }
        }
        ages
    }

    fn check(&self, lanes: &[u64]) {
        assert_eq!(64 * lanes.len(), self.times.len(), "a row of lanes");
    }
}

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// The number of times in a vector.
#[cfg(target_arch = "x86_64")]
const PART: usize = 16;

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn set_with_avx512(times: &mut [u32], lanes: &[u64], time: u32) {
    let time = _mm512_set1_epi32(time as i32);
    for (times, &word) in times.chunks_exact_mut(64).zip(lanes) {
        for (number, part) in times.chunks_exact_mut(PART).enumerate() {
            let mask = (word >> (PART * number)) as u16;
            // SAFETY: the part has as many times as a vector.
            unsafe {
                let old = _mm512_loadu_epi32(part.as_ptr().cast());
                let new = _mm512_mask_mov_epi32(old, mask, time);
                _mm512_storeu_epi32(part.as_mut_ptr().cast(), new);
            }
        }
    }
}

/// The sums over the ages of the lanes, unless one is so great that sums might overflow.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
fn ages_with_avx512(times: &[u32], lanes: &[u64], now: u32) -> Option<Ages> {
    /// Ages of up to 13 bits: the squares of those that a place of a vector has, as many as the
    /// greatest width has vectors of times, add up to fewer than 32 bits.
    const GREATEST: i32 = (1 << 13) - 1;
    const { assert!(Width::MAX_WORDS * 64 / PART <= 32) };
    let now = _mm512_set1_epi32(now as i32);
    let mut all = _mm512_setzero_si512();
    let (mut sum, mut squares) = (all, all);
    for (times, &word) in times.chunks_exact(64).zip(lanes) {
        for (number, part) in times.chunks_exact(PART).enumerate() {
            let mask = (word >> (PART * number)) as u16;
            // SAFETY: the part has as many times as a vector.
            let times = unsafe { _mm512_loadu_epi32(part.as_ptr().cast()) };
            let ages = _mm512_maskz_sub_epi32(mask, now, times);
            all = _mm512_or_si512(all, ages);
            sum = _mm512_add_epi32(sum, ages);
            // The upper half of an age is zero, unless it is too great anyway.
            squares = _mm512_add_epi32(squares, _mm512_madd_epi16(ages, ages));
        }
    }
    if _mm512_test_epi32_mask(all, _mm512_set1_epi32(!GREATEST)) != 0 {
        return None;
    }
    let low = _mm512_and_si512(squares, _mm512_set1_epi64(0xffff_ffff));
    let high = _mm512_srli_epi64::<32>(squares);
    let squares = _mm512_reduce_add_epi64(_mm512_add_epi64(low, high));
    Some(Ages {
        sum: u64::from(_mm512_reduce_add_epi32(sum) as u32),
        squares: u128::from(squares as u64),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The sums of ages are those over single lanes, whether ages are small or great, at all
        /// widths.
        #[test]
        fn ages_are_summed(
            starts in prop::collection::vec((any::<[u64; 8]>(), 0u32..10_000), 1..6),
            lanes: [u64; 8],
            first: u32,
            great in 0u32..4,
        ) {
            for width in Width::ALL {
                let words = width.words();
                let mut times = LaneTimes::new(width);
                let mut expected = vec![0; width.lanes()];
                let mut now = first;
                // Usually, all times are set lately.
                for (row, step) in std::iter::once(([!0; 8], 0)).chain(starts.clone()) {
                    now = now.wrapping_add(if great == 0 { step << 14 } else { step / 8 });
                    times.set(&row[..words], now);
                    for (lane, time) in expected.iter_mut().enumerate() {
                        if row[lane / 64] >> (lane % 64) & 1 == 1 {
                            *time = now;
                        }
                    }
                }
                now = now.wrapping_add(great);
                let mut sums = Ages::default();
                for (lane, &time) in expected.iter().enumerate() {
                    prop_assert_eq!(times.age(lane, now), now.wrapping_sub(time));
                    if lanes[lane / 64] >> (lane % 64) & 1 == 1 {
                        let age = u64::from(now.wrapping_sub(time));
                        sums.sum += age;
                        sums.squares += u128::from(age) * u128::from(age);
                    }
                }
                prop_assert_eq!(times.ages(&lanes[..words], now), sums);
            }
        }
    }
}
