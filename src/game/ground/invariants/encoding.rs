//! Encoding of invariants and literals as clauses.

use batsat::Lit;
use propjit_stop::Stop;

use super::Invariant;
use super::net::Net;
use super::step::{Scope, Step, When};
use super::sums;
use crate::game::ground::literal::Literal;

/// Creates a step from a state in which the invariants hold. A query ends after `conflicts`
/// conflicts, and all of them end when `stop` is set.
pub(crate) fn step_with<'a>(
    net: &'a Net<'a>,
    invariants: &[Invariant],
    scope: Scope,
    conflicts: u64,
    stop: &Stop,
) -> Step<'a> {
    let mut step = Step::new(net, scope, conflicts, stop);
    for invariant in invariants.iter().take_while(|_| !stop.is_set()) {
        assert(&mut step, invariant);
    }
    step
}

/// Requires an invariant to hold in the state in which moves are made.
fn assert(step: &mut Step, invariant: &Invariant) {
    match invariant {
        Invariant::Constant(literal) => {
            let lit = encoded(step, When::Now, *literal);
            step.clause(&[lit]);
        }
        Invariant::Equivalent(a, b) => {
            let (a, b) = (encoded(step, When::Now, *a), encoded(step, When::Now, *b));
            step.clause(&[!a, b]);
            step.clause(&[a, !b]);
        }
        Invariant::Implies(a, b) => {
            let (a, b) = (encoded(step, When::Now, *a), encoded(step, When::Now, *b));
            step.clause(&[!a, b]);
        }
        Invariant::ExactlyOne(group) => {
            let (two, one) = count(step, When::Now, group);
            step.clause(&[!two]);
            step.clause(&[one]);
        }
        Invariant::AtMostOne(group) => {
            let (two, _) = count(step, When::Now, group);
            step.clause(&[!two]);
        }
        // Fewer premises are sound: fewer cases are impossible.
        Invariant::Linear(linear) if !sums::is_small(linear) => {}
        Invariant::Linear(linear) => {
            let differs = sums::differs(step, linear);
            step.clause(&[!differs]);
        }
    }
}

/// Returns a literal that is true if an invariant, which holds in the state in which moves are
/// made, does not hold in the next one.
pub(crate) fn violated_next(step: &mut Step, invariant: &Invariant) -> Lit {
    match invariant {
        Invariant::Constant(literal) => !encoded(step, When::Next, *literal),
        Invariant::Equivalent(a, b) => {
            let (a, b) = (encoded(step, When::Next, *a), encoded(step, When::Next, *b));
            let (only_a, only_b) = (step.and(a, !b), step.and(!a, b));
            !step.and(!only_a, !only_b)
        }
        Invariant::Implies(a, b) => {
            let (a, b) = (encoded(step, When::Next, *a), encoded(step, When::Next, *b));
            step.and(a, !b)
        }
        Invariant::ExactlyOne(group) => {
            let (two, one) = count(step, When::Next, group);
            !step.and(!two, one)
        }
        Invariant::AtMostOne(group) => count(step, When::Next, group).0,
        Invariant::Linear(linear) => sums::changes(step, linear),
    }
}

/// Returns the solver's literal for a literal in one of the two states.
pub(crate) fn encoded(step: &mut Step, when: When, literal: Literal) -> Lit {
    step.base(when, literal.proposition) ^ !literal.value
}

/// Returns whether two or more of the group are true, and whether one or more are.
fn count(step: &mut Step, when: When, group: &[usize]) -> (Lit, Lit) {
    let none = !step.truth();
    let (mut two, mut one) = (none, none);
    for &base in group {
        let lit = step.base(when, base);
        let second = step.and(one, lit);
        two = !step.and(!two, !second);
        one = !step.and(!one, !lit);
    }
    (two, one)
}
