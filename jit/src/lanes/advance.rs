//! The step from one state to the next in all lanes, with new starts in some.
//!
//! The state's rows take the values computed for the next state; in lanes that
//! restart, they take the given ones.
//!
//! ```
//! use propjit_jit::lanes::Width;
//! use propjit_jit::lanes::advance::{Start, advance};
//!
//! // Lane 0 goes on, lane 1 starts where the first row is true and the second is not.
//! let next = [0b01, 0b11];
//! let mut state = [0; 2];
//! advance(Width::X64, &next, &mut state, &[0b10], Start::Same(&[0b01]));
//! assert_eq!(state, [0b11, 0b01]);
//! ```

use super::dispatch::{Kernel, dispatch};
use super::vector::Vector;
use crate::rows::Width;

/// The states in which lanes start.
#[derive(Clone, Copy, Debug)]
pub enum Start<'a> {
    /// One state for all lanes: bit `i % 64` of word `i / 64` is the value of row `i`. Words
    /// missing at the end are zero.
    Same(&'a [u64]),
    /// A state for each lane, given as rows, in number those of the state.
    Each(&'a [u64]),
}

/// Sets `state` to `start` in the lanes of the row `starting`, and to `next`,
/// which has the same number of rows, in the others.
///
/// # Panics
/// If the slices do not have the lengths described.
pub fn advance(width: Width, next: &[u64], state: &mut [u64], starting: &[u64], start: Start<'_>) {
    assert_eq!(
        next.len(),
        state.len(),
        "the same number of rows before and after"
    );
    if starting.iter().all(|&word| word == 0) {
        return state.copy_from_slice(next);
    }
    let words = state.len();
    // SAFETY: the slices have the same length, and cannot overlap.
    unsafe {
        blend(
            width,
            next.as_ptr(),
            state.as_mut_ptr(),
            words,
            starting,
            start,
        )
    };
}

/// Sets `state` to `start` in the lanes of the row `starting`. Other lanes stay as
/// they are.
///
/// # Panics
/// If the slices do not have the lengths described.
pub fn enter(width: Width, state: &mut [u64], starting: &[u64], start: Start<'_>) {
    if starting.iter().all(|&word| word == 0) {
        return;
    }
    let words = state.len();
    let state = state.as_mut_ptr();
    // SAFETY: the words that are read are those that are written: they are reached through
    // one pointer, since a reference to them would promise that nothing writes to them.
    unsafe { blend(width, state, state, words, starting, start) };
}

/// # Safety
/// `words` words can be read at `from` and written at `to`. Both are the same pointer, or
/// these words do not overlap. Neither `lanes` nor `start` overlaps what is written.
unsafe fn blend(
    width: Width,
    from: *const u64,
    to: *mut u64,
    words: usize,
    lanes: &[u64],
    start: Start<'_>,
) {
    assert_eq!(words % width.words(), 0, "whole rows");
    assert_eq!(lanes.len(), width.words(), "a row of lanes");
    if let Start::Each(rows) = start {
        assert_eq!(rows.len(), words, "the same number of rows to start from");
    }
    let blend = Blend {
        from,
        to,
        words,
        lanes,
        start,
    };
    dispatch(width, blend);
}

/// The arguments that [`blend`] was promised and has checked.
struct Blend<'a> {
    from: *const u64,
    to: *mut u64,
    words: usize,
    lanes: &'a [u64],
    start: Start<'a>,
}

impl Kernel for Blend<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        // SAFETY: `lanes` is a row.
        let lanes = unsafe { V::load(self.lanes.as_ptr()) };
        let (from, to) = (self.from, self.to);
        let rows = self.words / V::WORDS;
        let put = |row: usize, start: V| {
            let at = row * V::WORDS;
            // SAFETY: callers give numbers of rows, which can be read and written.
            unsafe {
                V::load(from.add(at))
                    .and_not(lanes)
                    .or(start)
                    .store(to.add(at))
            };
        };
        match self.start {
            Start::Same(bits) => {
                let values = [V::ZERO, lanes];
                for (word, first) in bits.iter().zip((0..rows).step_by(64)) {
                    for row in first..rows.min(first + 64) {
                        put(row, values[(word >> (row - first) & 1) as usize]);
                    }
                }
                for row in (64 * bits.len()).min(rows)..rows {
                    put(row, V::ZERO);
                }
            }
            Start::Each(starts) => {
                for (row, start) in starts.chunks_exact(V::WORDS).enumerate() {
                    // SAFETY: the chunk is a row.
                    put(row, unsafe { V::load(start.as_ptr()) }.and(lanes));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bit(words: &[u64], at: usize) -> bool {
        words
            .get(at / 64)
            .is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    proptest! {
        /// Every bit of every row comes from where it should, at all widths, whether
        /// the starts are given as bits or as rows.
        #[test]
        fn lanes_go_on_or_start(
            words in prop::collection::vec(any::<[u64; 8]>(), 0..140),
            before: [u64; 8],
            starting: [u64; 8],
            some: bool,
            bits in prop::collection::vec(any::<u64>(), 0..4),
        ) {
            for width in Width::ALL {
                let count = width.words();
                let rows = |f: &dyn Fn(usize) -> u64| -> Vec<u64> {
                    (0..words.len() * count).map(f).collect()
                };
                let next = rows(&|i| words[i / count][i % count]);
                let old = rows(&|i| before[i % count].rotate_left((i / count) as u32));
                let lanes: Vec<u64> = starting[..count].iter().map(|&w| if some { w } else { 0 }).collect();
                let each = rows(&|i| if bit(&bits, i / count) { !0 } else { 0 });
                let mixed = rows(&|i| !words[i / count][(i + 1) % count]);
                let starts = [(Start::Same(&bits), &each), (Start::Each(&mixed), &mixed)];
                for (start, values) in starts {
                    let expected = |from: &[u64]| rows(&|i| {
                        from[i] & !lanes[i % count] | values[i] & lanes[i % count]
                    });
                    let mut state = old.clone();
                    advance(width, &next, &mut state, &lanes, start);
                    prop_assert_eq!(&state, &expected(&next));
                    let mut state = old.clone();
                    enter(width, &mut state, &lanes, start);
                    prop_assert_eq!(&state, &expected(&old));
                }
            }
        }
    }
}
