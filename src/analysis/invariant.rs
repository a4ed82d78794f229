//! What holds in all states that a match can come to.

use batsat::Lit;

use super::Literal;
use super::step::{Step, When};
use crate::machine::State;

/// A fact about every state of every match.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Invariant {
    /// The literal always holds.
    Constant(Literal),
    /// The two literals hold together or not at all.
    Equivalent(Literal, Literal),
    /// Of these propositions, given ascending, exactly one is true.
    ExactlyOne(Vec<usize>),
    /// Of these propositions, given ascending, one at most is true.
    AtMostOne(Vec<usize>),
}

impl Invariant {
    /// Whether it holds in a state.
    pub fn holds(&self, state: &State) -> bool {
        let count = |group: &[usize]| group.iter().filter(|&&base| state.contains(base)).count();
        match self {
            Invariant::Constant(literal) => literal.holds(state),
            Invariant::Equivalent(a, b) => a.holds(state) == b.holds(state),
            Invariant::ExactlyOne(group) => count(group) == 1,
            Invariant::AtMostOne(group) => count(group) <= 1,
        }
    }

    /// What may be true though this is not.
    pub(super) fn weaker(self) -> Option<Invariant> {
        match self {
            Invariant::ExactlyOne(group) => Some(Invariant::AtMostOne(group)),
            _ => None,
        }
    }

    /// Requires it to hold in the state in which moves are made.
    pub(super) fn assert(&self, step: &mut Step) {
        match self {
            Invariant::Constant(literal) => {
                let lit = of(step, When::Now, *literal);
                step.clause(&[lit]);
            }
            Invariant::Equivalent(a, b) => {
                let (a, b) = (of(step, When::Now, *a), of(step, When::Now, *b));
                step.clause(&[!a, b]);
                step.clause(&[a, !b]);
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
        }
    }

    /// A literal that is true if it does not hold in the next state.
    pub(super) fn violated_next(&self, step: &mut Step) -> Lit {
        match self {
            Invariant::Constant(literal) => !of(step, When::Next, *literal),
            Invariant::Equivalent(a, b) => {
                let (a, b) = (of(step, When::Next, *a), of(step, When::Next, *b));
                let (only_a, only_b) = (step.and(a, !b), step.and(!a, b));
                !step.and(!only_a, !only_b)
            }
            Invariant::ExactlyOne(group) => {
                let (two, one) = count(step, When::Next, group);
                !step.and(!two, one)
            }
            Invariant::AtMostOne(group) => count(step, When::Next, group).0,
        }
    }
}

/// The solver's literal of a literal.
pub(super) fn of(step: &mut Step, when: When, literal: Literal) -> Lit {
    step.base(when, literal.proposition) ^ !literal.value
}

/// Whether two or more of the group are true, and whether one or more are.
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
