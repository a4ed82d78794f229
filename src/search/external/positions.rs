//! Positions for external evaluation, in batches.

use std::ops::Range;

use crate::game::machine::expansion::legal::{Legal, LegalMoves};
use crate::game::machine::{RoleId, State};

/// Positions in which some role has a choice.
#[derive(Clone, Debug)]
pub struct Positions {
    states: Vec<State>,
    legal: LegalMoves,
}

/// A position in which some role has a choice.
#[derive(Clone, Copy, Debug)]
pub struct Position<'a> {
    /// The propositions that hold: bit `i % 64` of word `i / 64` is that of base proposition `i`.
    /// Words that are missing are 0.
    pub state: &'a State,
    /// The legal moves of each role, as numbers among the moves that the role has in the game. Learners
    /// number them for all roles by [`Actions`](crate::game::ground::Actions).
    pub legal: Legal<'a>,
}

impl Positions {
    /// None, of a game with this number of roles.
    pub(crate) fn new(roles: usize) -> Positions {
        Positions {
            states: Vec::new(),
            legal: LegalMoves::new(roles),
        }
    }

    pub(crate) fn push(&mut self, state: State, legal: Legal<'_>) {
        self.states.push(state);
        legal.each().for_each(|moves| self.legal.push(moves));
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The number of roles.
    pub fn roles(&self) -> usize {
        self.legal.roles()
    }

    /// The number of legal moves of all roles in all positions.
    pub fn moves(&self) -> usize {
        self.legal.moves()
    }

    /// One of the positions.
    pub fn get(&self, at: usize) -> Position<'_> {
        Position {
            state: &self.states[at],
            legal: self.legal.get(at),
        }
    }

    /// All of them.
    pub fn each(&self) -> impl Iterator<Item = Position<'_>> {
        (0..self.len()).map(|at| self.get(at))
    }

    /// Returns the places of the legal moves of a role in one of the positions among those of all, in the
    /// order of [`Legal::role`].
    pub fn places(&self, at: usize, role: RoleId) -> Range<usize> {
        self.legal.places(at, role)
    }
}

impl Position<'_> {
    /// The role that has a choice, unless several have.
    pub fn to_move(&self) -> Option<RoleId> {
        let mut choosing = (RoleId::first(self.legal.each().count()))
            .filter(|role| self.legal.role(*role).len() > 1);
        match (choosing.next(), choosing.next()) {
            (role, None) => role,
            _ => None,
        }
    }
}
