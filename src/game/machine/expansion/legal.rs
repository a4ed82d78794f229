//! Packed legal moves of many states.

use std::ops::Range;

use crate::game::machine::{Move, RoleId};

/// The legal moves of all roles in several states, packed.
#[derive(Clone, Debug)]
pub struct LegalMoves {
    roles: usize,
    moves: Vec<Move>,
    /// The ends of the moves of each state and role, after a zero.
    ends: Vec<usize>,
}

/// The legal moves of all roles in a state.
#[derive(Clone, Copy, Debug)]
pub struct Legal<'a> {
    moves: &'a [Move],
    /// The start of the moves of the first role, and the ends of those of each role.
    ends: &'a [usize],
}

impl LegalMoves {
    /// The legal moves of no state, for a game with this number of roles.
    pub fn new(roles: usize) -> LegalMoves {
        LegalMoves {
            roles,
            moves: Vec::new(),
            ends: vec![0],
        }
    }

    /// Removes all states.
    pub(super) fn clear(&mut self) {
        self.moves.clear();
        self.ends.truncate(1);
    }

    /// Adds the moves of the next role, or of the first role in the next state.
    pub fn push(&mut self, moves: &[Move]) {
        self.moves.extend_from_slice(moves);
        self.ends.push(self.moves.len());
    }

    /// Adds the moves of several states. Each comes with its state and role; the moves of each state
    /// and role are in their order.
    pub fn sort(&mut self, states: usize, found: &[(usize, RoleId, Move)]) {
        let before = self.ends.len();
        self.ends.resize(before + states * self.roles, 0);
        let places = &mut self.ends[before..];
        let place = |state: usize, role: RoleId| state * self.roles + role.index();
        for &(state, role, _) in found {
            places[place(state, role)] += 1;
        }
        let mut start = self.moves.len();
        for place in places.iter_mut() {
            start += std::mem::replace(place, start);
        }
        self.moves.resize(start, Move(0));
        // The start of the moves of a state and role becomes their end.
        for &(state, role, played) in found {
            let end = &mut places[place(state, role)];
            self.moves[*end] = played;
            *end += 1;
        }
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        (self.ends.len() - 1) / self.roles
    }

    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of moves.
    pub fn moves(&self) -> usize {
        self.moves.len()
    }

    /// The number of roles.
    pub fn roles(&self) -> usize {
        self.roles
    }

    /// The legal moves of one of the states.
    pub fn get(&self, at: usize) -> Legal<'_> {
        Legal {
            moves: &self.moves,
            ends: &self.ends[at * self.roles..][..self.roles + 1],
        }
    }

    /// Returns the places of the legal moves of a role in one of the states among those of all.
    pub fn places(&self, at: usize, role: RoleId) -> Range<usize> {
        let place = at * self.roles + role.index();
        self.ends[place]..self.ends[place + 1]
    }
}

impl<'a> Legal<'a> {
    /// The moves of a role.
    pub fn role(self, role: RoleId) -> &'a [Move] {
        &self.moves[self.ends[role.index()]..self.ends[role.index() + 1]]
    }

    /// The moves of each role.
    pub fn each(self) -> impl Iterator<Item = &'a [Move]> {
        let ends = self.ends.windows(2);
        ends.map(move |ends| &self.moves[ends[0]..ends[1]])
    }

    /// Adds a joint move for each move of the role that decides alone, one after the other;
    /// nothing if several do, or if a role has no move.
    pub fn add_decisions(self, joints: &mut Vec<Move>) {
        let mut deciders = self.each().filter(|moves| moves.len() > 1);
        let (Some(moves), None) = (deciders.next(), deciders.next()) else {
            return;
        };
        if self.each().any(<[Move]>::is_empty) {
            return;
        }
        for place in 0..moves.len() {
            joints.extend(self.each().map(|moves| moves[place.min(moves.len() - 1)]));
        }
    }
}
