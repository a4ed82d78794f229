//! From the propositional network to the circuit.
//!
//! The circuit's inputs are the base propositions, then the moves of each role;
//! its outputs are the next base propositions, the legality of each role's moves
//! (in the order of the moves), terminal, and each role's goal values.
//! [`Layout`] says which is where.
//!
//! Each of these ranges of outputs starts at a multiple of 64, with constant
//! false outputs between them, so that packed outputs can be read by the word:
//! the first words of the outputs *are* the next [`State`](super::State).

use std::ops::Range;

use propjit_gdl::propnet::{Component, Gate, GateId, Propnet, Wire};
use propjit_jit::assumptions::Assumptions;
use propjit_jit::circuit::{Builder, Circuit, Edge, InputId, OutputId};

use super::RoleId;

/// Which inputs and outputs of a game's circuit are what.
#[derive(Clone, PartialEq, Eq, Debug)]
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
    /// How many outputs there are.
    pub outputs: usize,
}

/// A group of outputs that depend on the state alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Port {
    /// Whether the state is terminal: one output.
    Terminal,
    /// Which moves of a role are legal, in the order of the moves.
    Legal(RoleId),
    /// Which goal values a role has, ascending.
    Goals(RoleId),
}

/// Ranges of outputs start at multiples of this.
const ALIGNMENT: usize = u64::BITS as usize;

impl Layout {
    /// The layout of a game's circuit.
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
            outputs,
        }
    }

    /// How many inputs there are.
    pub fn inputs(&self) -> usize {
        self.bases.len() + self.does.iter().map(Range::len).sum::<usize>()
    }

    /// The outputs of a port.
    pub fn outputs_of(&self, port: Port) -> Range<usize> {
        match port {
            Port::Terminal => self.terminal..self.terminal + 1,
            Port::Legal(role) => self.legal[role.index()].clone(),
            Port::Goals(role) => self.goals[role.index()].clone(),
        }
    }

    /// The roles.
    pub fn roles(&self) -> impl Iterator<Item = RoleId> + Clone {
        RoleId::first(self.does.len())
    }

    /// What rulesheets promise about the inputs: each role makes exactly one
    /// move, and that is a legal one.
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

/// The circuit of a game, with the outputs as `layout` says.
pub fn lower(net: &Propnet, layout: &Layout) -> Circuit {
    let mut lowering = Lowering {
        net,
        layout,
        builder: Builder::new(layout.inputs()),
        // Overwritten before they are read, for gates come after what they read.
        edges: vec![Edge::FALSE; net.len()],
    };
    for component in net.components() {
        match component {
            Component::Single(gate) => lowering.gate(gate),
            Component::Recursive(gates) => lowering.recursion(gates),
        }
    }
    let mut outputs = vec![Edge::FALSE; layout.outputs];
    for (at, base) in layout.next.clone().zip(&net.bases) {
        outputs[at] = lowering.edge(base.next);
    }
    outputs[layout.terminal] = lowering.edge(net.terminal);
    for (role, (legal, goals)) in net.roles.iter().zip(layout.legal.iter().zip(&layout.goals)) {
        for (at, played) in legal.clone().zip(&role.moves) {
            outputs[at] = lowering.edge(played.legal);
        }
        for (at, goal) in goals.clone().zip(&role.goals) {
            outputs[at] = lowering.edge(goal.wire);
        }
    }
    lowering.builder.finish(outputs)
}

struct Lowering<'a> {
    net: &'a Propnet,
    layout: &'a Layout,
    builder: Builder,
    /// The edge of each gate of the network that was lowered.
    edges: Vec<Edge>,
}

impl Lowering<'_> {
    fn edge(&self, wire: Wire) -> Edge {
        self.edges[wire.gate.index()].invert_if(wire.inverted)
    }

    fn gate(&mut self, id: GateId) {
        let edges = |wires: &[Wire]| {
            wires
                .iter()
                .map(|&wire| self.edge(wire))
                .collect::<Vec<_>>()
        };
        self.edges[id.index()] = match self.net.gate(id) {
            Gate::Constant(value) => Edge::FALSE.invert_if(value),
            Gate::Base(index) => self.builder.input(self.layout.bases.start + index as usize),
            Gate::Does { role, index } => {
                let does = &self.layout.does[role as usize];
                self.builder.input(does.start + index as usize)
            }
            Gate::And(wires) => {
                let edges = edges(wires);
                self.builder.and_all(&edges)
            }
            Gate::Or(wires) => {
                let edges = edges(wires);
                self.builder.or_all(&edges)
            }
        };
    }

    /// Gates that read each other in a circle become a loop. Those that are read
    /// before their turn go through feedback nodes.
    fn recursion(&mut self, gates: Range<u32>) {
        let mut feedback: Vec<GateId> = Vec::new();
        for gate in gates.clone().map(GateId) {
            if let Gate::And(wires) | Gate::Or(wires) = self.net.gate(gate) {
                let read = wires.iter().map(|wire| wire.gate);
                feedback.extend(read.filter(|read| (gate.0..gates.end).contains(&read.0)));
            }
        }
        feedback.sort_unstable();
        feedback.dedup();
        let variables = self.builder.begin_loop(feedback.len());
        for (gate, variable) in feedback.iter().zip(variables) {
            self.edges[gate.index()] = variable;
        }
        gates.map(GateId).for_each(|gate| self.gate(gate));
        let sources: Vec<Edge> = feedback
            .iter()
            .map(|gate| self.edges[gate.index()])
            .collect();
        self.builder.end_loop(&sources);
    }
}
