//! Constant recursive atoms: their values follow from constants, whatever the state is.

use rustc_hash::FxHashMap;

use super::database::AtomId;
use super::program::{Condition, RulesByHead};
use crate::propnet::{Gates, Wire};

/// A rule of an atom that depends on itself, by the places of atoms among those that depend on each other.
struct Body {
    head: usize,
    /// The conditions that are among these atoms.
    members: Vec<usize>,
    /// Whether all other conditions always hold.
    is_certain: bool,
}

/// Returns the values of the constants among atoms that depend on each other, given the wires of all others.
pub(super) fn constants(
    component: &[u32],
    rules: &RulesByHead,
    wire: impl Fn(Condition) -> Wire,
) -> Vec<Option<bool>> {
    let places = component.iter().copied().zip(0..);
    let places: FxHashMap<u32, usize> = places.collect();
    let mut bodies = Vec::new();
    for (head, &atom) in component.iter().enumerate() {
        'bodies: for conditions in rules.bodies(AtomId(atom)) {
            let mut body = Body {
                head,
                members: Vec::new(),
                is_certain: true,
            };
            for &condition in conditions {
                match places.get(&condition.atom().0) {
                    Some(&member) if !condition.is_negated() => body.members.push(member),
                    Some(_) => body.is_certain = false,
                    None if wire(condition) == Gates::constant(false) => continue 'bodies,
                    None => body.is_certain &= wire(condition) == Gates::constant(true),
                }
            }
            bodies.push(body);
        }
    }
    let may_hold = least(component.len(), &bodies, |_| true);
    let always_holds = least(component.len(), &bodies, |body| body.is_certain);
    let values = may_hold.into_iter().zip(always_holds);
    let constant = |(may_hold, always_holds)| match (may_hold, always_holds) {
        (_, true) => Some(true),
        (false, _) => Some(false),
        _ => None,
    };
    values.map(constant).collect()
}

/// Returns the atoms that follow by the rules for which `counts` holds: the least fixpoint.
fn least(atoms: usize, bodies: &[Body], counts: impl Fn(&Body) -> bool) -> Vec<bool> {
    let mut readers = vec![Vec::new(); atoms];
    let mut missing: Vec<usize> = Vec::with_capacity(bodies.len());
    let mut follows = vec![false; atoms];
    let mut open = Vec::new();
    let mut derive = |atom: usize, open: &mut Vec<usize>| {
        if !std::mem::replace(&mut follows[atom], true) {
            open.push(atom);
        }
    };
    for (number, body) in bodies.iter().enumerate() {
        missing.push(body.members.len());
        if counts(body) {
            body.members
                .iter()
                .for_each(|&member| readers[member].push(number));
            if body.members.is_empty() {
                derive(body.head, &mut open);
            }
        }
    }
    while let Some(atom) = open.pop() {
        for &number in &readers[atom] {
            missing[number] -= 1;
            if missing[number] == 0 {
                derive(bodies[number].head, &mut open);
            }
        }
    }
    follows
}
