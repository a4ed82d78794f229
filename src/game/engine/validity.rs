//! Validity of engines: the states for which an engine is right.
//!
//! An engine that was made from a game's whole circuit is right for every state. One that
//! was made for the rest of a match ([`darkening`](super::darkening)) is right only for the states
//! that agree with its assumptions, as do all states that follow from such a state. So an engine
//! comes with its [`Validity`], which is checked whenever states are passed in: this costs an
//! operation or two for each word of the state.

use crate::game::vocabulary::state::State;

/// The states in which certain base propositions have certain values.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Validity {
    /// For each word of a state, the propositions with a given value.
    given: Vec<u64>,
    /// The given propositions that are true.
    holding: Vec<u64>,
}

impl Validity {
    /// Returns the set of all states.
    pub fn all() -> Validity {
        Validity::default()
    }

    /// Returns the states in which the base propositions have the given values, in their order.
    pub fn new(values: &[Option<bool>]) -> Validity {
        let pack = |bit: fn(&Option<bool>) -> bool| {
            let words = values.chunks(64).map(|chunk| {
                let bits = chunk.iter().enumerate();
                bits.fold(0, |word, (at, value)| word | u64::from(bit(value)) << at)
            });
            words.collect()
        };
        Validity {
            given: pack(Option::is_some),
            holding: pack(|value| *value == Some(true)),
        }
    }

    /// Returns whether the state is one of them.
    pub fn contains(&self, state: &State) -> bool {
        self.contains_words(state.words())
    }

    /// Returns whether the state of these words is one of them.
    fn contains_words(&self, words: &[u64]) -> bool {
        let words = words.iter().chain(std::iter::repeat(&0));
        let mut given = self.given.iter().zip(&self.holding).zip(words);
        given.all(|((given, holding), word)| word & given == *holding)
    }

    /// Asserts that the state of these words is one of them.
    ///
    /// # Panics
    /// If it is not.
    pub(crate) fn check(&self, words: &[u64]) {
        assert!(
            self.contains_words(words),
            "the engine was made for states after another one"
        );
    }

    /// Returns the number of propositions that have a given value.
    pub fn given(&self) -> usize {
        let ones = self.given.iter().map(|word| word.count_ones() as usize);
        ones.sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn contains_what_agrees(
            values in prop::collection::vec(prop::option::of(any::<bool>()), 0..200),
            others: Vec<bool>,
            flip: prop::sample::Index,
        ) {
            let validity = Validity::new(&values);
            let given: Vec<usize> = (0..values.len()).filter(|&i| values[i].is_some()).collect();
            prop_assert_eq!(validity.given(), given.len());
            let other = |i: usize| others.get(i).copied().unwrap_or(false);
            let state = |values: &[Option<bool>]| -> State {
                (0..values.len().max(others.len()))
                    .filter(|&i| values.get(i).copied().flatten().unwrap_or(other(i)))
                    .collect()
            };
            prop_assert!(validity.contains(&state(&values)));
            if !given.is_empty() {
                let at = given[flip.index(given.len())];
                let mut different = values.clone();
                different[at] = values[at].map(|value| !value);
                prop_assert!(!validity.contains(&state(&different)));
            }
        }
    }
}
