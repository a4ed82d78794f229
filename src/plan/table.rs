//! A table of the states that were seen, with the way to each.

use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::machine::Move;

/// Packed states without duplicates, numbered in the order in which they came.
#[derive(Debug)]
pub(super) struct StateTable {
    /// The number of words of a state.
    words: usize,
    states: Vec<u64>,
    /// For each state, the one before it and the move; of the root, nothing of sense.
    origins: Vec<(u32, Move)>,
    index: HashTable<u32>,
    /// How many states there may be.
    room: usize,
}

impl StateTable {
    /// A table with the root alone, in about so much memory, in bytes.
    pub(super) fn new(root: &[u64], memory: usize) -> StateTable {
        let words = root.len();
        // Vectors and tables have up to twice the room that they need.
        let each = 2 * (8 * words + size_of::<(u32, Move)>() + 8);
        let mut table = StateTable {
            words,
            states: Vec::new(),
            origins: Vec::new(),
            index: HashTable::new(),
            room: (memory / each).clamp(1, u32::MAX as usize),
        };
        table.insert(root, 0, Move(0));
        table
    }

    /// The number of states.
    pub(super) fn len(&self) -> usize {
        self.origins.len()
    }

    /// How many states there may be.
    pub(super) fn room(&self) -> usize {
        self.room
    }

    /// Whether there is no room for more states.
    pub(super) fn is_full(&self) -> bool {
        self.len() >= self.room
    }

    /// The words of the states from one to another.
    pub(super) fn states(&self, from: usize, to: usize) -> &[u64] {
        &self.states[from * self.words..to * self.words]
    }

    /// Adds a state that follows from one in the table, unless it is there.
    pub(super) fn insert(&mut self, state: &[u64], parent: usize, played: Move) {
        let (states, words) = (&self.states, self.words);
        let at = |&other: &u32| &states[other as usize * words..][..words];
        let is_same = |other: &u32| at(other) == state;
        let new = self.origins.len() as u32;
        let hash = hash_of(state);
        if self.index.find(hash, is_same).is_none() {
            self.index
                .insert_unique(hash, new, |other| hash_of(at(other)));
            self.states.extend_from_slice(state);
            self.origins.push((parent as u32, played));
        }
    }

    /// Forgets all states from `first` on but those that are given, ascending.
    pub(super) fn keep(&mut self, first: usize, kept: &[usize]) {
        for at in first..self.len() {
            let hash = hash_of(self.states(at, at + 1));
            let found = self.index.find_entry(hash, |&other| other as usize == at);
            found.expect("all states are in the index").remove();
        }
        for (to, &from) in (first..).zip(kept) {
            let words = from * self.words..(from + 1) * self.words;
            self.states.copy_within(words, to * self.words);
            self.origins[to] = self.origins[from];
        }
        let end = first + kept.len();
        self.states.truncate(end * self.words);
        self.origins.truncate(end);
        let (states, words) = (&self.states, self.words);
        let hash = |&at: &u32| hash_of(&states[at as usize * words..][..words]);
        for at in first as u32..end as u32 {
            self.index.insert_unique(hash(&at), at, hash);
        }
    }

    /// The moves that lead from the root to a state.
    pub(super) fn path(&self, mut at: usize) -> Vec<Move> {
        let mut moves = Vec::new();
        while at != 0 {
            let (parent, played) = self.origins[at];
            moves.push(played);
            at = parent as usize;
        }
        moves.reverse();
        moves
    }
}

fn hash_of(state: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    state.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_told_apart_and_the_way_to_each_is_kept() {
        let mut table = StateTable::new(&[0, 7], 1 << 20);
        for number in 1..100 {
            table.insert(&[number, 7], number as usize / 2, Move(number as u32 % 2));
            table.insert(&[number / 2, 7], 0, Move(9));
        }
        assert_eq!(table.len(), 100);
        assert_eq!(table.path(37), [1, 0, 0, 1, 0, 1].map(Move));
        table.keep(64, &[70, 75, 99]);
        assert_eq!(table.len(), 67);
        assert_eq!(table.states(65, 67), [75, 7, 99, 7]);
        assert_eq!(table.path(66), [1, 1, 0, 0, 0, 1, 1].map(Move));
        table.insert(&[99, 7], 0, Move(9));
        assert_eq!(table.len(), 67);
        table.insert(&[98, 7], 0, Move(9));
        assert_eq!(table.len(), 68);
    }
}
