//! Uniform random selection of one of the true rows in each lane.
//!
//! For a game, rows are the legal moves of a role, and each lane plays one of its
//! own. All is done bit-sliced, in time proportional to the rows that are true in
//! some lane:
//!
//! 1. Count the true rows of each lane with carry-save adders (Harley and Seal; see
//!    Warren, "Hacker's Delight", 2nd edition, section 5-1).
//! 2. [Draw](super::draw) `k` below the count `n`, each with the same probability.
//! 3. Start a counter at `-1 - k`, modulo a power of two, and count the true rows
//!    again: the row at which it overflows is the one chosen. Four rows at a time
//!    share the way through the counter's higher bits, and an overflow is handed
//!    back to the row among them that caused it.
//!
//! ```
//! use propjit_jit::lanes::Width;
//! use propjit_jit::lanes::random::LaneRandom;
//! use propjit_jit::lanes::select::Selector;
//!
//! // Three rows of 64 lanes: lane 0 has two of them, lane 1 the last, lane 2 none.
//! let from = [0b001, 0b001, 0b010];
//! let mut chosen = [0; 3];
//! let mut random = LaneRandom::new(1);
//! let lanes = [0b111];
//! let none = Selector::new().select(Width::X64, &from, &lanes, &mut random, &mut chosen);
//! assert_eq!(chosen[0] ^ chosen[1], 0b001);
//! assert_eq!(chosen[2], 0b010);
//! assert_eq!(none[0], 0b100);
//! ```

use std::ops::Range;

use super::dispatch::{Kernel, dispatch};
use super::draw::{MAX_BITS, draw, full_add, half_add, increment};
use super::random::LaneRandom;
use super::vector::Vector;
use crate::rows::Width;

/// A chooser of rows. It remembers its choice, so that the next one need not scan all
/// rows to clear it.
#[derive(Clone, Default, Debug)]
pub struct Selector {
    /// The rows that may be true at all; at first none, which means all.
    live: Vec<u32>,
    /// All of `live` in parts, ascending, if there are [guards](Selector::with_guards).
    parts: Vec<Part>,
    /// The parts that are scanned, as places in `live`, ascending.
    active: Vec<Range<usize>>,
    /// The rows that were true in some lane at the last choice, then room for all.
    list: Vec<u32>,
    /// The number of rows in the list.
    listed: usize,
}

/// Adjacent live rows.
#[derive(Clone, Debug)]
struct Part {
    /// Their places among these.
    live: Range<usize>,
    /// The number of their guard, if they have one.
    guard: Option<usize>,
}

/// The least number of live rows in a part that may be skipped. Checking its guard takes as long as scanning a few
/// rows.
const MIN_GUARDED: usize = 32;

impl Selector {
    /// A selector that has made no choice yet.
    pub fn new() -> Selector {
        Selector::default()
    }

    /// The rows that were true in some lane at the last choice, ascending.
    pub fn listed(&self) -> &[u32] {
        &self.list[..self.listed]
    }

    /// A selector that has made no choice yet, among rows of which only these, ascending, are
    /// ever true.
    pub fn among(live: Vec<u32>) -> Selector {
        Selector {
            live,
            ..Selector::default()
        }
    }

    /// Returns the selector with guards for runs of rows, ascending, which do not overlap: the rows are false while
    /// their guard is. The caller defines the numbers of guards. For a selector [among](Selector::among) given rows
    /// only.
    #[must_use]
    pub fn with_guards(mut self, runs: Vec<(usize, Range<u32>)>) -> Selector {
        let mut end = 0;
        for (guard, run) in runs {
            let place = |row: u32| self.live.partition_point(|&live| live < row);
            let live = place(run.start).max(end)..place(run.end);
            if live.len() < MIN_GUARDED {
                continue;
            }
            self.parts.push(Part {
                live: end..live.start,
                guard: None,
            });
            end = live.end;
            let guard = Some(guard);
            self.parts.push(Part { live, guard });
        }
        if !self.parts.is_empty() {
            self.parts.push(Part {
                live: end..self.live.len(),
                guard: None,
            });
        }
        self
    }

