//! A game's circuit, with the places in it that the analysis asks about.

use propjit_jit::circuit::{Circuit, Edge, Node, NodeId};

use crate::ground::game::GroundGame;
use crate::ground::layout::Layout;

/// A game's circuit, prepared for being made into clauses by several threads.
pub(crate) struct Net<'a> {
    pub(crate) game: &'a GroundGame,
    pub(crate) circuit: &'a Circuit,
    pub(crate) layout: &'a Layout,
    read_once: Vec<bool>,
    variables: u32,
}

impl<'a> Net<'a> {
    /// The circuit of the game before passes: some of these use what is only true of
    /// legal moves.
    pub(crate) fn new(game: &'a GroundGame, variables: u32) -> Net<'a> {
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

    /// Whether matches are over before they begin.
    pub(crate) fn starts_terminal(&self) -> bool {
        let mut inputs = vec![false; self.circuit.inputs().len()];
        let initial = self.game.initial().iter();
        initial.for_each(|base| inputs[self.layout.bases.start + base] = true);
        self.circuit.evaluate(&inputs)[self.layout.terminal]
    }

    /// Whether the state is terminal.
    pub(crate) fn terminal(&self) -> Edge {
        self.circuit.outputs()[self.layout.terminal]
    }

    /// Whether the role with this index has the goal with this index.
    pub(crate) fn goal(&self, role: usize, goal: usize) -> Edge {
        self.circuit.outputs()[self.layout.goals[role].start + goal]
    }

    /// Whether at most one gate or output reads the node.
    pub(crate) fn is_read_once(&self, node: NodeId) -> bool {
        self.read_once[node.index()]
    }

    /// The most variables that one solver may have.
    pub(crate) fn variables(&self) -> u32 {
        self.variables
    }

    /// Whether the proposition is true in the next state.
    pub(crate) fn next(&self, proposition: usize) -> Edge {
        self.circuit.outputs()[self.layout.next.start + proposition]
    }
}
