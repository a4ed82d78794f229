//! Detection of hexagonal boards, by the diagonals in the rules.
//!
//! A relation that defines which places are neighbours has rules that step along each of two
//! coordinates. On a square board, it steps along both diagonals, too, or along none; on a hexagonal
//! one, where places have six neighbours, along one of them.

use std::collections::BTreeMap;

use propjit_gdl::rules::{Atom, Literal, Pattern, RelationId, Rules};
use rustc_hash::FxHashSet;

use super::layout::Slant;
use super::order::Orders;

/// The kinds of steps found in the rules of a relation between places.
#[derive(Default)]
struct Steps {
    straight: usize,
    rises: bool,
    falls: bool,
}

/// Returns the only diagonal that the steps of some relation go along, if there is one.
pub(super) fn slant(rules: &Rules, orders: &Orders<'_>) -> Option<Slant> {
    let successors = orders.successors();
    let mut relations: BTreeMap<RelationId, Steps> = BTreeMap::new();
    for rule in &rules.rules {
        let found = relations.entry(rule.head.relation).or_default();
        let steps = rule.body.iter().filter_map(|literal| match literal {
            Literal::Positive(atom) if is_step(atom, &successors) => Some(&atom.args[..]),
            _ => None,
        });
        let places = neighbours(&rule.head);
        let has = |[a, b]: [&Pattern; 2]| places.contains(&[a, b]);
        let has_both = |[a, b]: [&Pattern; 2], [c, d]: [&Pattern; 2]| {
            has([a, b]) && has([c, d]) || has([b, a]) && has([d, c])
        };
        match steps.collect::<Vec<_>>()[..] {
            [_] if places.len() > 2 => found.straight += 1,
            [[a, b], [c, d]] => {
                found.rises |= has_both([a, c], [b, d]);
                found.falls |= has_both([a, d], [b, c]);
            }
            _ => {}
        }
    }
    let slants = relations.values().filter(|steps| steps.straight > 1);
    let mut slants = slants.filter_map(|steps| match (steps.rises, steps.falls) {
        (true, false) => Some(Slant::Rising),
        (false, true) => Some(Slant::Falling),
        _ => None,
    });
    slants.next()
}

/// Returns whether the atom says that one variable follows another.
fn is_step(atom: &Atom, successors: &FxHashSet<RelationId>) -> bool {
    let is_variable = |pattern: &Pattern| matches!(pattern, Pattern::Var(_));
    successors.contains(&atom.relation) && atom.args.iter().all(is_variable)
}

/// Returns all pairs of adjacent arguments in an atom.
fn neighbours(atom: &Atom) -> Vec<[&Pattern; 2]> {
    let mut leaves = Vec::new();
    atom.args.iter().for_each(|arg| collect(arg, &mut leaves));
    leaves.windows(2).map(|pair| [pair[0], pair[1]]).collect()
}

/// Collects the variables and ground terms in a pattern. It is nested at most
/// [`MAX_PATTERN_DEPTH`](propjit_gdl::rules::MAX_PATTERN_DEPTH) deep.
fn collect<'a>(pattern: &'a Pattern, leaves: &mut Vec<&'a Pattern>) {
    match pattern {
        Pattern::Compound(_, args) => args.iter().for_each(|arg| collect(arg, leaves)),
        leaf => leaves.push(leaf),
    }
}
