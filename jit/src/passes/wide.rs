//! A view of the circuit as gates with any number of operands.
//!
//! A two-input gate whose only use is as an uninverted operand of another gate
//! is *part* of that gate; a wide gate is a gate that is part of no other,
//! together with its parts, and its *leaves* are the operands of them all.
//! Since inversion is on edges, an OR is a wide gate over inverted leaves.
//!
//! A wide gate whose only use is inverted in another gate is *private* to it: an
//! OR inside an AND, or the other way round. Passes may change private gates by
//! facts about the gate around them. Other wide gates are *shared*.

use crate::circuit::{Builder, Circuit, Edge, Node, NodeId};

/// A node's place among the wide gates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// Not a gate, or a dead one.
    None,
    /// Used once, uninverted, by a gate.
    Part,
    /// Used once, inverted, by a gate.
    Private,
    /// Used more than once, or by an output or a feedback node.
    Shared,
}

/// The wide gates of a circuit.
pub(super) struct Wide<'a> {
    circuit: &'a Circuit,
    places: Vec<Place>,
}

impl<'a> Wide<'a> {
    /// The wide gates of the circuit. Dead logic counts as use: sweep it first.
    pub(super) fn new(circuit: &'a Circuit) -> Wide<'a> {
        let mut places = vec![Place::None; circuit.nodes().len()];
        let mut add = |edge: Edge, once: Place| {
            let place = &mut places[edge.node().index()];
            *place = if *place == Place::None {
                once
            } else {
                Place::Shared
            };
        };
        for node in circuit.nodes() {
            if let Node::And(a, b) = *node {
                for edge in [a, b] {
                    let inverted = edge.inverted();
                    add(
                        edge,
                        if inverted {
                            Place::Private
                        } else {
                            Place::Part
                        },
                    );
                }
            }
        }
        let feedback = circuit.loops().iter().flat_map(|l| &l.feedback);
        let sources = feedback.map(|&(_, source)| source);
        for edge in circuit.outputs().iter().copied().chain(sources) {
            add(edge, Place::Shared);
        }
        for (place, node) in places.iter_mut().zip(circuit.nodes()) {
            if !matches!(node, Node::And(..)) {
                *place = Place::None;
            }
        }
        Wide { circuit, places }
    }

    /// The place of a node.
    pub(super) fn place(&self, node: NodeId) -> Place {
        self.places[node.index()]
    }

    /// Whether the node is a wide gate.
    pub(super) fn is_gate(&self, node: NodeId) -> bool {
        matches!(self.place(node), Place::Private | Place::Shared)
    }

    /// The gate that the edge comes from if that is private to the edge's user.
    pub(super) fn private(&self, edge: Edge) -> Option<NodeId> {
        (self.place(edge.node()) == Place::Private).then(|| edge.node())
    }

    /// Appends the leaves of a wide gate in the order of evaluation.
    pub(super) fn leaves(&self, gate: NodeId, leaves: &mut Vec<Edge>) {
        let start = leaves.len();
        let mut part = gate;
        let mut waiting = Vec::new();
        loop {
            if let Node::And(a, b) = self.circuit.node(part) {
                for edge in [b, a] {
                    match self.place(edge.node()) {
                        Place::Part => waiting.push(edge.node()),
                        _ => leaves.push(edge),
                    }
                }
            }
            match waiting.pop() {
                Some(next) => part = next,
                None => break,
            }
        }
        leaves[start..].sort_unstable();
    }
}

/// The conjunction of all leaves as a balanced tree. Empties the list.
pub(super) fn conjunction(builder: &mut Builder, leaves: &mut Vec<Edge>) -> Edge {
    leaves.sort_unstable();
    leaves.dedup();
    // Opposite edges are neighbours in this order.
    let edge = match leaves.windows(2).any(|pair| pair[0] == !pair[1]) {
        true => Edge::FALSE,
        false => builder.and_all(leaves),
    };
    leaves.clear();
    edge
}
