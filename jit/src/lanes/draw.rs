//! Random numbers below given ones, bit-sliced: row `i` has bit `i` of the number of each lane.
//!
//! Numbers are drawn by rejection: with as many random bits as the greatest one has, again in the lanes
//! where the number is too great, until there are none; at least half of the numbers are accepted. So
//! all numbers are equally likely, without error, and it takes a few draws for hundreds of lanes, whereas
//! multiplication by a random fraction takes many bits for a small error.
//!
//! ```
//! use propjit_jit::lanes::Width;
//! use propjit_jit::lanes::draw::draw_below;
//! use propjit_jit::lanes::random::LaneRandom;
//!
//! // Lane 0 draws below 2, lane 1 below 1, lane 2 below 0.
//! let mut numbers = [0; 2];
//! let mut random = LaneRandom::new(1);
//! let none = draw_below(Width::X64, &[0b010, 0b001], &[0b111], &mut random, &mut numbers);
//! assert_eq!((numbers[0] & !1, numbers[1]), (0, 0));
//! assert_eq!(none[0], 0b100);
//! ```

use std::iter;

use super::dispatch::{Kernel, dispatch};
use super::random::{Generators, LaneRandom};
use super::vector::Vector;
use crate::rows::Width;

/// The most bits of a number.
pub(super) const MAX_BITS: usize = 32;

/// The number of bits that numbers usually have.
const FEW_BITS: usize = 8;

/// Draws, in each lane with a one in the row `lanes`, a number below that in the rows `below`, and
/// zero elsewhere. Returns, as the first [`Width::words`] words, those of these lanes that have
/// nothing below.
///
/// Nothing is drawn if no lane has a choice. For the same rows, it takes the same random rows as
/// [`Selector::select`](super::select::Selector::select) does for as many rows that are true.
///
/// # Panics
/// If `below` and `numbers` do not have the same number of rows, at most 32, or `lanes` is not a
/// row.
pub fn draw_below(
    width: Width,
    below: &[u64],
    lanes: &[u64],
    random: &mut LaneRandom,
    numbers: &mut [u64],
) -> [u64; Width::MAX_WORDS] {
    assert_eq!(
        below.len(),
        numbers.len(),
        "as many bits as those to be below"
    );
    assert_eq!(below.len() % width.words(), 0, "whole rows");
    assert!(below.len() / width.words() <= MAX_BITS, "at most 32 bits");
    assert_eq!(lanes.len(), width.words(), "a row of lanes");
    let draw = Draw {
        below,
        lanes,
        random,
        numbers,
    };
    dispatch(width, draw)
}

struct Draw<'a> {
    below: &'a [u64],
    lanes: &'a [u64],
    random: &'a mut LaneRandom,
    numbers: &'a mut [u64],
}

impl Kernel for Draw<'_> {
    type Output = [u64; Width::MAX_WORDS];

    #[inline(always)]
    fn run<V: Vector>(self) -> Self::Output {
        // SAFETY: `lanes` is a row.
        let lanes = unsafe { V::load(self.lanes.as_ptr()) };
        let (mut bits, mut some) = (0, V::ZERO);
        for (at, row) in self.below.chunks_exact(V::WORDS).enumerate() {
            // SAFETY: the chunk is a row.
            let row = unsafe { V::load(row.as_ptr()) }.and(lanes);
            some = some.or(row);
            if !row.is_zero() {
                bits = at + 1;
            }
        }
        let mut random = self.random.take();
        match bits {
            0 | 1 => put::<V>(&[], self.numbers),
            ..=FEW_BITS => {
                put_drawn::<V, FEW_BITS>(self.below, bits, lanes, &mut random, self.numbers)
            }
            _ => put_drawn::<V, MAX_BITS>(self.below, bits, lanes, &mut random, self.numbers),
        }
        self.random.put_back(random);
        let mut none = [0; Width::MAX_WORDS];
        // SAFETY: no vector has more words than the greatest width.
        unsafe { lanes.and_not(some).store(none.as_mut_ptr()) };
        none
    }
}

/// Draws numbers of `bits` bits below those in the first rows, in these lanes, and writes them.
#[inline(always)]
fn put_drawn<V: Vector, const MOST: usize>(
    below: &[u64],
    bits: usize,
    lanes: V,
    random: &mut Generators<V>,
    numbers: &mut [u64],
) {
    let mut count = [V::ZERO; MOST];
    for (count, row) in count.iter_mut().zip(below.chunks_exact(V::WORDS)) {
        // SAFETY: the chunk is a row.
        *count = unsafe { V::load(row.as_ptr()) }.and(lanes);
    }
    let mut drawn = [V::ZERO; MOST];
    draw(&count[..bits], random, &mut drawn[..bits]);
    put(&drawn[..bits], numbers);
}

