//! Memory for rows.

use std::slice;

/// Words that start at a cache line.
#[derive(Clone)]
pub(super) struct Rows {
    lines: Vec<Line>,
}

#[derive(Clone)]
#[repr(C, align(64))]
struct Line([u64; 8]);

impl Rows {
    /// At least this many words, all zero.
    pub(super) fn new(words: usize) -> Rows {
        let lines = vec![Line([0; 8]); words.div_ceil(8)];
        Rows { lines }
    }

    /// All words.
    #[inline]
    pub(super) fn words(&self) -> &[u64] {
        let words = self.lines.as_ptr().cast();
        // SAFETY: a line is 8 words without padding, and these are all lines of the vector.
        unsafe { slice::from_raw_parts(words, self.lines.len() * 8) }
    }

    /// All words.
    #[inline]
    pub(super) fn words_mut(&mut self) -> &mut [u64] {
        let words = self.lines.as_mut_ptr().cast();
        // SAFETY: a line is 8 words without padding, and these are all lines of the vector.
        unsafe { slice::from_raw_parts_mut(words, self.lines.len() * 8) }
    }
}
