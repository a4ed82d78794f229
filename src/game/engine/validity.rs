//! The states that an engine is right for.
//!
//! An engine that was made from a game's whole circuit is right for every state. One that
//! was made for the rest of a match ([`darkening`](super::darkening)) is right only for those
//! states that agree with what it took for granted, and so do all that follow from such a
//! state. So an engine goes with its [`Validity`], and whoever takes states in looks at that
//! first: it costs an operation or two for each word of the state.

use crate::game::vocabulary::state::State;

/// The states in which certain base propositions have certain values.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Validity {
    /// For each word of a state, the propositions whose value is given.
    given: Vec<u64>,
    /// Those of them that hold.
    holding: Vec<u64>,
}

impl Validity {
    /// All states.
    pub fn all() -> Validity {
        Validity::default()
    }

    /// The states in which the base propositions have the values given, in their order.
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

    /// Whether the state is one of them.
    pub fn contains(&self, state: &State) -> bool {
        self.contains_words(state.words())
    }

    /// Whether the state of these words is one of them.
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

    /// The number of propositions that have a given value.
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
