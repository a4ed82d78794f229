//! A game's circuit, with the nodes that the analysis queries.

use batsat::Lit;
use propjit_jit::circuit::{Circuit, Edge, Node, NodeId, NodeSet};

use crate::game::ground::layout::Layout;
use crate::game::ground::lowered_game::LoweredGame;

/// The maximum number of operands of one conjunction. Each time a literal of a long clause changes,
/// the solver may visit all others.
const WIDEST: usize = 64;

/// A game's circuit, prepared for encoding as clauses by several threads.
pub(crate) struct Net<'a> {
    pub(crate) game: &'a LoweredGame,
    pub(crate) circuit: &'a Circuit,
    pub(crate) layout: &'a Layout,
    read_once: Vec<bool>,
    variables: u32,
}

impl<'a> Net<'a> {
    /// Prepares the circuit of the game before passes: some passes use facts that only hold for
    /// legal moves.
    pub(crate) fn new(game: &'a LoweredGame, variables: u32) -> Net<'a> {
        let circuit = game.lowered();
        let mut readers = vec![0u8; circuit.nodes().len()];
        let mut read = |edge: Edge| {
            let count = &mut readers[edge.node().index()];
            *count = count.saturating_add(1);
        };
        for node in circuit.nodes() {
            if let Node::And(a, b) = *node {
                read(a);
                read(b);
            }
        }
        circuit.outputs().iter().copied().for_each(&mut read);
        let feedback = circuit.loops().iter().flat_map(|l| &l.feedback);
        feedback.for_each(|&(_, source)| read(source));
        Net {
            game,
            circuit,
            layout: game.layout(),
            read_once: readers.iter().map(|&count| count <= 1).collect(),
            variables,
        }
    }

    /// Returns whether the initial state is terminal.
    pub(crate) fn starts_terminal(&self) -> bool {
        self.outputs_at_start()[self.layout.terminal]
    }

    /// Returns whether each role has a legal move initially.
    pub(crate) fn can_start(&self) -> bool {
        let outputs = self.outputs_at_start();
        let mut legal = self.layout.legal.iter();
        legal.all(|legal| outputs[legal.clone()].contains(&true))
    }

    /// Returns the outputs in the initial state.
    fn outputs_at_start(&self) -> Vec<bool> {
        let mut inputs = vec![false; self.circuit.inputs().len()];
        let initial = self.game.initial().iter();
        initial.for_each(|base| inputs[self.layout.bases.start + base] = true);
        self.circuit.evaluate(&inputs)
    }

    /// Returns the edge that says whether the state is terminal.
    pub(crate) fn terminal(&self) -> Edge {
        self.circuit.outputs()[self.layout.terminal]
    }

    /// Returns the edge that says whether the role with this index has the goal with this index.
    pub(crate) fn goal(&self, role: usize, goal: usize) -> Edge {
        self.circuit.outputs()[self.layout.goals[role].start + goal]
    }

    /// Returns the nodes that the goals of all roles depend on.
    pub(crate) fn goal_cone(&self) -> NodeSet {
        let goals = self.layout.goals.iter().cloned().flatten();
        let outputs = self.circuit.outputs();
        self.circuit.cone(goals.map(|number| outputs[number]))
    }

    /// Returns the literal of an output in a state, of which `wires` has those of the nodes.
    pub(crate) fn output(&self, wires: &[Lit], output: usize) -> Lit {
        let edge = self.circuit.outputs()[output];
        wires[edge.node().index()] ^ edge.inverted()
    }

    /// Returns the operands of the widest conjunction, within limits, that ends in this gate, of
    /// gates that have no other reader and are not known.
    pub(crate) fn operands(&self, node: NodeId, is_known: impl Fn(NodeId) -> bool) -> Vec<Edge> {
        let mut operands = Vec::new();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let Node::And(a, b) = self.circuit.node(node) else {
                unreachable!("only gates are opened");
            };
            for edge in [a, b] {
                let node = edge.node();
                let is_gate = matches!(self.circuit.node(node), Node::And(..));
                let is_inner = is_gate && !edge.inverted() && self.read_once[node.index()];
                let has_room = operands.len() + open.len() < WIDEST;
                if is_inner && has_room && !is_known(node) {
                    open.push(node);
                } else {
                    operands.push(edge);
                }
            }
        }
        operands.sort_unstable();
        operands.dedup();
        operands
    }

    /// Returns the maximum number of variables of one solver.
    pub(crate) fn variables(&self) -> u32 {
        self.variables
    }

    /// Returns the edge that says whether the proposition is true in the next state.
    pub(crate) fn next(&self, proposition: usize) -> Edge {
        self.circuit.outputs()[self.layout.next.start + proposition]
    }
}
