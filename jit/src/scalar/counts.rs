//! Sixteen counters in one vector register.

/// Counters of [`Block::SLOTS`] consecutive slots.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[repr(align(16))]
pub(super) struct Block(pub [u8; Block::SLOTS]);

impl Block {
    pub const SLOTS: usize = 16;

    /// Adds `increments`, or subtracts them, modulo 256. Returns in bit `i` whether
    /// counter `i` has become zero or has ceased to be.
    #[inline(always)]
    pub fn add(&mut self, increments: &Block, subtract: bool) -> u16 {
        let old = self.zeros();
        for (counter, &increment) in self.0.iter_mut().zip(&increments.0) {
            *counter = match subtract {
                true => counter.wrapping_sub(increment),
                false => counter.wrapping_add(increment),
            };
        }
        old ^ self.zeros()
    }

    /// Bit `i`: whether counter `i` is zero.
    #[inline(always)]
    fn zeros(&self) -> u16 {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{
                __m128i, _mm_cmpeq_epi8, _mm_load_si128, _mm_movemask_epi8, _mm_setzero_si128,
            };
            // SAFETY: every x86-64 CPU has SSE2, and a block is 16 aligned bytes.
            let mask = unsafe {
                let counters = _mm_load_si128((&raw const self.0).cast::<__m128i>());
                _mm_movemask_epi8(_mm_cmpeq_epi8(counters, _mm_setzero_si128()))
            };
            mask as u16
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            let zeros = self.0.iter().map(|&counter| u16::from(counter == 0));
            zeros
                .enumerate()
                .fold(0, |mask, (i, zero)| mask | zero << i)
        }
    }
}
