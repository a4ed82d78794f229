//! Sets of lanes.

use propjit_jit::lanes::Width;
use propjit_jit::lanes::count::count_ones;

use crate::game::vocabulary::state::ones;

/// A set of lanes, a bit each. Words beyond the width are zero.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct LaneMask([u64; Width::MAX_WORDS]);

impl LaneMask {
    /// Returns the first `lanes` lanes.
    #[inline]
    pub fn first(lanes: usize) -> LaneMask {
        LaneMask(std::array::from_fn(|word| {
            match lanes.saturating_sub(64 * word) {
                0 => 0,
                left @ 1..64 => (1 << left) - 1,
                _ => !0,
            }
        }))
    }

    /// Returns all lanes of a width.
    #[inline]
    pub fn all(width: Width) -> LaneMask {
        LaneMask::first(width.lanes())
    }

    /// Returns the lanes that have a one in these words.
    #[inline]
    pub fn from_words(words: &[u64]) -> LaneMask {
        // Copies of a length known to the compiler need no call.
        fn padded<const WORDS: usize>(words: &[u64]) -> Option<LaneMask> {
            let words: &[u64; WORDS] = words.try_into().ok()?;
            let mut row = LaneMask::default();
            row.0[..WORDS].copy_from_slice(words);
            Some(row)
        }
        let padded = padded::<8>(words).or_else(|| padded::<4>(words));
        padded.unwrap_or_else(|| {
            let mut row = LaneMask::default();
            row.0[..words.len()].copy_from_slice(words);
            row
        })
    }

    /// Returns the lanes in which exactly one of several rows has a one. The rows come one after
    /// the other.
    pub fn exactly_one(width: Width, rows: &[u64]) -> LaneMask {
        let (some, several) = LaneMask::some_and_several(width, width.lanes(), rows);
        some.and_not(several)
    }

    /// Returns the lanes in which at least one of several rows has a one, and those in which at
    /// least two do, restricted to the first `lanes`. The rows come one after the other.
    pub fn some_and_several(width: Width, lanes: usize, rows: &[u64]) -> (LaneMask, LaneMask) {
        let fold = match lanes.div_ceil(64) {
            0 | 1 => some_and_several::<1>,
            2 => some_and_several::<2>,
            3 | 4 => some_and_several::<4>,
            _ => some_and_several::<8>,
        };
        fold(width, rows)
    }

    /// Returns the words that a width has.
    #[inline]
    pub fn words(&self, width: Width) -> &[u64] {
        &self.0[..width.words()]
    }

    /// Writes the words of a width, the width of the row.
    #[inline]
    pub fn write(&self, row: &mut [u64]) {
        // As in `from_words`.
        if let Ok(row) = row.try_into() {
            let row: &mut [u64; 8] = row;
            row.copy_from_slice(&self.0);
        } else {
            row.copy_from_slice(&self.0[..row.len()]);
        }
    }

    /// Sets each row of `to` to the row of `rows`, masked by the set, within the first `lanes` lanes;
    /// the other lanes become unspecified. The rows come one after the other.
    pub fn keep_rows(self, width: Width, lanes: usize, rows: &[u64], to: &mut [u64]) {
        match lanes.div_ceil(64) {
            0 | 1 => self.keep_words::<1>(width, rows, to),
            2 => self.keep_words::<2>(width, rows, to),
            3 | 4 => self.keep_words::<4>(width, rows, to),
            _ => self.keep_words::<8>(width, rows, to),
        }
    }

    /// Adds each of the rows, masked by the set, to the row of `to` that `places` has for it, within
    /// the first `lanes` lanes. The rows come one after the other.
    pub fn add_rows_at(
        self,
        width: Width,
        lanes: usize,
        rows: &[u64],
        places: &[u32],
        to: &mut [u64],
    ) {
        match lanes.div_ceil(64) {
            0 | 1 => self.add_words_at::<1>(width, rows, places, to),
            2 => self.add_words_at::<2>(width, rows, places, to),
            3 | 4 => self.add_words_at::<4>(width, rows, places, to),
            _ => self.add_words_at::<8>(width, rows, places, to),
        }
    }

