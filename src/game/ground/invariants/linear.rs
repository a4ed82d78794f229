//! Linear invariants: weighted sums that are the same in all states.

use crate::game::ground::counter::Counter;
use crate::game::vocabulary::state::State;

/// A sum that is the same in all states.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Linear {
    /// The counters of the sum, with their factors.
    pub terms: Vec<(i64, Counter)>,
    /// The value of the sum.
    pub constant: i64,
}

impl Linear {
    /// Returns whether the sum has its constant value.
    pub fn holds(&self, state: &State) -> bool {
        self.holds_where(|base| state.contains(base))
    }

    /// Returns the same where the propositions that satisfy `holds` are true.
    pub(crate) fn holds_where(&self, holds: impl Fn(usize) -> bool) -> bool {
        let terms = self.terms.iter();
        let sum: i64 = terms
            .map(|(weight, counter)| weight * counter.value_where(&holds) as i64)
            .sum();
        sum == self.constant
    }
}
