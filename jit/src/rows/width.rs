//! The number of lanes in a row.

use serde::{Deserialize, Serialize};

/// The number of lanes that are evaluated together.
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
    #[inline]
    pub const fn words(self) -> usize {
        match self {
            Width::X64 => 1,
            Width::X128 => 2,
            Width::X256 => 4,
            Width::X512 => 8,
        }
    }

    /// Lanes per row.
    #[inline]
    pub const fn lanes(self) -> usize {
        64 * self.words()
    }
}