    /// Keeps the first words of each row, which registers hold.
    #[inline]
    fn keep_words<const WORDS: usize>(self, width: Width, rows: &[u64], to: &mut [u64]) {
        let to = to.chunks_exact_mut(width.words());
        let to = to.filter_map(|row| row.first_chunk_mut::<WORDS>());
        for (row, to) in first_words::<WORDS>(width, rows).zip(to) {
            *to = std::array::from_fn(|at| row[at] & self.0[at]);
        }
    }

    /// Adds the first words of each row, which registers hold.
    #[inline]
    fn add_words_at<const WORDS: usize>(
        self,
        width: Width,
        rows: &[u64],
        places: &[u32],
        to: &mut [u64],
    ) {
        for (row, &place) in first_words::<WORDS>(width, rows).zip(places) {
            let to = &mut to[place as usize * width.words()..];
            if let Some(to) = to.first_chunk_mut::<WORDS>() {
                *to = std::array::from_fn(|at| to[at] | row[at] & self.0[at]);
            }
        }
    }

    /// Adds a lane to the set.
    #[inline]
    pub fn insert(&mut self, lane: usize) {
        self.0[lane / 64] |= 1 << (lane % 64);
    }

    /// Removes a lane from the set.
    #[inline]
    pub fn remove(&mut self, lane: usize) {
        self.0[lane / 64] &= !(1 << (lane % 64));
    }

    /// Returns the lanes in both.
    #[inline]
    pub fn and(self, other: LaneMask) -> LaneMask {
        self.zip(other, |a, b| a & b)
    }

    /// Returns the lanes in either.
    #[inline]
    pub fn or(self, other: LaneMask) -> LaneMask {
        self.zip(other, |a, b| a | b)
    }

    /// Returns the lanes in one of the two only.
    #[inline]
    pub fn xor(self, other: LaneMask) -> LaneMask {
        self.zip(other, |a, b| a ^ b)
    }

    /// Returns the lanes in this one only.
    #[inline]
    pub fn and_not(self, other: LaneMask) -> LaneMask {
        self.zip(other, |a, b| a & !b)
    }

    #[inline]
    fn zip(self, other: LaneMask, f: impl Fn(u64, u64) -> u64) -> LaneMask {
        LaneMask(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    /// Returns whether the set is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    /// Returns whether a lane is in the set.
    #[inline]
    pub fn contains(&self, lane: usize) -> bool {
        self.0[lane / 64] >> (lane % 64) & 1 == 1
    }

    /// Returns the lanes, ascending.
    #[inline]
    pub fn lanes(&self) -> impl Iterator<Item = usize> + use<> {
        ones(self.0.into_iter())
    }

    /// Returns the number of lanes in the set.
    #[inline]
    pub fn count(&self) -> u64 {
        count_ones(&self.0)
    }
}

/// Does the same as [`LaneMask::some_and_several`] for the first words of each row, which registers
/// hold.
fn some_and_several<const WORDS: usize>(width: Width, rows: &[u64]) -> (LaneMask, LaneMask) {
    let (mut some, mut several) = ([0; WORDS], [0; WORDS]);
    for row in first_words::<WORDS>(width, rows) {
        for at in 0..WORDS {
            several[at] |= some[at] & row[at];
            some[at] |= row[at];
        }
    }
    (LaneMask::from_words(&some), LaneMask::from_words(&several))
}

/// Returns the first words of each row.
fn first_words<const WORDS: usize>(
    width: Width,
    rows: &[u64],
) -> impl Iterator<Item = &[u64; WORDS]> {
    rows.chunks_exact(width.words())
        .filter_map(|row| row.first_chunk())
}
