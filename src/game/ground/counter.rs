//! Counters: numbers that are read off a state.

use serde::Serialize;

use crate::game::vocabulary::state::State;

/// A number that is read off a state.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub enum Counter {
    /// How many of these propositions hold.
    Count(Vec<usize>),
    /// The position, from 1 on, of the last of these propositions that holds; 0 if none does. It is
    /// usually the only one.
    Choice(Vec<usize>),
}

impl Counter {
    /// Returns the propositions.
    pub fn propositions(&self) -> &[usize] {
        match self {
            Counter::Count(bases) | Counter::Choice(bases) => bases,
        }
    }

    /// Returns lists of propositions: the value is the number of lists in which at least one holds.
    pub fn terms(&self) -> impl Iterator<Item = &[usize]> {
        let bases = self.propositions();
        let is_choice = matches!(self, Counter::Choice(_));
        (0..bases.len()).map(move |place| match is_choice {
            true => &bases[place..],
            false => &bases[place..=place],
        })
    }

    /// Returns the greatest value.
    pub fn most(&self) -> usize {
        self.propositions().len()
    }

    /// Returns the value in a state.
    pub fn value(&self, state: &State) -> usize {
        self.value_where(|base| state.contains(base))
    }

    /// Returns the value where the propositions that satisfy `holds` are true.
    pub(crate) fn value_where(&self, holds: impl Fn(usize) -> bool) -> usize {
        match self {
            Counter::Count(bases) => bases.iter().filter(|&&base| holds(base)).count(),
            Counter::Choice(bases) => {
                let last = bases.iter().rposition(|&base| holds(base));
                last.map_or(0, |place| place + 1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_terms_agree_with_the_value() {
        let order = vec![3, 0, 2, 4, 1];
        for counter in [Counter::Count(order.clone()), Counter::Choice(order)] {
            for bits in 0..32u32 {
                let state: State = (0..5).filter(|at| bits >> at & 1 == 1).collect();
                let holds = |term: &&[usize]| term.iter().any(|&base| state.contains(base));
                let terms = counter.terms().filter(holds).count();
                assert_eq!(terms, counter.value(&state), "{counter:?} {state:?}");
            }
        }
    }
}
