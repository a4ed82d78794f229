//! CPU vectors for processing rows.
//!
//! The code that works on rows is generic over [`Vector`], and [`dispatch`](super::dispatch)
//! chooses the type. Explicit vectors rather than arrays of
//! words, because compilers do not reliably find the vectors in long chains of
//! operations on arrays.

/// A row, or a part of one: words on which all operations are bitwise or wordwise.
pub(super) trait Vector: Copy {
    /// 64-bit words in the vector.
    const WORDS: usize;
    /// All words zero.
    const ZERO: Self;
    /// All bits one.
    const ONES: Self;

    /// Reads the words at `from`, which need not be aligned.
    ///
    /// # Safety
    /// This many words can be read there.
    unsafe fn load(from: *const u64) -> Self;
    /// Writes the words to `to`, which need not be aligned.
    ///
    /// # Safety
    /// This many words can be written there.
    unsafe fn store(self, to: *mut u64);
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// The bits that `self` has and `other` does not have.
    fn and_not(self, other: Self) -> Self;
    fn is_zero(self) -> bool;
    /// Adds words modulo `2^64`.
    fn add(self, other: Self) -> Self;
    fn shift_left(self, bits: i32) -> Self;
    fn shift_right(self, bits: i32) -> Self;

    #[inline(always)]
    fn rotate_left(self, bits: i32) -> Self {
        self.shift_left(bits).or(self.shift_right(64 - bits))
    }

    /// The bits that an odd number of the three have.
    #[inline(always)]
    fn parity(self, b: Self, c: Self) -> Self {
        self.xor(b).xor(c)
    }

    /// The bits that at least two of the three have.
    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        self.and(b).or(self.xor(b).and(c))
    }
}

impl Vector for u64 {
    const WORDS: usize = 1;
    const ZERO: u64 = 0;
    const ONES: u64 = !0;

    #[inline(always)]
    unsafe fn load(from: *const u64) -> u64 {
        // SAFETY: as promised by the caller.
        unsafe { from.read_unaligned() }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: as promised by the caller.
        unsafe { to.write_unaligned(self) }
    }

    #[inline(always)]
    fn and(self, other: u64) -> u64 {
        self & other
    }

    #[inline(always)]
    fn or(self, other: u64) -> u64 {
        self | other
    }

    #[inline(always)]
    fn xor(self, other: u64) -> u64 {
        self ^ other
    }

    #[inline(always)]
    fn and_not(self, other: u64) -> u64 {
        self & !other
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        self == 0
    }

    #[inline(always)]
    fn add(self, other: u64) -> u64 {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn shift_left(self, bits: i32) -> u64 {
        self << bits
    }

    #[inline(always)]
    fn shift_right(self, bits: i32) -> u64 {
        self >> bits
    }
}

/// Several vectors side by side.
impl<V: Vector, const N: usize> Vector for [V; N] {
    const WORDS: usize = N * V::WORDS;
    const ZERO: [V; N] = [V::ZERO; N];
    const ONES: [V; N] = [V::ONES; N];

    #[inline(always)]
    unsafe fn load(from: *const u64) -> [V; N] {
        let mut vectors = Self::ZERO;
        for (i, vector) in vectors.iter_mut().enumerate() {
            // SAFETY: as promised by the caller.
            *vector = unsafe { V::load(from.add(i * V::WORDS)) };
        }
        vectors
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        for (i, vector) in self.into_iter().enumerate() {
            // SAFETY: as promised by the caller.
            unsafe { vector.store(to.add(i * V::WORDS)) };
        }
    }

    #[inline(always)]
    fn and(self, other: [V; N]) -> [V; N] {
        zip(self, other, V::and)
    }

    #[inline(always)]
    fn or(self, other: [V; N]) -> [V; N] {
        zip(self, other, V::or)
    }

    #[inline(always)]
    fn xor(self, other: [V; N]) -> [V; N] {
        zip(self, other, V::xor)
    }

    #[inline(always)]
    fn and_not(self, other: [V; N]) -> [V; N] {
        zip(self, other, V::and_not)
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        self.into_iter().fold(V::ZERO, V::or).is_zero()
    }

    #[inline(always)]
    fn add(self, other: [V; N]) -> [V; N] {
        zip(self, other, V::add)
    }

    #[inline(always)]
    fn shift_left(self, bits: i32) -> [V; N] {
        zip(self, self, |vector, _| vector.shift_left(bits))
    }

    #[inline(always)]
    fn shift_right(self, bits: i32) -> [V; N] {
        zip(self, self, |vector, _| vector.shift_right(bits))
    }

    #[inline(always)]
    fn parity(self, b: [V; N], c: [V; N]) -> [V; N] {
        zip3(self, b, c, V::parity)
    }

    #[inline(always)]
    fn majority(self, b: [V; N], c: [V; N]) -> [V; N] {
        zip3(self, b, c, V::majority)
    }

