//! Linear invariants: weighted sums that are the same in all states.

use crate::game::ground::counter::Counter;
use crate::game::vocabulary::state::State;

/// A sum that is the same in all states.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Linear {
    /// What is added, and by what it is multiplied before.
    pub terms: Vec<(i64, Counter)>,
    /// What the sum is.
    pub constant: i64,
}

impl Linear {
    /// Whether the sum is what it should be.
    pub fn holds(&self, state: &State) -> bool {
        self.holds_where(|base| state.contains(base))
    }

    /// The same where those propositions are true of which that is said.
    pub(crate) fn holds_where(&self, holds: impl Fn(usize) -> bool) -> bool {
        let terms = self.terms.iter();
        let sum: i64 = terms
            .map(|(weight, counter)| weight * counter.value_where(&holds) as i64)
            .sum();
        sum == self.constant
    }
}