    /// Skips, at the following choices, the rows whose guard is idle, which are false in all lanes. Without this, all
    /// live rows are scanned.
    pub fn pass_over(&mut self, is_idle: impl Fn(usize) -> bool) {
        if self.parts.is_empty() {
            return;
        }
        self.active.clear();
        let parts = self
            .parts
            .iter()
            .filter(|part| !part.guard.is_some_and(&is_idle));
        for part in parts.filter(|part| !part.live.is_empty()) {
            match self.active.last_mut() {
                Some(last) if last.end == part.live.start => last.end = part.live.end,
                _ => self.active.push(part.live.clone()),
            }
        }
    }

    /// Chooses in each lane one of the rows of `from` that are true: `chosen`
    /// becomes true in that row and false in all others. Both have the same number
    /// of rows of `width`, adjacent in memory. `chosen` must be as this selector's last
    /// choice left it, or false in all rows if there was none.
    ///
    /// Only lanes with a one in `lanes`, a row, are considered; in the others, and
    /// in those without a true row, `chosen` becomes false. Returns, as the first
    /// [`Width::words`] words, the lanes considered that had no true row.
    ///
    /// # Panics
    /// If the slices do not have the lengths described, the rows that may be true are not
    /// rows in ascending order, or the last choice was among another number of rows.
    pub fn select(
        &mut self,
        width: Width,
        from: &[u64],
        lanes: &[u64],
        random: &mut LaneRandom,
        chosen: &mut [u64],
    ) -> [u64; Width::MAX_WORDS] {
        assert_eq!(
            from.len(),
            chosen.len(),
            "the same number of rows to choose and chosen"
        );
        assert_eq!(from.len() % width.words(), 0, "whole rows");
        assert_eq!(lanes.len(), width.words(), "a row of lanes");
        let rows = from.len() / width.words();
        if self.list.is_empty() {
            if self.live.is_empty() {
                self.live.extend(0..rows as u32);
            }
            // No more than there are rows, then: the list has room for them.
            let ascend = self.live.is_sorted_by(|one, next| one < next);
            let are_rows = self.live.last().is_none_or(|&last| (last as usize) < rows);
            assert!(ascend && are_rows, "live rows are rows, ascending");
            self.list.resize(rows, 0);
            if self.active.is_empty() {
                self.active.push(0..self.live.len());
            }
        }
        assert_eq!(self.list.len(), rows, "the same rows as before");
        let select = Select {
            from,
            lanes,
            random,
            chosen,
            live: &self.live,
            active: &self.active,
            list: &mut self.list,
            listed: &mut self.listed,
        };
        dispatch(width, select)
    }
}

struct Select<'a> {
    from: &'a [u64],
    lanes: &'a [u64],
    random: &'a mut LaneRandom,
    chosen: &'a mut [u64],
    /// Numbers of rows, and the places among these of those that may be true.
    live: &'a [u32],
    active: &'a [Range<usize>],
    /// Row numbers, with room for all rows.
    list: &'a mut [u32],
    listed: &'a mut usize,
}

impl Kernel for Select<'_> {
    type Output = [u64; Width::MAX_WORDS];

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        let from = self.from.as_ptr();
        let chosen = self.chosen.as_mut_ptr();
        // SAFETY: `lanes` is a row.
        let lanes = unsafe { V::load(self.lanes.as_ptr()) };
        // SAFETY: rows in the list are rows of `from`, and so of `chosen`.
        let row = |row: u32| unsafe { V::load(from.add(row as usize * V::WORDS)) }.and(lanes);
        // SAFETY: as above.
        let choose =
            |row: u32, value: V| unsafe { value.store(chosen.add(row as usize * V::WORDS)) };
        for &row in &self.list[..*self.listed] {
            choose(row, V::ZERO);
        }
        let live = self.active.iter().map(|part| &self.live[part.clone()]);
        // SAFETY: live rows are rows, and no more than the list has room for; active parts do not overlap.
        let rows = unsafe { list_true(live, row, self.list) };
        *self.listed = rows.len();
        let count = count(rows, row);
        let bits = count
            .iter()
            .rposition(|bit| !bit.is_zero())
            .map_or(0, |last| last + 1);
        if bits <= 1 {
            rows.iter().for_each(|&at| choose(at, row(at)));
        } else {
            let mut random = self.random.take();
            let mut counter = [V::ZERO; MAX_BITS];
            draw(&count[..bits], &mut random, &mut counter[..bits]);
            self.random.put_back(random);
            // From -1 - k, the counter overflows once at most.
            for bit in &mut counter[..bits] {
                *bit = V::ONES.and_not(*bit);
            }
            walk(rows, &mut counter[..bits], row, choose);
        }
        let some = count.into_iter().fold(V::ZERO, V::or);
        let mut none = [0; Width::MAX_WORDS];
        // SAFETY: no vector has more words than the greatest width.
        unsafe { lanes.and_not(some).store(none.as_mut_ptr()) };
        none
    }
}

