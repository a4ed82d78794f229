//! Binary numbers whose digits are edges of a circuit under construction.

use std::collections::VecDeque;

use super::{Builder, Edge};

/// A binary number, least significant digit first.
pub(crate) type Number = Vec<Edge>;

/// The number of binary digits of numbers up to this one.
pub(crate) fn digits(most: usize) -> usize {
    (usize::BITS - most.leading_zeros()) as usize
}

/// Counts the edges that hold, by carry-save adders: three edges of equal weight become one, and one
/// of twice the weight.
pub(crate) fn count(builder: &mut Builder, edges: impl IntoIterator<Item = Edge>) -> Number {
    let mut column: VecDeque<Edge> = edges.into_iter().collect();
    let mut number = vec![Edge::FALSE; digits(column.len())];
    for digit in &mut number {
        let mut carries = VecDeque::new();
        while column.len() > 1 {
            let [a, b, c] = [(); 3].map(|()| column.pop_front().unwrap_or(Edge::FALSE));
            let (sum, carry) = full_add(builder, a, b, c);
            column.push_back(sum);
            carries.push_back(carry);
        }
        *digit = column.pop_front().unwrap_or(Edge::FALSE);
        column = carries;
    }
    number
}

/// The sum, in this many digits.
pub(crate) fn add(builder: &mut Builder, a: &[Edge], b: &[Edge], digits: usize) -> Number {
    let mut carry = Edge::FALSE;
    let at = |number: &[Edge], digit: usize| number.get(digit).copied().unwrap_or(Edge::FALSE);
    (0..digits)
        .map(|digit| {
            let (sum, next) = full_add(builder, at(a, digit), at(b, digit), carry);
            carry = next;
            sum
        })
        .collect()
}

/// Returns whether `number` is less than `other`; and `number` if it is, or else their difference.
pub(crate) fn saturating_subtract(
    builder: &mut Builder,
    number: &[Edge],
    other: &[Edge],
) -> (Edge, Number) {
    // The carry of the sum of `other` and the complement of `number`.
    let mut less = Edge::FALSE;
    let changes: Number = (number.iter().enumerate())
        .map(|(place, &digit)| {
            let other = other.get(place).copied().unwrap_or(Edge::FALSE);
            let change = builder.xor(other, less);
            less = carry(builder, other, less, change, !digit);
            change
        })
        .collect();
    let rest = number.iter().zip(changes).map(|(&digit, change)| {
        let change = builder.and(change, !less);
        builder.xor(digit, change)
    });
    (less, rest.collect())
}

/// The sum of three digits, and the carry.
fn full_add(builder: &mut Builder, a: Edge, b: Edge, c: Edge) -> (Edge, Edge) {
    let either = builder.xor(a, b);
    let sum = builder.xor(either, c);
    (sum, carry(builder, a, b, either, c))
}

/// The carry of three digits, of which the first two have this exclusive disjunction.
fn carry(builder: &mut Builder, a: Edge, b: Edge, either: Edge, c: Edge) -> Edge {
    let both = builder.and(a, b);
    let passed = builder.and(either, c);
    builder.or(both, passed)
}
