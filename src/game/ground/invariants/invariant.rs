//! Invariants: facts about all reachable states.

use super::linear::Linear;
use crate::game::ground::literal::Literal;
use crate::game::vocabulary::state::State;

/// A fact about every state of every match.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Invariant {
    /// The literal always holds.
    Constant(Literal),
    /// The two literals are equivalent.
    Equivalent(Literal, Literal),
    /// Where the first literal holds, so does the second.
    Implies(Literal, Literal),
    /// Of these propositions, given ascending, exactly one is true.
    ExactlyOne(Vec<usize>),
    /// Of these propositions, given ascending, at most one is true.
    AtMostOne(Vec<usize>),
    /// A sum never changes.
    Linear(Linear),
}

impl Invariant {
    /// Returns whether it holds in a state.
    pub fn holds(&self, state: &State) -> bool {
        let count = |group: &[usize]| group.iter().filter(|&&base| state.contains(base)).count();
        match self {
            Invariant::Constant(literal) => literal.holds(state),
            Invariant::Equivalent(a, b) => a.holds(state) == b.holds(state),
            Invariant::Implies(a, b) => !a.holds(state) || b.holds(state),
            Invariant::ExactlyOne(group) => count(group) == 1,
            Invariant::AtMostOne(group) => count(group) <= 1,
            Invariant::Linear(linear) => linear.holds(state),
        }
    }

    /// Returns a weaker invariant that may hold where this one does not.
    pub(crate) fn weaker(self) -> Option<Invariant> {
        match self {
            Invariant::ExactlyOne(group) => Some(Invariant::AtMostOne(group)),
            _ => None,
        }
    }
}