    #[inline(always)]
    fn rotate_left(self, bits: i32) -> [V; N] {
        zip(self, self, |vector, _| vector.rotate_left(bits))
    }
}

#[inline(always)]
fn zip<V: Vector, const N: usize>(a: [V; N], b: [V; N], f: impl Fn(V, V) -> V) -> [V; N] {
    zip3(a, b, b, |a, b, _| f(a, b))
}

#[inline(always)]
fn zip3<V: Vector, const N: usize>(
    a: [V; N],
    b: [V; N],
    c: [V; N],
    f: impl Fn(V, V, V) -> V,
) -> [V; N] {
    let mut result = a;
    for i in 0..N {
        result[i] = f(a[i], b[i], c[i]);
    }
    result
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512, Avx512Vl, Sse};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;
    use std::mem::transmute;

    use super::Vector;

    /// A register of SSE, for code that `dispatch` calls after it has found that the
    /// CPU has AVX2, which includes all of SSE.
    #[derive(Clone, Copy)]
    pub(crate) struct Sse(__m128i);

    /// A register of AVX2, for code that `dispatch` calls after it has found that the
    /// CPU has AVX2.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx2(__m256i);

    /// Half a register of AVX-512, for code that `dispatch` calls after it has found that the
    /// CPU has AVX-512VL.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx512Vl(__m256i);

    /// A register of AVX-512, for code that `dispatch` calls after it has found that
    /// the CPU has AVX-512F.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx512(__m512i);

    macro_rules! implement {
        (
            $type:ident($register:ty), $words:literal, $load:ident, $store:ident, $is_zero:expr,
            $left:ident, $right:ident, $and_not:ident,
            $($method:ident = $instruction:ident),*
            $(; ternary = $ternary:ident, rotate = $rotate:ident, $set:ident)?
        ) => {
            impl Vector for $type {
                const WORDS: usize = $words;
                // SAFETY: words and registers are bits without padding, of one size.
                const ZERO: $type = $type(unsafe { transmute::<[u64; $words], $register>([0; $words]) });
                // SAFETY: as above.
                const ONES: $type = $type(unsafe { transmute::<[u64; $words], $register>([!0; $words]) });

                #[inline(always)]
                unsafe fn load(from: *const u64) -> $type {
                    // SAFETY: as promised by the caller; the CPU has the instruction.
                    $type(unsafe { $load(from.cast()) })
                }

                #[inline(always)]
                unsafe fn store(self, to: *mut u64) {
                    // SAFETY: as promised by the caller; the CPU has the instruction.
                    unsafe { $store(to.cast(), self.0) }
                }

                $(#[inline(always)]
                fn $method(self, other: $type) -> $type {
                    // SAFETY: the CPU has the instruction: see the type.
                    $type(unsafe { $instruction(self.0, other.0) })
                })*

                #[inline(always)]
                fn and_not(self, other: $type) -> $type {
                    // SAFETY: the CPU has the instruction: see the type.
                    $type(unsafe { $and_not(other.0, self.0) })
                }

                #[inline(always)]
                fn is_zero(self) -> bool {
                    // SAFETY: the CPU has the instruction: see the type.
                    unsafe { $is_zero(self.0) }
                }

                #[inline(always)]
                fn shift_left(self, bits: i32) -> $type {
                    // SAFETY: the CPU has the instruction: see the type.
                    $type(unsafe { $left(self.0, _mm_cvtsi32_si128(bits)) })
                }

                #[inline(always)]
                fn shift_right(self, bits: i32) -> $type {
                    // SAFETY: the CPU has the instruction: see the type.
                    $type(unsafe { $right(self.0, _mm_cvtsi32_si128(bits)) })
                }

                // The bits of the constants are the results for operands from 0b000 to 0b111.
                $(#[inline(always)]
                fn parity(self, b: $type, c: $type) -> $type {
                    // SAFETY: the CPU has the instruction: see the type.
                    $type(unsafe { $ternary::<0b1001_0110>(self.0, b.0, c.0) })
                }

                #[inline(always)]
                fn majority(self, b: $type, c: $type) -> $type {
                    // SAFETY: the CPU has the instruction: see the type.
                    $type(unsafe { $ternary::<0b1110_1000>(self.0, b.0, c.0) })
                }

                #[inline(always)]
                fn rotate_left(self, bits: i32) -> $type {
                    // SAFETY: the CPU has the instructions: see the type.
                    $type(unsafe { $rotate(self.0, $set(i64::from(bits))) })
                })?
            }
        };
    }

    implement!(
        Sse(__m128i),
        2,
        _mm_loadu_si128,
        _mm_storeu_si128,
        |a| _mm_testz_si128(a, a) == 1,
        _mm_sll_epi64,
        _mm_srl_epi64,
        _mm_andnot_si128,
        and = _mm_and_si128,
        or = _mm_or_si128,
        xor = _mm_xor_si128,
        add = _mm_add_epi64
    );

