//! Counts of the lanes in which exactly one of several rows is true: for a game, how often
//! each goal value was reached.

use crate::rows::Width;

/// Adds to `counts[i]` the number of those lanes, given by the row `lanes`, in which row
/// `i` and no other row of `rows` is true. Returns the number of those in which none or
/// several are.
///
/// # Panics
/// If the number of counts is not that of the rows, or `lanes` is not a row.
///
/// ```
/// use propjit_jit::lanes::{Width, count::count_exactly_one};
/// let mut counts = [0; 2];
/// // Lane 0 has the first, lane 1 both, lane 2 none; the rest is not asked about.
/// let neither = count_exactly_one(Width::X64, &[0b1011, 0b0010], &[0b0111], &mut counts);
/// assert_eq!((counts, neither), ([1, 0], 2));
/// ```
pub fn count_exactly_one(width: Width, rows: &[u64], lanes: &[u64], counts: &mut [u64]) -> u64 {
    let words = width.words();
    assert_eq!(rows.len(), counts.len() * words, "a count for each row");
    assert_eq!(lanes.len(), words, "a row of lanes");
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("popcnt") {
        // SAFETY: the CPU has the instruction, as just checked.
        return unsafe { with_popcnt(width, rows, lanes, counts) };
    }
    count(width, rows, lanes, counts)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn with_popcnt(width: Width, rows: &[u64], lanes: &[u64], counts: &mut [u64]) -> u64 {
    count(width, rows, lanes, counts)
}

#[inline(always)]
fn count(width: Width, rows: &[u64], lanes: &[u64], counts: &mut [u64]) -> u64 {
    match width {
        Width::X64 => count_words::<1>(rows, lanes, counts),
        Width::X128 => count_words::<2>(rows, lanes, counts),
        Width::X256 => count_words::<4>(rows, lanes, counts),
        Width::X512 => count_words::<8>(rows, lanes, counts),
    }
}

#[inline(always)]
fn count_words<const WORDS: usize>(rows: &[u64], lanes: &[u64], counts: &mut [u64]) -> u64 {
    let (rows, _) = rows.as_chunks::<WORDS>();
    let (mut some, mut several) = ([0; WORDS], [0; WORDS]);
    for row in rows {
        for at in 0..WORDS {
            several[at] |= some[at] & row[at];
            some[at] |= row[at];
        }
    }
    let exact: [u64; WORDS] = std::array::from_fn(|at| some[at] & !several[at] & lanes[at]);
    for (count, row) in counts.iter_mut().zip(rows) {
        *count += ones(row.iter().zip(exact).map(|(row, exact)| row & exact));
    }
    ones(lanes.iter().zip(exact).map(|(lanes, exact)| lanes & !exact))
}

/// The number of ones in the words of a row.
///
/// ```
/// use propjit_jit::lanes::count::count_ones;
/// assert_eq!(count_ones(&[0b1011, 1]), 4);
/// ```
pub fn count_ones(row: &[u64]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("popcnt") {
        // SAFETY: the CPU has the instruction, as just checked.
        return unsafe { count_ones_with_popcnt(row) };
    }
    ones(row.iter().copied())
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn count_ones_with_popcnt(row: &[u64]) -> u64 {
    ones(row.iter().copied())
}

#[inline(always)]
fn ones(words: impl Iterator<Item = u64>) -> u64 {
    words.fold(0, |sum, word| sum + u64::from(word.count_ones()))
}
