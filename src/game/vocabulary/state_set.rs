//! Sets of packed states, numbered in order of insertion.

use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// Packed states without duplicates. The number of a state is its position in the order of
/// insertion.
#[derive(Debug)]
pub(crate) struct StateSet {
    /// The number of words of a state.
    words: usize,
    states: Vec<u64>,
    len: usize,
    index: HashTable<u32>,
}

impl StateSet {
    /// Creates an empty set of states with this number of words.
    pub(crate) fn new(words: usize) -> StateSet {
        StateSet {
            words,
            states: Vec::new(),
            len: 0,
            index: HashTable::new(),
        }
    }

    /// Returns the approximate memory of a state, in bytes. Vectors and tables have up to twice the
    /// capacity that they need.
    pub(crate) fn bytes_a_state(words: usize) -> usize {
        2 * (8 * words + 8)
    }

    /// Returns the number of states.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the words of the states in a range of numbers.
    pub(crate) fn states(&self, from: usize, to: usize) -> &[u64] {
        &self.states[from * self.words..to * self.words]
    }

    /// Reserves memory for one more state. Returns whether that succeeded.
    pub(crate) fn make_room(&mut self) -> bool {
        let (states, words) = (&self.states, self.words);
        let hash = |&at: &u32| hash_of(&states[at as usize * words..][..words]);
        self.index.try_reserve(1, hash).is_ok() && self.states.try_reserve(words).is_ok()
    }

    /// Adds a state unless it is present. Returns its number, and whether it is new.
    pub(crate) fn insert(&mut self, state: &[u64]) -> (u32, bool) {
        let (states, words) = (&self.states, self.words);
        let at = |&other: &u32| &states[other as usize * words..][..words];
        let hash = hash_of(state);
        if let Some(&known) = self.index.find(hash, |other| at(other) == state) {
            return (known, false);
        }
        let new = self.len as u32;
        self.index
            .insert_unique(hash, new, |other| hash_of(at(other)));
        self.states.extend_from_slice(state);
        self.len += 1;
        (new, true)
    }

    /// Returns the number of a state, if it is present; zero words at its end may be missing.
    pub(crate) fn find(&self, state: &[u64]) -> Option<usize> {
        if state.len() < self.words {
            let padded = [state, &vec![0; self.words - state.len()]].concat();
            return self.find(&padded);
        }
        let is_it = |&at: &u32| self.states(at as usize, at as usize + 1) == state;
        let found = self.index.find(hash_of(state), is_it);
        found.map(|&at| at as usize)
    }

    /// Removes all states from `first` on except the given ones, which are ascending.
    pub(crate) fn keep(&mut self, first: usize, kept: &[usize]) {
        for at in first..self.len {
            let hash = hash_of(self.states(at, at + 1));
            let found = self.index.find_entry(hash, |&other| other as usize == at);
            found.expect("all states are in the index").remove();
        }
        for (to, &from) in (first..).zip(kept) {
            let words = from * self.words..(from + 1) * self.words;
            self.states.copy_within(words, to * self.words);
        }
        self.len = first + kept.len();
        self.states.truncate(self.len * self.words);
        let (states, words) = (&self.states, self.words);
        let hash = |&at: &u32| hash_of(&states[at as usize * words..][..words]);
        for at in first as u32..self.len as u32 {
            self.index.insert_unique(hash(&at), at, hash);
        }
    }
}

fn hash_of(state: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    state.hash(&mut hasher);
    hasher.finish()
}
