//! Structural consequences of a single literal: ternary propagation, 64 literals at a time.
//!
//! With one input known and all others unknown, a gate is known if the known operands
//! decide it. `X or c` is true when X is, and `X and c` is false when X is: the forms of
//! latches that need no proof, wherever they are in the circuit.

use propjit_jit::circuit::{Circuit, Edge, Node};

use crate::game::ground::Literal;

/// How many literals are propagated together: one per bit.
pub(super) const LANES: usize = u64::BITS as usize;

/// The nodes that literals decide, with bit `i` for the `i`th literal.
pub(super) struct Decided {
    /// For each node, where it is true and where it is false.
    nodes: Vec<(u64, u64)>,
}

impl Decided {
    /// Returns the nodes that each of up to [`LANES`] literals decides. Numbers of propositions are
    /// those of the circuit's inputs.
    pub(super) fn by(circuit: &Circuit, literals: &[Literal]) -> Decided {
        Decided::by_all(circuit, literals.iter().map(|literal| [*literal]))
    }

    /// Returns the nodes that each of up to [`LANES`] sets of literals decides.
    pub(super) fn by_all(
        circuit: &Circuit,
        sets: impl IntoIterator<Item = impl IntoIterator<Item = Literal>>,
    ) -> Decided {
        let mut nodes = vec![(0, 0); circuit.nodes().len()];
        nodes[0] = (0, !0);
        for (lane, literals) in sets.into_iter().enumerate() {
            for literal in literals {
                let input = circuit.inputs()[literal.proposition];
                let (is_true, is_false) = &mut nodes[input.index()];
                match literal.value {
                    true => *is_true |= 1 << lane,
                    false => *is_false |= 1 << lane,
                }
            }
        }
        let mut decided = Decided { nodes };
        for (at, node) in circuit.nodes().iter().enumerate() {
            // Feedback stays unknown, which is always sound.
            if let Node::And(a, b) = *node {
                let (a, b) = (decided.edge(a), decided.edge(b));
                decided.nodes[at] = (a.0 & b.0, a.1 | b.1);
            }
        }
        decided
    }

    /// Returns the literals that make the edge true, and those that make it false.
    pub(super) fn edge(&self, edge: Edge) -> (u64, u64) {
        let (is_true, is_false) = self.nodes[edge.node().index()];
        match edge.inverted() {
            true => (is_false, is_true),
            false => (is_true, is_false),
        }
    }
}
