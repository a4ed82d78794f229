//! States of a game, as sets of proposition numbers.
//!
//! Each backend numbers its propositions; a state is the set of those that hold, one bit each.
//! The circuit backends know all of them beforehand; the prover numbers them as it meets them.
//! So that sets of different lengths compare and hash alike, the last word is never zero; where all
//! states of a game are kept side by side, they are [packed](State::packed) into equally many words.

use serde::Serialize;

/// A set of proposition numbers, one bit each.
///
/// Proposition `i` is bit `i % 64` of word `i / 64`. Equal sets are equal values
/// with equal hashes, however they were computed.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct State {
    /// The words, without zero words at the end.
    words: Vec<u64>,
}

impl State {
    /// Creates the empty set.
    pub fn new() -> State {
        State::default()
    }

    /// Creates the set from words of any length.
    pub fn from_words(words: &[u64]) -> State {
        let mut state = State::new();
        state.assign(words);
        state
    }

    /// Returns whether the proposition holds.
    pub fn contains(&self, proposition: usize) -> bool {
        let word = self.words.get(proposition / 64).copied().unwrap_or(0);
        word >> (proposition % 64) & 1 == 1
    }

    /// Adds the proposition.
    pub fn insert(&mut self, proposition: usize) {
        let word = proposition / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (proposition % 64);
    }

    /// Clears the state; keeps the memory for reuse.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// Takes the set from words of any length; reuses the memory.
    pub fn assign(&mut self, words: &[u64]) {
        self.assign_from(words.iter().copied());
    }

    /// Does the same as [`assign`](State::assign) from an iterator of words.
    pub fn assign_from(&mut self, words: impl Iterator<Item = u64>) {
        self.words.clear();
        self.words.extend(words);
        self.trim();
    }

    /// Overwrites selected words.
    pub(crate) fn replace(&mut self, words: impl Iterator<Item = (usize, u64)>) {
        for (at, word) in words {
            if self.words.len() <= at {
                self.words.resize(at + 1, 0);
            }
            self.words[at] = word;
        }
        self.trim();
    }

    /// Removes zero words at the end.
    fn trim(&mut self) {
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }

    /// Returns the words of the set without zero words at the end.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns the words of the set, packed: exactly `words` of them, with zeros at the end.
    ///
    /// # Panics
    /// If the set has more words.
    pub fn packed(&self, words: usize) -> Vec<u64> {
        let mut packed = Vec::with_capacity(words);
        self.pack(words, &mut packed);
        packed
    }

    /// Adds the words of the set to others: as [`packed`](State::packed).
    ///
    /// # Panics
    /// If the set has more words.
    pub fn pack(&self, words: usize, packed: &mut Vec<u64>) {
        assert!(self.words.len() <= words, "a state of {words} words");
        packed.extend_from_slice(&self.words);
        packed.resize(packed.len() + words - self.words.len(), 0);
    }

    /// Returns the number of propositions that hold.
    pub fn len(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// Returns whether no proposition holds.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns the numbers of the propositions that hold, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        ones(self.words.iter().copied())
    }
}

impl FromIterator<usize> for State {
    fn from_iter<I: IntoIterator<Item = usize>>(propositions: I) -> State {
        let mut state = State::new();
        propositions.into_iter().for_each(|i| state.insert(i));
        state
    }
}

/// Returns the numbers of the bits that are set, ascending; bit `i` of word `w` is `64 * w + i`.
pub(crate) fn ones(words: impl Iterator<Item = u64>) -> impl Iterator<Item = usize> {
    struct Ones<I> {
        words: I,
        /// The bits of the current word that are still to come.
        word: u64,
        /// The number of the next word's first bit.
        next: usize,
    }
    impl<I: Iterator<Item = u64>> Iterator for Ones<I> {
        type Item = usize;
        fn next(&mut self) -> Option<usize> {
            while self.word == 0 {
                self.word = self.words.next()?;
                self.next += 64;
            }
            let bit = self.word.trailing_zeros() as usize;
            self.word &= self.word - 1;
            Some(self.next - 64 + bit)
        }
        // Word by word, which takes a third of the time of bit by bit.
        fn fold<B, F: FnMut(B, usize) -> B>(self, init: B, mut f: F) -> B {
            let word = |folded: B, first: usize, mut word: u64, f: &mut F| {
                let mut folded = folded;
                while word != 0 {
                    folded = f(folded, first + word.trailing_zeros() as usize);
                    word &= word - 1;
                }
                folded
            };
            let mut first = self.next;
            let mut folded = word(init, first.wrapping_sub(64), self.word, &mut f);
            for bits in self.words {
                folded = word(folded, first, bits, &mut f);
                first += 64;
            }
            folded
        }
    }
    Ones {
        words,
        word: 0,
        next: 0,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::hash::{DefaultHasher, Hash, Hasher};

    use proptest::prelude::*;

    use super::*;

    fn hash(state: &State) -> u64 {
        let mut hasher = DefaultHasher::new();
        state.hash(&mut hasher);
        hasher.finish()
    }

    proptest! {
        #[test]
        fn is_the_set_of_its_numbers(numbers in prop::collection::btree_set(0usize..400, 0..50)) {
            let state: State = numbers.iter().copied().collect();
            prop_assert_eq!(state.iter().collect::<BTreeSet<_>>(), numbers.clone());
            prop_assert_eq!(state.len(), numbers.len());
            prop_assert!((0..500).all(|i| state.contains(i) == numbers.contains(&i)));

            let padded = state.packed(state.words().len() + 2);
            let mut assigned: State = [1000].into_iter().collect();
            assigned.assign(&padded);
            prop_assert_eq!(hash(&assigned), hash(&state));
            prop_assert_eq!(assigned, state);
        }
    }
}