/// Lists those of the `live` rows that are true in some lane, one part of them after the other.
///
/// # Safety
/// `list` is at least as long as all of `live`.
#[inline(always)]
unsafe fn list_true<'a, 'l, V: Vector>(
    live: impl Iterator<Item = &'l [u32]>,
    row: impl Fn(u32) -> V,
    list: &'a mut [u32],
) -> &'a [u32] {
    let mut count = 0;
    let mut add = |value: V, row: u32| {
        // SAFETY: fewer rows were listed than are live.
        unsafe { *list.get_unchecked_mut(count) = row };
        count += usize::from(!value.is_zero());
    };
    for part in live {
        // Eight rows are tested together first, as often most are false in all lanes.
        let (blocks, rest) = part.as_chunks::<8>();
        for block in blocks {
            // One by one: `map` is a function by itself, without the vector instructions of this
            // one, and three times as slow.
            let [a, b, c, d, e, f, g, h] = *block;
            let (some, others) = (row(a).or(row(b)), row(c).or(row(d)));
            let (more, rest) = (row(e).or(row(f)), row(g).or(row(h)));
            if !some.or(others).or(more.or(rest)).is_zero() {
                for &at in block {
                    add(row(at), at);
                }
            }
        }
        for &at in rest {
            add(row(at), at);
        }
    }
    &list[..count]
}

/// In each lane, how many of the rows are true.
#[inline(always)]
fn count<V: Vector>(rows: &[u32], row: impl Fn(u32) -> V) -> [V; MAX_BITS] {
    let mut count = [V::ZERO; MAX_BITS];
    let bits = (usize::BITS - rows.len().leading_zeros()) as usize;
    let (blocks, rest) = rows.as_chunks::<8>();
    let (mut ones, mut twos, mut fours) = (V::ZERO, V::ZERO, V::ZERO);
    for &[a, b, c, d, e, f, g, h] in blocks {
        let ab = full_add(&mut ones, row(a), row(b));
        let cd = full_add(&mut ones, row(c), row(d));
        let ef = full_add(&mut ones, row(e), row(f));
        let gh = full_add(&mut ones, row(g), row(h));
        let abcd = full_add(&mut twos, ab, cd);
        let efgh = full_add(&mut twos, ef, gh);
        let eight = full_add(&mut fours, abcd, efgh);
        increment(&mut count[3..bits], eight);
    }
    [count[0], count[1], count[2]] = [ones, twos, fours];
    for &at in rest {
        increment(&mut count[..bits], row(at));
    }
    count
}

/// Counts the rows in `counter`, which has at least two bits, and chooses each row
/// in the lanes where it makes the counter overflow.
#[inline(always)]
fn walk<V: Vector>(
    rows: &[u32],
    counter: &mut [V],
    row: impl Fn(u32) -> V,
    choose: impl Fn(u32, V),
) {
    let (blocks, rest) = rows.as_chunks::<4>();
    for &[a, b, c, d] in blocks {
        let overflow = overflow(counter, [row(a), row(b), row(c), row(d)]);
        choose(a, overflow[0]);
        choose(b, overflow[1]);
        choose(c, overflow[2]);
        choose(d, overflow[3]);
    }
    for &at in rest {
        choose(at, increment(counter, row(at)));
    }
}

/// Counts four rows and returns for each the lanes where it makes the counter overflow.
#[inline(always)]
fn overflow<V: Vector>(counter: &mut [V], [a, b, c, d]: [V; 4]) -> [V; 4] {
    let [ones, twos, rest @ ..] = counter else {
        unreachable!("a counter has at least two bits");
    };
    let (a, b) = (half_add(ones, a), half_add(ones, b));
    let (c, d) = (half_add(ones, c), half_add(ones, d));
    // Of two rows at most one has a carry, as the first one leaves a zero.
    let (ab, cd) = (half_add(twos, a.or(b)), half_add(twos, c.or(d)));
    let overflow = increment(rest, ab.or(cd));
    let (ab, cd) = (ab.and(overflow), cd.and(overflow));
    [a.and(ab), b.and(ab), c.and(cd), d.and(cd)]
}
