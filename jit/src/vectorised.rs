//! SIMD dispatch for loops over numbers.
//!
//! Compilers vectorise loops over arrays of numbers for the oldest CPU that a program has to run on. Here the same
//! work is compiled for newer CPUs as well, and the version to run is chosen at run time.

/// Work with loops that gain from SIMD. Implementations mark `run`, and the functions it calls, `#[inline(always)]`,
/// so that they are compiled with the instructions of the function that they are called from.
pub trait VectorWork {
    /// The result.
    type Output;

    /// Does the work.
    fn run(self) -> Self::Output;
}

/// Does the work with this CPU's best vector instructions. The result does not depend on them: numbers are not added
/// in another order.
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
            // SAFETY: the CPU has these, as just checked, and AVX-512VL implies AVX-512F and AVX2.
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
