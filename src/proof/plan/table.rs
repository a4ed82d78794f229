//! Visited states, with the way to each.

use crate::game::machine::Move;
use crate::game::vocabulary::state_set::StateSet;

/// Packed states without duplicates, numbered in the order in which they came.
#[derive(Debug)]
pub(super) struct StateTable {
    states: StateSet,
    /// For each state, the one before it and the move; of the root, nothing of sense.
    origins: Vec<(u32, Move)>,
    /// How many states there may be.
    room: usize,
}

impl StateTable {
    /// Returns a table with the root alone, within about `memory` bytes.
    pub(super) fn new(root: &[u64], memory: usize) -> StateTable {
        let words = root.len();
        let each = StateSet::bytes_a_state(words) + 2 * size_of::<(u32, Move)>();
        let mut table = StateTable {
            states: StateSet::new(words),
            origins: Vec::new(),
            room: (memory / each).clamp(1, u32::MAX as usize),
        };
        table.insert(root, 0, Move(0));
        table
    }

    /// The number of states.
    pub(super) fn len(&self) -> usize {
        self.states.len()
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
        self.states.states(from, to)
    }

    /// Adds a state that follows from one in the table, unless it is there, or the system gives no memory for it: then
    /// there is no room for more.
    pub(super) fn insert(&mut self, state: &[u64], parent: usize, played: Move) {
        if !self.states.make_room() || self.origins.try_reserve(1).is_err() {
            self.room = self.len().max(1);
            return;
        }
        if let (_, true) = self.states.insert(state) {
            self.origins.push((parent as u32, played));
        }
    }

    /// Forgets all states from `first` on but those that are given, ascending.
    pub(super) fn keep(&mut self, first: usize, kept: &[usize]) {
        self.states.keep(first, kept);
        for (to, &from) in (first..).zip(kept) {
            self.origins[to] = self.origins[from];
        }
        self.origins.truncate(self.len());
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
