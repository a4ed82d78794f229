//! In each lane, one of the true rows, chosen uniformly at random.
//!
//! For a game, rows are the legal moves of a role, and each lane plays one of its
//! own. All is done bit-sliced, in time proportional to the rows that are true in
//! some lane:
//!
//! 1. Count the true rows of each lane with carry-save adders (Harley and Seal; see
//!    Warren, "Hacker's Delight", 2nd edition, section 5-1).
//! 2. Draw `k` below the count `n`: the integer part of `n` times a random fraction
//!    of [`FRACTION_BITS`] bits more than `n` has.
//! 3. Start a counter at `-1 - k`, modulo a power of two, and count the true rows
//!    again: the row at which it overflows is the one chosen. Four rows at a time
//!    share the way through the counter's higher bits, and an overflow is handed
//!    back to the row among them that caused it.
//!
//! A choice of `k` has a probability of `1 / n` but for a relative error below
//! `2^-FRACTION_BITS`, 6.2e-5.

use std::array;

use super::random::{Generators, LaneRandom};
use super::width::{Kernel, Width, dispatch};

/// How many bits the random fraction has more than the count.
pub const FRACTION_BITS: usize = 14;

/// The most bits of a count.
const MAX_BITS: usize = 32;

/// Chooses rows; keeps memory from one choice to the next.
#[derive(Clone, Default, Debug)]
pub struct Selector {
    /// The rows that are true in some lane.
    rows: Vec<u32>,
}

impl Selector {
    /// A selector without memory as yet.
    pub fn new() -> Selector {
        Selector::default()
    }

    /// In each lane, chooses one of the rows of `from` that are true: `chosen`
    /// becomes true in that row and false in all others. Both have the same number
    /// of rows of `width`, adjacent in memory.
    ///
    /// Only lanes with a one in `lanes`, a row, are considered; in the others, and
    /// in those without a true row, `chosen` becomes false. Returns, as the first
    /// [`Width::words`] words, the lanes considered that had no true row.
    ///
    /// # Panics
    /// If the slices do not have the lengths described.
    pub fn select(
        &mut self,
        width: Width,
        from: &[u64],
        lanes: &[u64],
        random: &mut LaneRandom,
        chosen: &mut [u64],
    ) -> [u64; Width::MAX_WORDS] {
        assert_eq!(from.len(), chosen.len(), "as many rows to choose as chosen");
        assert_eq!(from.len() % width.words(), 0, "whole rows");
        assert_eq!(lanes.len(), width.words(), "a row of lanes");
        let select = Select {
            from,
            lanes,
            random,
            chosen,
            rows: &mut self.rows,
        };
        dispatch(width, select)
    }
}

struct Select<'a> {
    from: &'a [u64],
    lanes: &'a [u64],
    random: &'a mut LaneRandom,
    chosen: &'a mut [u64],
    rows: &'a mut Vec<u32>,
}

impl Kernel for Select<'_> {
    type Output = [u64; Width::MAX_WORDS];

    #[inline(always)]
    fn run<const W: usize>(self) -> Self::Output {
        let (from, _) = self.from.as_chunks::<W>();
        let (chosen, _) = self.chosen.as_chunks_mut::<W>();
        let lanes = array::from_fn(|w| self.lanes[w]);
        let rows = list_true(from, self.rows);
        chosen.fill([0; W]);
        let count = count(from, rows);
        let bits = count
            .iter()
            .rposition(|bit| *bit != [0; W])
            .map_or(0, |last| last + 1);
        if bits <= 1 {
            for &row in rows {
                chosen[row as usize] = and(from[row as usize], lanes);
            }
        } else {
            let mut random = self.random.take();
            let k = draw(&count[..bits], &mut random);
            self.random.put_back(random);
            // The counter has one overflow at most. Where it starts at zero, it has none.
            let mut counter = k.map(|bit| and(not(bit), lanes));
            walk(from, rows, &mut counter[..bits], chosen);
        }
        let some = count.iter().fold([0; W], |some, &bit| or(some, bit));
        let none = and(not(some), lanes);
        array::from_fn(|w| if w < W { none[w] } else { 0 })
    }
}

/// One bit per lane.
type Row<const W: usize> = [u64; W];

/// A number per lane: row `i` is bit `i` of all of them.
type Numbers<const W: usize> = [Row<W>; MAX_BITS];

/// Lists the rows that are true in some lane.
#[inline(always)]
fn list_true<'a, const W: usize>(from: &[Row<W>], rows: &'a mut Vec<u32>) -> &'a [u32] {
    if rows.len() < from.len() {
        rows.resize(from.len(), 0);
    }
    let mut count = 0;
    for (row, at) in from.iter().zip(0..) {
        rows[count] = at;
        count += usize::from(*row != [0; W]);
    }
    &rows[..count]
}

