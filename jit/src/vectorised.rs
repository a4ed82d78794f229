//! Loops over numbers, with the vectors that the CPU has.
//!
//! Compilers turn loops over arrays of numbers into operations on vectors, but those of the oldest CPU that a program
//! has to run on. Here the same work is compiled for newer ones as well, and which of these runs is decided at run time.

/// Work whose loops are worth it. Implementations mark `run`, and what it calls, `#[inline(always)]`, so that it is
/// compiled with the instructions of the function that it is called from.
pub trait VectorWork {
    /// What comes of it.
    type Output;

    /// Does the work.
    fn run(self) -> Self::Output;
}

/// Does the work with the vectors that this CPU has. The result is the same with any: numbers are not added in another
/// order.
///
/// ```
/// use propjit_jit::{VectorWork, vectorised};
///
/// struct Roots<'a>(&'a mut [f32]);
///
/// impl VectorWork for Roots<'_> {
///     type Output = ();
///
///     #[inline(always)]
///     fn run(self) {
///         self.0.iter_mut().for_each(|number| *number = number.sqrt() / 3.0);
///     }
/// }
///
/// let mut numbers = [1.5f32; 100];
/// vectorised(Roots(&mut numbers));
/// assert_eq!(numbers, [1.5f32.sqrt() / 3.0; 100]);
/// ```
#[inline]
pub fn vectorised<W: VectorWork>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512vl") && is_x86_feature_detected!("avx512bw") {
            // SAFETY: the CPU has these, as just checked, and AVX-512VL is not there without AVX-512F and AVX2.
            return unsafe { with_avx512(work) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the CPU has AVX2, as just checked.
            return unsafe { with_avx2(work) };
        }
    }
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn with_avx512<W: VectorWork>(work: W) -> W::Output {
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<W: VectorWork>(work: W) -> W::Output {
    work.run()
}