/// Writes the numbers, and zeros as their upper bits.
#[inline(always)]
fn put<V: Vector>(numbers: &[V], rows: &mut [u64]) {
    let numbers = numbers.iter().copied().chain(iter::repeat(V::ZERO));
    for (row, number) in rows.chunks_exact_mut(V::WORDS).zip(numbers) {
        // SAFETY: the chunk is a row.
        unsafe { number.store(row.as_mut_ptr()) };
    }
}

/// Sets `numbers`, which are as long as `count` and zero, to random numbers below `count` in each
/// lane, and to zero where that is zero.
#[inline(always)]
pub(super) fn draw<V: Vector>(count: &[V], random: &mut Generators<V>, numbers: &mut [V]) {
    match count.len() {
        ..=FEW_BITS => draw_some::<V, FEW_BITS>(count, random, numbers),
        _ => draw_some::<V, MAX_BITS>(count, random, numbers),
    }
}

/// Draws numbers of at most that many bits.
#[inline(always)]
fn draw_some<V: Vector, const MOST: usize>(
    count: &[V],
    random: &mut Generators<V>,
    numbers: &mut [V],
) {
    let mut greatest = [V::ZERO; MOST];
    let mut borrow = V::ONES;
    for (greatest, &bit) in greatest.iter_mut().zip(count) {
        *greatest = bit.xor(borrow);
        borrow = borrow.and_not(bit);
    }
    let mut bits = 0;
    for (greatest, at) in greatest[..count.len()].iter_mut().zip(1..) {
        // If there is still a borrow, the count is zero.
        *greatest = greatest.and_not(borrow);
        if !greatest.is_zero() {
            bits = at;
        }
    }
    let (greatest, numbers) = (&greatest[..bits], &mut numbers[..bits]);
    // Numbers of a length that the compiler knows stay in registers.
    match bits {
        0 => {}
        1 => draw_exactly::<V, 1>(greatest, random, numbers),
        2 => draw_exactly::<V, 2>(greatest, random, numbers),
        3 => draw_exactly::<V, 3>(greatest, random, numbers),
        4 => draw_exactly::<V, 4>(greatest, random, numbers),
        5 => draw_exactly::<V, 5>(greatest, random, numbers),
        6 => draw_exactly::<V, 6>(greatest, random, numbers),
        7 => draw_exactly::<V, 7>(greatest, random, numbers),
        _ => {
            let mut bits = [V::ZERO; MOST];
            draw_up_to(greatest, &mut bits[..greatest.len()], random, numbers);
        }
    }
}

/// As [`draw_up_to`], for numbers of `BITS` bits.
#[inline(always)]
fn draw_exactly<V: Vector, const BITS: usize>(
    greatest: &[V],
    random: &mut Generators<V>,
    numbers: &mut [V],
) {
    let (mut known, mut bits, mut drawn) = ([V::ZERO; BITS], [V::ZERO; BITS], [V::ZERO; BITS]);
    known.copy_from_slice(greatest);
    // A copy stays in registers as well.
    let mut generators = *random;
    draw_up_to(&known, &mut bits, &mut generators, &mut drawn);
    *random = generators;
    numbers.copy_from_slice(&drawn);
}

/// Sets `numbers` to random numbers up to the greatest one of each lane. All slices have the same
/// length; `bits` is scratch space.
#[inline(always)]
fn draw_up_to<V: Vector>(
    greatest: &[V],
    bits: &mut [V],
    random: &mut Generators<V>,
    numbers: &mut [V],
) {
    // The bits that numbers have in a lane: up to the first one of the greatest number.
    let mut any = V::ZERO;
    for at in (0..greatest.len()).rev() {
        any = any.or(greatest[at]);
        bits[at] = any;
    }
    let mut open = V::ONES;
    while !open.is_zero() {
        let mut exceeds = V::ZERO;
        for at in 0..greatest.len() {
            let bit = random.next().and(bits[at]);
            exceeds = bit.majority(V::ONES.and_not(greatest[at]), exceeds);
            numbers[at] = bit.and(open).or(numbers[at].and_not(open));
        }
        open = open.and(exceeds);
    }
}

/// Adds one to the numbers where `carry` is true; returns where they overflow.
#[inline(always)]
pub(super) fn increment<V: Vector>(numbers: &mut [V], mut carry: V) -> V {
    for bit in numbers {
        carry = half_add(bit, carry);
    }
    carry
}

/// Adds `a` to `sum` and returns the carry.
#[inline(always)]
pub(super) fn half_add<V: Vector>(sum: &mut V, a: V) -> V {
    let carry = sum.and(a);
    *sum = sum.xor(a);
    carry
}

/// Adds `a` and `b` to `sum` and returns the carry.
#[inline(always)]
pub(super) fn full_add<V: Vector>(sum: &mut V, a: V, b: V) -> V {
    let carry = a.majority(b, *sum);
    *sum = a.parity(b, *sum);
    carry
}