/// In each lane, how many of the listed rows are true.
#[inline(always)]
fn count<const W: usize>(from: &[Row<W>], rows: &[u32]) -> Numbers<W> {
    let mut count = [[0; W]; MAX_BITS];
    let bits = (usize::BITS - rows.len().leading_zeros()) as usize;
    let (blocks, rest) = rows.as_chunks::<8>();
    let (mut ones, mut twos, mut fours) = ([0; W], [0; W], [0; W]);
    for block in blocks {
        let [a, b, c, d, e, f, g, h] = block.map(|row| from[row as usize]);
        let pairs = [
            full_add(&mut ones, a, b),
            full_add(&mut ones, c, d),
            full_add(&mut ones, e, f),
            full_add(&mut ones, g, h),
        ];
        let quads = [
            full_add(&mut twos, pairs[0], pairs[1]),
            full_add(&mut twos, pairs[2], pairs[3]),
        ];
        let eights = full_add(&mut fours, quads[0], quads[1]);
        increment(&mut count[3..bits], eights);
    }
    [count[0], count[1], count[2]] = [ones, twos, fours];
    for &row in rest {
        increment(&mut count[..bits], from[row as usize]);
    }
    count
}

/// In each lane, a random number below `count`; zero where that is zero.
#[inline(always)]
fn draw<const W: usize>(count: &[Row<W>], random: &mut Generators<W>) -> Numbers<W> {
    // Multiplies by one bit of the fraction after the other, last bit first, and
    // halves in between: what is shifted out is not needed.
    let mut product = [[0; W]; MAX_BITS];
    for _ in 0..count.len() + FRACTION_BITS {
        let bit = random.next();
        let mut carry = [0; W];
        for (i, &count) in count.iter().enumerate() {
            let mut sum = product[i];
            carry = full_add(&mut sum, and(count, bit), carry);
            if i > 0 {
                product[i - 1] = sum;
            }
        }
        product[count.len() - 1] = carry;
    }
    product
}

/// Counts the listed rows in `counter` and writes for each row where it made the
/// counter overflow. The counter has at least two bits.
#[inline(always)]
fn walk<const W: usize>(
    from: &[Row<W>],
    rows: &[u32],
    counter: &mut [Row<W>],
    chosen: &mut [Row<W>],
) {
    let (blocks, rest) = rows.as_chunks::<4>();
    for block in blocks {
        let overflow = overflow(counter, block.map(|row| from[row as usize]));
        for (&row, overflow) in block.iter().zip(overflow) {
            chosen[row as usize] = overflow;
        }
    }
    let row = |i| rest.get(i).map_or([0; W], |&row| from[row as usize]);
    let overflow = overflow(counter, array::from_fn(row));
    for (&row, overflow) in rest.iter().zip(overflow) {
        chosen[row as usize] = overflow;
    }
}

/// Counts four rows and returns for each where it made the counter overflow.
#[inline(always)]
fn overflow<const W: usize>(counter: &mut [Row<W>], rows: [Row<W>; 4]) -> [Row<W>; 4] {
    let [ones, twos, rest @ ..] = counter else {
        unreachable!("a counter has at least two bits");
    };
    // Of two rows at most one has a carry, as the first one leaves a zero.
    let [a, b, c, d] = rows.map(|row| half_add(ones, row));
    let [ab, cd] = [or(a, b), or(c, d)].map(|carry| half_add(twos, carry));
    let overflow = increment(rest, or(ab, cd));
    let (ab, cd) = (and(ab, overflow), and(cd, overflow));
    [and(a, ab), and(b, ab), and(c, cd), and(d, cd)]
}

/// Adds one to the numbers where `carry` is true; returns where they overflow.
#[inline(always)]
fn increment<const W: usize>(numbers: &mut [Row<W>], carry: Row<W>) -> Row<W> {
    let bits = numbers.iter_mut();
    bits.fold(carry, |carry, bit| half_add(bit, carry))
}

/// Adds `a` to `sum` and returns the carry.
#[inline(always)]
fn half_add<const W: usize>(sum: &mut Row<W>, a: Row<W>) -> Row<W> {
    let carry = and(*sum, a);
    *sum = xor(*sum, a);
    carry
}

/// Adds `a` and `b` to `sum` and returns the carry.
#[inline(always)]
fn full_add<const W: usize>(sum: &mut Row<W>, a: Row<W>, b: Row<W>) -> Row<W> {
    let differ = xor(a, b);
    let carry = or(and(a, b), and(differ, *sum));
    *sum = xor(*sum, differ);
    carry
}

#[inline(always)]
fn and<const W: usize>(a: Row<W>, b: Row<W>) -> Row<W> {
    array::from_fn(|w| a[w] & b[w])
}

#[inline(always)]
fn or<const W: usize>(a: Row<W>, b: Row<W>) -> Row<W> {
    array::from_fn(|w| a[w] | b[w])
}

#[inline(always)]
fn xor<const W: usize>(a: Row<W>, b: Row<W>) -> Row<W> {
    array::from_fn(|w| a[w] ^ b[w])
}

#[inline(always)]
fn not<const W: usize>(a: Row<W>) -> Row<W> {
    a.map(|word| !word)
}
