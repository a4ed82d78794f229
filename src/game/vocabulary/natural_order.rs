//! The natural order of ground terms, in which `(mark 2 1)` comes before `(mark 10 1)`.
//!
//! Terms are compared from left to right: the functors; if these are equal, the arguments one after
//! the other; a term with fewer arguments comes before one that goes on. A constant is a functor
//! without arguments.
//!
//! Names are compared so:
//!
//! - Integers, which are digits with or without a minus sign, come before all other names, ascending
//!   by value.
//! - Other names are split into runs of digits and runs of other characters, and compared run by run:
//!   digits by value and before other characters, other characters by their bytes. `b2` comes before
//!   `b10`, and capitals before small letters.
//! - Names that differ in leading zeros only are compared by their bytes.

use std::cmp::Ordering;

use propjit_gdl::term::{TermId, Terms};

/// Compares two terms. They are equal only if they are the same term.
pub(crate) fn compare(terms: &Terms, mut a: TermId, mut b: TermId) -> Ordering {
    // Equal terms have equal numbers, so only the first pair of different arguments has to be
    // entered, and terms of any depth need no stack.
    loop {
        if a == b {
            return Ordering::Equal;
        }
        let (functor_a, functor_b) = (terms.functor(a), terms.functor(b));
        if functor_a != functor_b {
            return compare_names(terms.name(functor_a), terms.name(functor_b));
        }
        let (args_a, args_b) = (terms.args(a), terms.args(b));
        let mut pairs = args_a.iter().zip(args_b);
        match pairs.find(|(a, b)| a != b) {
            Some((&of_a, &of_b)) => (a, b) = (of_a, of_b),
            None => return args_a.len().cmp(&args_b.len()),
        }
    }
}

/// Compares two names. They are equal only if they have the same bytes.
pub(crate) fn compare_names(a: &str, b: &str) -> Ordering {
    let natural = match (integer(a), integer(b)) {
        (Some(a), Some(b)) => compare_integers(a, b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => compare_runs(a.as_bytes(), b.as_bytes()),
    };
    natural.then_with(|| a.cmp(b))
}

/// Returns whether a name is a negative integer, and its digits; `None` if it is no integer.
fn integer(name: &str) -> Option<(bool, &[u8])> {
    let digits = name.strip_prefix('-').unwrap_or(name).as_bytes();
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    is_number.then_some((name.starts_with('-'), digits))
}

fn compare_integers(a: (bool, &[u8]), b: (bool, &[u8])) -> Ordering {
    match (a.0, b.0) {
        (false, false) => compare_digits(a.1, b.1),
        (true, true) => compare_digits(b.1, a.1),
        (is_negative, _) if is_negative => Ordering::Less,
        _ => Ordering::Greater,
    }
}

/// Compares numbers of any length by value.
fn compare_digits(a: &[u8], b: &[u8]) -> Ordering {
    let zeros = |digits: &[u8]| digits.iter().take_while(|&&digit| digit == b'0').count();
    let (a, b) = (&a[zeros(a)..], &b[zeros(b)..]);
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

fn compare_runs(a: &[u8], b: &[u8]) -> Ordering {
    let same_kind = |x: &u8, y: &u8| x.is_ascii_digit() == y.is_ascii_digit();
    let (mut a, mut b) = (a.chunk_by(same_kind), b.chunk_by(same_kind));
    loop {
        let order = match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(a), Some(b)) => match (a[0].is_ascii_digit(), b[0].is_ascii_digit()) {
                (true, true) => compare_digits(a, b),
                (true, false) => Ordering::Less,
                (false, true) => Ordering::Greater,
                (false, false) => a.cmp(b),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::vocabulary::terms::enter_term;

    #[test]
    fn numbers_compare_by_value_and_come_first() {
        let ascending = [
            "-10",
            "-2",
            "2",
            "010",
            "10",
            "99999999999999999999999",
            "(mark 2 1)",
            "(mark 2 1 1)",
            "(mark 2 3)",
            "(mark 10 1)",
            "(mark (cell 2) 1)",
            "(mark x 1)",
            "noop",
            "(noop 1)",
            "row2",
            "row2a",
            "row10",
        ];
        let mut terms = Terms::new();
        let entered = ascending.map(|text| enter_term(&mut terms, text).unwrap());
        let mut sorted = entered.to_vec();
        sorted.reverse();
        sorted.sort_by(|&a, &b| compare(&terms, a, b));
        let sorted: Vec<String> = sorted.iter().map(|&term| terms.text(term)).collect();
        assert_eq!(sorted, ascending);
    }

    #[test]
    fn depth_is_not_limited() {
        let mut terms = Terms::new();
        let nested = |inner| format!("{}{inner}{}", "(s ".repeat(100_000), ")".repeat(100_000));
        let [two, ten] = ["2", "10"].map(|inner| enter_term(&mut terms, &nested(inner)).unwrap());
        assert_eq!(compare(&terms, two, ten), Ordering::Less);
    }

    proptest! {
        /// Different names are never equal, and the order is one.
        #[test]
        fn names_are_totally_ordered(names in prop::collection::vec("-?[a0-2]{0,4}", 3)) {
            let compare = |a: usize, b: usize| compare_names(&names[a], &names[b]);
            prop_assert_eq!(compare(0, 1), compare(1, 0).reverse());
            prop_assert_eq!(compare(0, 1) == Ordering::Equal, names[0] == names[1]);
            if compare(0, 1) == compare(1, 2) {
                prop_assert_eq!(compare(0, 2), compare(0, 1));
            }
        }
    }
}
