//! Successors of decisions.
//!
//! If no role has a choice, the only legal moves are played at once, until some role has a choice or the
//! match is over. So noops and forced moves are not part of a search.

use std::ops::Range;

use super::legal::{Legal, LegalMoves};
use crate::game::machine::{Move, RoleId, State};

/// The roles that decide in a state.
#[derive(Clone, PartialEq, Debug)]
pub enum Turn {
    /// No role decides: the match is over. Each role has this goal; none if it has not exactly one, which
    /// [counts](crate::proof::unproved) as 0.
    Over(Box<[Option<i32>]>),
    /// No role decides: the match is not over, but cannot go on, as some role has no legal move. That
    /// counts as 0.
    Stuck,
    /// No role decides: there are only forced moves, and they reach the step limit. The outcome is not
    /// known.
    Cut,
    /// One role, which has several moves; the others have one each.
    One(RoleId),
    /// Several roles have several moves each, and choose without seeing each other's choice.
    Several,
}

impl Turn {
    /// Returns whether no role decides, and the match does not continue.
    pub fn is_end(&self) -> bool {
        matches!(self, Turn::Over(_) | Turn::Stuck | Turn::Cut)
    }

    /// Returns the goal with which a match counts for a role if it does not continue; a match that takes
    /// too long is worth nothing.
    pub fn counted_goal(&self, role: RoleId) -> f32 {
        match self {
            Turn::Over(goals) => goals[role.index()].unwrap_or(0) as f32,
            _ => 0.0,
        }
    }

    /// Returns the role that decides, or the first one of the game if several do; none if the match is
    /// over.
    pub fn first(&self) -> Option<RoleId> {
        match self {
            Turn::Over(_) | Turn::Stuck | Turn::Cut => None,
            Turn::One(role) => Some(*role),
            Turn::Several => Some(RoleId(0)),
        }
    }
}

/// The properties of a state as a node of a search: its distance from the start, and the roles that decide.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeInfo {
    /// The number of joint moves that were made since the start of the match.
    pub depth: u32,
    /// The roles that decide then.
    pub turn: Turn,
}

/// A state that a decision leads to.
#[derive(Clone, PartialEq, Debug)]
pub struct Successor {
    /// The state.
    pub state: State,
    /// The distance of the state from the start, and the roles that decide.
    pub info: NodeInfo,
}

/// Many [`Successor`]s, with their states packed.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Successors {
    /// The states, of equal length each, one after the other.
    states: Vec<u64>,
    /// One for each state.
    infos: Vec<NodeInfo>,
}

/// Some consecutive ones of the [`Successors`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Siblings<'a> {
    states: &'a [u64],
    /// The depth of each, and the roles that decide then.
    pub infos: &'a [NodeInfo],
}

/// The moves in several states, and where they lead to.
#[derive(Clone, Debug)]
pub struct Expansions {
    legal: LegalMoves,
    successors: Successors,
    /// The ends of the successors of each state.
    ends: Vec<usize>,
}

/// The moves in a state, and where they lead to.
#[derive(Clone, Copy, Debug)]
pub struct Expansion<'a> {
    /// The legal moves of each role.
    pub legal: Legal<'a>,
    /// The successor for each move of the role that decides; none if several decide.
    pub successors: Siblings<'a>,
}

impl Successors {
    /// Returns an empty list, with room for `count` successors with states of `words` words each.
    pub fn with_room(count: usize, words: usize) -> Successors {
        Successors {
            states: Vec::with_capacity(count * words),
            infos: Vec::with_capacity(count),
        }
    }

    /// Adds some, with their states of equal length one after the other.
    pub fn extend(&mut self, states: &[u64], infos: impl IntoIterator<Item = NodeInfo>) {
        self.extend_with(|packed| packed.extend_from_slice(states), infos);
    }

    /// Adds some, with states of equal length that are added one after the other.
    pub fn extend_with(
        &mut self,
        add_states: impl FnOnce(&mut Vec<u64>),
        infos: impl IntoIterator<Item = NodeInfo>,
    ) {
        add_states(&mut self.states);
        self.infos.extend(infos);
    }

    /// All of them.
    pub fn all(&self) -> Siblings<'_> {
        self.siblings(0..self.infos.len())
    }

    /// Those at these places.
    pub fn siblings(&self, places: Range<usize>) -> Siblings<'_> {
        let words = self.states.len().checked_div(self.infos.len());
        let words = words.unwrap_or(0);
        Siblings {
            states: &self.states[words * places.start..words * places.end],
            infos: &self.infos[places],
        }
    }
}

impl FromIterator<Successor> for Successors {
    fn from_iter<I: IntoIterator<Item = Successor>>(successors: I) -> Successors {
        let successors: Vec<Successor> = successors.into_iter().collect();
        let lengths = successors.iter().map(|found| found.state.words().len());
        let words = lengths.max().unwrap_or(0);
        let mut packed = Successors::default();
        for Successor { state, info } in successors {
            packed.extend(state.words(), [info]);
            packed.states.resize(packed.infos.len() * words, 0);
        }
        packed
    }
}

impl<'a> Siblings<'a> {
    /// The number of words of each state.
    pub fn words(self) -> usize {
        let words = self.states.len().checked_div(self.infos.len());
        words.unwrap_or(0)
    }

    /// The words of a state.
    pub fn state(self, at: usize) -> &'a [u64] {
        &self.states[at * self.words()..][..self.words()]
    }

    /// A state by itself.
    pub fn to_state(self, at: usize) -> State {
        State::from_words(self.state(at))
    }

    /// One after the other.
    pub fn each(self) -> impl Iterator<Item = Successor> {
        let infos = self.infos.iter().cloned().enumerate();
        infos.map(move |(at, info)| Successor {
            state: self.to_state(at),
            info,
        })
    }
}

impl Expansions {
    /// Makes expansions from the legal moves of each state, the successors of all states together, and the
    /// places where those of each state end. States with incomplete successors are left out.
    pub fn new(legal: LegalMoves, successors: Successors, mut ends: Vec<usize>) -> Expansions {
        ends.truncate(ends.partition_point(|&end| end <= successors.infos.len()));
        Expansions {
            legal,
            successors,
            ends,
        }
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The expansion of one of the states.
    pub fn get(&self, at: usize) -> Expansion<'_> {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        Expansion {
            legal: self.legal.get(at),
            successors: self.successors.siblings(start..self.ends[at]),
        }
    }
}

/// A joint move in a state.
#[derive(Clone, Copy, Debug)]
pub struct Transition<'a> {
    /// The state.
    pub state: &'a State,
    /// The number of joint moves that were made before it.
    pub depth: u32,
    /// A legal move for each role.
    pub joint: &'a [Move],
}
