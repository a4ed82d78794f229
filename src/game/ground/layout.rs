//! The numbering of a game's circuit: the meaning of its inputs and outputs.
//!
//! The inputs are the base propositions, then the moves of each role. The outputs are the
//! next base propositions, the legality of each role's moves (in the order of the moves),
//! terminal, each role's goal values, and what each role perceives.
//!
//! Each of these ranges of outputs starts at a multiple of 64, with constant false outputs
//! between them, so that packed outputs can be read word by word: the first words of the
//! outputs *are* the next [`State`](crate::game::vocabulary::state::State).

use std::ops::Range;

use propjit_gdl::propnet::Propnet;
use propjit_jit::assumptions::Assumptions;
use propjit_jit::circuit::{InputId, OutputId};
use serde::Serialize;

use crate::game::vocabulary::moves::RoleId;

/// The meaning of the inputs and outputs of a game's circuit.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Layout {
    /// The inputs that are base propositions.
    pub bases: Range<usize>,
    /// For each role, the inputs that are its moves.
    pub does: Vec<Range<usize>>,
    /// The outputs that are the next base propositions.
    pub next: Range<usize>,
    /// For each role, the outputs that say whether its moves are legal.
    pub legal: Vec<Range<usize>>,
    /// The output that says whether the state is terminal.
    pub terminal: usize,
    /// For each role, the outputs that say whether it has each goal value.
    pub goals: Vec<Range<usize>>,
    /// For each role, the outputs that say whether it perceives something after a joint move: see
    /// [`Role::percepts`](propjit_gdl::propnet::Role::percepts).
    pub percepts: Vec<Range<usize>>,
    /// The number of outputs.
    pub outputs: usize,
}

/// A group of outputs that depend on the state alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Port {
    /// Whether the state is terminal: one output.
    Terminal,
    /// The legality of a role's moves, in their order.
    Legal(RoleId),
    /// Whether a role has each goal value, ascending.
    Goals(RoleId),
}

/// Ranges of outputs start at multiples of this.
const ALIGNMENT: usize = u64::BITS as usize;

impl Layout {
    /// Creates the layout of a game's circuit.
    pub fn new(net: &Propnet) -> Layout {
        let mut inputs = 0;
        let mut input_range = |length: usize| {
            inputs += length;
            inputs - length..inputs
        };
        let mut outputs: usize = 0;
        let mut output_range = |length: usize| {
            let start = outputs.next_multiple_of(ALIGNMENT);
            outputs = start + length;
            start..outputs
        };
        let moves = || net.roles.iter().map(|role| role.moves.len());
        Layout {
            bases: input_range(net.bases.len()),
            does: moves().map(&mut input_range).collect(),
            next: output_range(net.bases.len()),
            legal: moves().map(&mut output_range).collect(),
            terminal: output_range(1).start,
            goals: net
                .roles
                .iter()
                .map(|role| output_range(role.goals.len()))
                .collect(),
            percepts: net
                .roles
                .iter()
                .map(|role| output_range(role.percepts.len()))
                .collect(),
            outputs,
        }
    }

    /// Returns the number of inputs.
    pub fn inputs(&self) -> usize {
        self.bases.len() + self.does.iter().map(Range::len).sum::<usize>()
    }

    /// Returns the outputs that come after all others in a circuit for playouts with [decisive
    /// moves](crate::game::circuits::decisive): for each role, whether some of its moves are left out.
    pub fn decisive(&self) -> Range<usize> {
        self.outputs..self.outputs + self.does.len()
    }

    /// Returns the outputs of a port.
    pub fn outputs_of(&self, port: Port) -> Range<usize> {
        match port {
            Port::Terminal => self.terminal..self.terminal + 1,
            Port::Legal(role) => self.legal[role.index()].clone(),
            Port::Goals(role) => self.goals[role.index()].clone(),
        }
    }

    /// Returns the roles.
    pub fn roles(&self) -> impl Iterator<Item = RoleId> + Clone {
        RoleId::first(self.does.len())
    }

    /// Returns the [assumptions](Layout::assumptions) about the inputs that are not known
    /// beforehand.
    pub fn assumptions_about_unknown(&self, known: &[Option<bool>]) -> Assumptions {
        let mut assumptions = self.assumptions();
        let is_unknown = |input: InputId| known[input.index()].is_none();
        for group in &mut assumptions.exactly_one {
            group.retain(|&input| is_unknown(input));
        }
        assumptions.exactly_one.retain(|group| !group.is_empty());
        assumptions.implies.retain(|&(input, _)| is_unknown(input));
        assumptions
    }

    /// Returns the assumptions about the inputs: each role makes exactly one legal move.
    pub fn assumptions(&self) -> Assumptions {
        let input = |i: usize| InputId(i as u32);
        let some = self.does.iter().filter(|does| !does.is_empty());
        let pairs = self.does.iter().zip(&self.legal);
        Assumptions {
            exactly_one: some.map(|does| does.clone().map(input).collect()).collect(),
            implies: pairs
                .flat_map(|(does, legal)| does.clone().zip(legal.clone()))
                .map(|(does, legal)| (input(does), OutputId(legal as u32)))
                .collect(),
        }
    }
}
