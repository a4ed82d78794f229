//! How many lanes at a time, and the CPU instructions to do it with.
//!
//! The code that works on rows is written once, over any [`Vector`], and compiled
//! for several instruction sets; which one runs is decided at run time.

use serde::{Deserialize, Serialize};

use super::LaneProgram;
use super::vector::Vector;
#[cfg(target_arch = "x86_64")]
use super::vector::{Avx2, Avx512, Sse};

/// The number of lanes evaluated together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Width {
    /// 64 lanes: one word per row, fast on any CPU.
    X64,
    /// 128 lanes: one register of SSE2 or Neon per row.
    X128,
    /// 256 lanes: one AVX2 register per row.
    X256,
    /// 512 lanes: one AVX-512 register per row, or two of AVX2.
    X512,
}

impl Width {
    /// All widths, narrow to wide.
    pub const ALL: [Width; 4] = [Width::X64, Width::X128, Width::X256, Width::X512];

    /// The words of the greatest width.
    pub const MAX_WORDS: usize = Width::X512.words();

    /// 64-bit words per row.
    pub const fn words(self) -> usize {
        match self {
            Width::X64 => 1,
            Width::X128 => 2,
            Width::X256 => 4,
            Width::X512 => 8,
        }
    }

    /// Lanes per row.
    pub const fn lanes(self) -> usize {
        64 * self.words()
    }

    /// The width to play many games with: the one that usually evaluates most lanes
    /// per second with this program.
    ///
    /// Wide rows share the work of decoding, so 512 lanes are best as long as the rows
    /// stay in the nearer caches, and not much worse beyond; more lanes gain little.
    pub fn best(program: &LaneProgram) -> Width {
        const CACHE: usize = 4 << 20;
        let bytes = program.rows() * size_of::<u64>() * Width::X512.words();
        if bytes <= CACHE {
            Width::X512
        } else {
            Width::X256
        }
    }
}

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
        if width >= Width::X128 && is_x86_feature_detected!("avx2") {
            // SAFETY: the CPU has AVX2, as just checked.
            return unsafe { with_avx2(width, kernel) };
        }
    }
    match width {
        Width::X64 => kernel.run::<u64>(),
        Width::X128 => kernel.run::<[u64; 2]>(),
        Width::X256 => kernel.run::<[u64; 4]>(),
        Width::X512 => kernel.run::<[u64; 8]>(),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<K: Kernel>(width: Width, kernel: K) -> K::Output {
    match width {
        Width::X64 => kernel.run::<u64>(),
        Width::X128 => kernel.run::<Sse>(),
        Width::X256 => kernel.run::<Avx2>(),
        Width::X512 => kernel.run::<[Avx2; 2]>(),
    }
}

/// For rows of 512 lanes.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn with_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx512>()
}
