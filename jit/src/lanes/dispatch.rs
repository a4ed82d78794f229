//! Run-time dispatch of work on rows to the CPU's instruction sets.
//!
//! The code that works on rows is written once, over any [`Vector`], and compiled
//! for several instruction sets; which one runs is decided at run time.

use super::vector::Vector;
#[cfg(target_arch = "x86_64")]
use super::vector::{Avx2, Avx512, Avx512Vl, Sse};
use crate::rows::Width;

/// Work on rows. Implementations mark `run` `#[inline(always)]`, so that it is
/// compiled with the instructions of the function that it is called from.
pub(super) trait Kernel {
    type Output;
    /// Does the work on rows that are a `V` each.
    fn run<V: Vector>(self) -> Self::Output;
}

/// Runs `kernel` on rows of this width with the best instructions of this CPU.
pub(super) fn dispatch<K: Kernel>(width: Width, kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if width >= Width::X512 && is_x86_feature_detected!("avx512f") {
            // SAFETY: the CPU has AVX-512F, as just checked.
            return unsafe { with_avx512(kernel) };
        }
        if width == Width::X256 && is_x86_feature_detected!("avx512vl") {
            // SAFETY: the CPU has AVX-512VL, as just checked, and so AVX-512F and AVX2.
            return unsafe { with_avx512vl(kernel) };
        }
        // Rows of 512 lanes are for CPUs with AVX-512, and those of 64 lanes for any.
        if matches!(width, Width::X128 | Width::X256) && is_x86_feature_detected!("avx2") {
            let is_wide = width == Width::X256;
            // SAFETY: the CPU has AVX2, as just checked.
            return unsafe { with_avx2(is_wide, kernel) };
        }
    }
    match width {
        Width::X64 => kernel.run::<u64>(),
        Width::X128 => kernel.run::<[u64; 2]>(),
        Width::X256 => kernel.run::<[u64; 4]>(),
        Width::X512 => kernel.run::<[u64; 8]>(),
    }
}

/// For rows of 256 lanes, or else of 128.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<K: Kernel>(is_wide: bool, kernel: K) -> K::Output {
    match is_wide {
        true => kernel.run::<Avx2>(),
        false => kernel.run::<Sse>(),
    }
}

/// For rows of 256 lanes: operations on three rows at a time, and twice the registers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl")]
fn with_avx512vl<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx512Vl>()
}

/// For rows of 512 lanes.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn with_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx512>()
}
