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

    /// The outputs behind all others that the circuit of playouts with [decisive
    /// moves](crate::decisive) has: for each role, whether some of its moves are left out.
    pub fn decisive(&self) -> Range<usize> {
        self.outputs..self.outputs + self.does.len()
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
    ///
    /// The order is from the last gate to the first, because the network has gates
    /// before those that they read: so a loop settles in several times fewer rounds.
    fn recursion(&mut self, gates: Range<u32>) {
        let mut feedback: Vec<GateId> = Vec::new();
        for gate in gates.clone().map(GateId) {
            if let Gate::And(wires) | Gate::Or(wires) = self.net.gate(gate) {
                let read = wires.iter().map(|wire| wire.gate);
                feedback.extend(read.filter(|read| (gates.start..=gate.0).contains(&read.0)));
            }
        }
        feedback.sort_unstable();
        feedback.dedup();
        let variables = self.builder.begin_loop(feedback.len());
        for (gate, variable) in feedback.iter().zip(variables) {
            self.edges[gate.index()] = variable;
        }
        gates.rev().map(GateId).for_each(|gate| self.gate(gate));
        let sources: Vec<Edge> = feedback
            .iter()
            .map(|gate| self.edges[gate.index()])
            .collect();
        self.builder.end_loop(&sources);
    }
}

#[cfg(test)]
mod tests {
    use propjit_gdl::ground::{GroundLimits, ground};
    use propjit_gdl::rules::Rules;
    use propjit_jit::scalar::ScalarInterpreter;

    use super::*;

    /// A token walks on a ring with a chord; `near` is where it can be soon, by
    /// recursion.
    const WALK: &str = "
        (role walker) (role watcher)
        (link a b) (link b c) (link c a) (link b d)
        (init (at a))
        (<= (near ?x ?y) (link ?x ?y) (not (true (closed ?y))))
        (<= (near ?x ?z) (near ?x ?y) (near ?y ?z))
        (<= (legal walker (go ?y)) (true (at ?x)) (near ?x ?y))
        (<= (legal walker (close ?y)) (true (at ?x)) (link ?x ?y))
        (legal watcher watch)
        (<= (next (at ?y)) (does walker (go ?y)))
        (<= (next (at ?x)) (true (at ?x)) (does walker (close ?y)))
        (<= (next (closed ?x)) (true (closed ?x)))
        (<= (next (closed ?x)) (does walker (close ?x)))
        (<= terminal (true (at d)))
        (<= (goal walker 100) (true (at d)))
        (<= (goal walker 0) (not (true (at d))))
        (goal watcher 50)
    ";

    fn walk() -> Propnet {
        let rules = Rules::parse("walk.kif", WALK).unwrap().rules;
        ground(&rules, &GroundLimits::default()).unwrap().0
    }

    #[test]
    fn every_group_of_outputs_has_words_of_its_own() {
        let layout = Layout::new(&walk());
        let ports = layout
            .roles()
            .flat_map(|role| [Port::Legal(role), Port::Goals(role)])
            .chain([Port::Terminal]);
        let mut words: Vec<_> = ports
            .map(|port| layout.outputs_of(port))
            .chain([layout.next.clone()])
            .flat_map(|outputs| outputs.start / 64..outputs.end.div_ceil(64))
            .collect();
        words.sort_unstable();
        assert_eq!(words, (0..layout.outputs.div_ceil(64)).collect::<Vec<_>>());
        assert_eq!(layout.next.start, 0);
    }

    #[test]
    fn recursion_becomes_loops_with_the_least_fixpoint() {
        let net = walk();
        let layout = Layout::new(&net);
        let circuit = lower(&net, &layout);
        assert_eq!(circuit.inputs().len(), layout.inputs());
        assert!(!circuit.loops().is_empty());
        let base = |name: &str| {
            net.bases
                .iter()
                .position(|b| net.terms.text(b.name) == name)
        };
        let legal_at = |facts: &[&str]| {
            let mut scalar = ScalarInterpreter::new(&circuit);
            for name in facts {
                scalar.set_input(layout.bases.start + base(name).unwrap(), true);
            }
            scalar.settle();
            let moves = layout.legal[0].clone().zip(&net.roles[0].moves);
            let legal = moves.filter(|&(at, _)| scalar.output(OutputId(at as u32)));
            let mut texts: Vec<_> = legal.map(|(_, m)| net.terms.text(m.name)).collect();
            texts.sort();
            texts
        };
        let all = ["(close b)", "(go a)", "(go b)", "(go c)", "(go d)"];
        assert_eq!(legal_at(&["(at a)"]), all);
        assert_eq!(legal_at(&["(at a)", "(closed b)"]), ["(close b)"]);
        assert_eq!(
            legal_at(&["(at a)", "(closed c)"]),
            ["(close b)", "(go b)", "(go d)"]
        );
    }

    #[test]
    fn each_role_makes_one_move_and_that_is_legal() {
        let layout = Layout::new(&walk());
        let assumptions = layout.assumptions();
        let sizes: Vec<usize> = assumptions.exactly_one.iter().map(Vec::len).collect();
        assert_eq!(
            sizes,
            layout.does.iter().map(Range::len).collect::<Vec<_>>()
        );
        assert_eq!(assumptions.implies.len(), sizes.iter().sum::<usize>());
    }
}
