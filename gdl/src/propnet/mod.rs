//! Propositional networks: games as named ports on a pure Boolean network.

mod dot;
mod gates;

use std::fmt;
use std::ops::Range;

use crate::term::{TermId, Terms};

pub(crate) use gates::Gates;
pub use gates::{Gate, GateId, Wire};

/// A base proposition: one bit of the state.
#[derive(Clone, Copy, Debug)]
pub struct Base {
    /// The fluent, such as `(cell 1 1 b)`.
    pub name: TermId,
    /// Whether the proposition holds in the initial state.
    pub initial: bool,
    /// The wire that says whether the proposition holds in the next state.
    pub next: Wire,
}

/// A move of one role.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// The move, such as `(mark 1 1)`.
    pub name: TermId,
    /// The wire that says whether the move is legal.
    pub legal: Wire,
}

/// A goal value of one role.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    /// The value, usually from 0 to 100.
    pub value: i32,
    /// The wire that says whether the state has this value for the role.
    pub wire: Wire,
}

/// Something that a role may perceive.
#[derive(Clone, Copy, Debug)]
pub struct Percept {
    /// The percept, such as `(card ace)`.
    pub name: TermId,
    /// The wire that says whether the role perceives it after a joint move, together with the next state.
    pub wire: Wire,
}

/// A role with its moves, goals and percepts.
#[derive(Clone, Debug)]
pub struct Role {
    /// The role's name.
    pub name: TermId,
    /// Every move that may become legal, in the order of discovery.
    pub moves: Vec<Move>,
    /// Every goal value that may be reached, ascending.
    pub goals: Vec<Goal>,
    /// Everything that the role may perceive by `sees` rules, in the order of discovery.
    pub percepts: Vec<Percept>,
}

/// A ground game: ports on gates. Gates may depend on each other in circles;
/// [`Propnet::components`] gives them in evaluation order with each circle as
/// one component, whose meaning is its least fixpoint.
#[derive(Clone)]
pub struct Propnet {
    /// The names of roles, moves and base propositions.
    pub terms: Terms,
    /// The roles in rulesheet order.
    pub roles: Vec<Role>,
    /// The base propositions.
    pub bases: Vec<Base>,
    /// The wire that says whether the state is terminal.
    pub terminal: Wire,
    pub(crate) gates: Gates,
}

impl fmt::Debug for Propnet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Propnet")
            .field("roles", &self.roles.len())
            .field("bases", &self.bases.len())
            .field("gates", &self.len())
            .finish_non_exhaustive()
    }
}

/// Gates that are evaluated together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Component {
    /// A gate on its own; everything it reads is in earlier components.
    Single(GateId),
    /// Gates that depend on each other in a circle: these, by number.
    Recursive(Range<u32>),
}

impl Propnet {
    /// The number of gates, ports and constants included.
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// Whether there are no gates; never true, since there is always a constant.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The function that a gate computes.
    pub fn gate(&self, id: GateId) -> Gate<'_> {
        self.gates.gate(id)
    }

    /// All gates in evaluation order.
    pub fn components(&self) -> impl Iterator<Item = Component> {
        let mut next = 0;
        let mut recursive = self.gates.recursive().iter().peekable();
        std::iter::from_fn(move || {
            if let Some(range) = recursive.next_if(|range| range.start == next) {
                next = range.end;
                return Some(Component::Recursive(range.clone()));
            }
            let id = GateId(next);
            next += 1;
            (id.index() < self.len()).then_some(Component::Single(id))
        })
    }

    /// The number of gates on circles.
    pub fn recursive_gates(&self) -> usize {
        self.gates.recursive().iter().map(|range| range.len()).sum()
    }
}
