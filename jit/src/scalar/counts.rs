//! Sixteen counters in one vector register.

/// Counters of [`Block::SLOTS`] consecutive slots.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[repr(align(16))]
pub(super) struct Block(pub [u8; Block::SLOTS]);

impl Block {
    pub(super) const SLOTS: usize = 16;

    /// Adds `increments` modulo 256, or subtracts them. Returns in bit `i` whether
    /// counter `i` has become zero or has ceased to be.
    #[inline(always)]
    #[cfg(target_arch = "x86_64")]
    pub(super) fn add(&mut self, increments: &Block, subtract: bool) -> u16 {
        use std::arch::x86_64::*;
        // SAFETY: every x86-64 CPU has SSE2, and a block is 16 aligned bytes.
        unsafe {
            let counters = (&raw mut self.0).cast::<__m128i>();
            let old = _mm_load_si128(counters);
            let increments = _mm_load_si128((&raw const increments.0).cast());
            let sign = _mm_set1_epi8(-i8::from(subtract));
            let new = _mm_add_epi8(old, _mm_sub_epi8(_mm_xor_si128(increments, sign), sign));
            _mm_store_si128(counters, new);
            let zero = _mm_setzero_si128();
            let toggled = _mm_xor_si128(_mm_cmpeq_epi8(old, zero), _mm_cmpeq_epi8(new, zero));
            _mm_movemask_epi8(toggled) as u16
        }
    }

    /// Adds `increments` modulo 256, or subtracts them. Returns in bit `i` whether
    /// counter `i` has become zero or has ceased to be.
    #[inline(always)]
    #[cfg(not(target_arch = "x86_64"))]
    pub fn add(&mut self, increments: &Block, subtract: bool) -> u16 {
        let mut toggled = 0;
        for (i, (counter, &increment)) in self.0.iter_mut().zip(&increments.0).enumerate() {
            let old = *counter;
            *counter = match subtract {
                true => old.wrapping_sub(increment),
                false => old.wrapping_add(increment),
            };
            toggled |= u16::from((old == 0) != (*counter == 0)) << i;
        }
        toggled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_that_change_from_or_to_zero_are_reported() {
        let mut counters = Block::default();
        counters.0[..6].copy_from_slice(&[0, 0, 1, 1, 2, 200]);
        let mut increments = Block::default();
        // The last wraps around to zero.
        increments.0[..6].copy_from_slice(&[0, 1, u8::MAX, 1, u8::MAX, 56]);
        assert_eq!(counters.add(&increments, false), 0b100110);
        assert_eq!(counters.0[..6], [0, 1, 0, 2, 1, 0]);
        assert_eq!(counters.add(&increments, true), 0b100110);
        assert_eq!(counters.0[..6], [0, 0, 1, 1, 2, 200]);
    }
}