    implement!(
        Avx2(__m256i),
        4,
        _mm256_loadu_si256,
        _mm256_storeu_si256,
        |a| _mm256_testz_si256(a, a) == 1,
        _mm256_sll_epi64,
        _mm256_srl_epi64,
        _mm256_andnot_si256,
        and = _mm256_and_si256,
        or = _mm256_or_si256,
        xor = _mm256_xor_si256,
        add = _mm256_add_epi64
    );

    implement!(
        Avx512Vl(__m256i),
        4,
        _mm256_loadu_si256,
        _mm256_storeu_si256,
        |a| _mm256_testz_si256(a, a) == 1,
        _mm256_sll_epi64,
        _mm256_srl_epi64,
        _mm256_andnot_si256,
        and = _mm256_and_si256,
        or = _mm256_or_si256,
        xor = _mm256_xor_si256,
        add = _mm256_add_epi64;
        ternary = _mm256_ternarylogic_epi64, rotate = _mm256_rolv_epi64, _mm256_set1_epi64x
    );

    implement!(
        Avx512(__m512i),
        8,
        _mm512_loadu_si512,
        _mm512_storeu_si512,
        |a| _mm512_test_epi64_mask(a, a) == 0,
        _mm512_sll_epi64,
        _mm512_srl_epi64,
        _mm512_andnot_si512,
        and = _mm512_and_si512,
        or = _mm512_or_si512,
        xor = _mm512_xor_si512,
        add = _mm512_add_epi64;
        ternary = _mm512_ternarylogic_epi64, rotate = _mm512_rolv_epi64, _mm512_set1_epi64
    );
}

#[cfg(test)]
#[cfg(target_arch = "x86_64")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Applies every operation and lists the words of all results.
    #[inline(always)]
    fn all_operations<V: Vector>(a: &[u64], b: &[u64]) -> Vec<u64> {
        let mut words = Vec::new();
        // SAFETY: callers give the words of a vector.
        let (a, b) = unsafe { (V::load(a.as_ptr()), V::load(b.as_ptr())) };
        let results = [
            V::ZERO,
            V::ONES,
            a.and(b),
            a.or(b),
            a.xor(b),
            a.and_not(b),
            a.add(b),
            a.shift_left(17),
            a.shift_right(41),
            a.rotate_left(23),
            a.parity(b, a.shift_left(17)),
            a.majority(b, a.shift_left(17)),
        ];
        for result in results {
            let at = words.len();
            words.resize(at + V::WORDS, 0);
            // SAFETY: there is room for the vector's words.
            unsafe { result.store(words[at..].as_mut_ptr()) };
        }
        words.extend([a, a.xor(a)].map(|vector| u64::from(vector.is_zero())));
        words
    }

    #[target_feature(enable = "avx2")]
    fn sse(a: &[u64; 8], b: &[u64; 8]) -> Vec<u64> {
        all_operations::<[Sse; 4]>(a, b)
    }

    #[target_feature(enable = "avx2")]
    fn avx2(a: &[u64; 8], b: &[u64; 8]) -> Vec<u64> {
        all_operations::<[Avx2; 2]>(a, b)
    }

    #[target_feature(enable = "avx512f,avx512vl")]
    fn avx512vl(a: &[u64; 8], b: &[u64; 8]) -> Vec<u64> {
        all_operations::<[Avx512Vl; 2]>(a, b)
    }

    #[target_feature(enable = "avx512f")]
    fn avx512(a: &[u64; 8], b: &[u64; 8]) -> Vec<u64> {
        all_operations::<Avx512>(a, b)
    }

    proptest! {
        /// All types compute the same, as far as this CPU has them.
        #[test]
        fn vectors_agree(a: [u64; 8], b: [u64; 8], single in 0..9usize) {
            // Sometimes all words but one are zero.
            let keep = |i: usize| single == 8 || i == single;
            let a: [u64; 8] = std::array::from_fn(|i| if keep(i) { a[i] } else { 0 });
            let expected = all_operations::<[u64; 8]>(&a, &b);
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the CPU has AVX2, and so SSE.
                prop_assert_eq!(unsafe { sse(&a, &b) }, &expected[..]);
                // SAFETY: the CPU has AVX2.
                prop_assert_eq!(unsafe { avx2(&a, &b) }, &expected[..]);
            }
            if is_x86_feature_detected!("avx512vl") {
                // SAFETY: the CPU has AVX-512VL, and so AVX-512F.
                prop_assert_eq!(unsafe { avx512vl(&a, &b) }, &expected[..]);
            }
            if is_x86_feature_detected!("avx512f") {
                // SAFETY: the CPU has AVX-512F.
                prop_assert_eq!(unsafe { avx512(&a, &b) }, &expected[..]);
            }
        }
    }
}
