//! Circuits: and-inverter graphs in topological order.
//!
//! Every gate is a two-input AND; inversion is a mark on the [edges](Edge).
//! This is the form in which structural hashing, rewriting and bit-sliced
//! evaluation are all simplest (Kuehlmann et al., "Robust Boolean reasoning for
//! equivalence checking and functional property verification", 2002).
//!
//! Recursion is explicit: a [`Loop`] is a run of nodes that is evaluated again
//! and again, from all feedback nodes false, until nothing changes. Outside
//! loops, and inside them but for feedback, every gate comes after its operands.

mod builder;
mod cone;
mod evaluate;
mod fingerprint;
pub(crate) mod number;
mod rules;

use std::ops::{Not, Range};

pub use builder::Builder;
pub(crate) use cone::visit;
pub use cone::{NodeSet, conjuncts, disjuncts, implied};

/// The number of a node; nodes are numbered in evaluation order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

/// The number of a circuit input, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct InputId(pub u32);

/// The number of a circuit output, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OutputId(pub u32);

impl NodeId {
    /// Index into [`Circuit::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl InputId {
    /// Index into [`Circuit::inputs`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl OutputId {
    /// Index into [`Circuit::outputs`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A node's value, or its inverse.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge(u32);

impl Edge {
    /// The constant false: node 0, uninverted.
    pub const FALSE: Edge = Edge(0);
    /// The constant true.
    pub const TRUE: Edge = Edge(1);

    /// The value of `node`, inverted if `inverted`.
    pub fn new(node: NodeId, inverted: bool) -> Edge {
        Edge(node.0 << 1 | u32::from(inverted))
    }

    /// The node that the edge comes from.
    pub fn node(self) -> NodeId {
        NodeId(self.0 >> 1)
    }

    /// Whether the edge inverts the node's value.
    pub fn inverted(self) -> bool {
        self.0 & 1 == 1
    }

    /// Returns the edge, inverted once more if `invert`.
    pub fn invert_if(self, invert: bool) -> Edge {
        Edge(self.0 ^ u32::from(invert))
    }

    /// Twice the node number, plus one if inverted: the usual literal code of
    /// and-inverter graphs, as in the AIGER format.
    pub fn code(self) -> u32 {
        self.0
    }

    /// The edge with this [code](Edge::code).
    pub(crate) fn from_code(code: u32) -> Edge {
        Edge(code)
    }
}

impl Not for Edge {
    type Output = Edge;
    fn not(self) -> Edge {
        self.invert_if(true)
    }
}

impl From<NodeId> for Edge {
    fn from(node: NodeId) -> Edge {
        Edge::new(node, false)
    }
}

/// A node of a circuit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// Always false. Node 0 and no other.
    False,
    /// A circuit input.
    Input(InputId),
    /// The conjunction of two edges from earlier nodes.
    And(Edge, Edge),
    /// A variable of the [`Loop`] around it.
    Feedback,
}

/// Nodes that depend on each other in a cycle, with the meaning of a least fixpoint:
/// all feedback nodes start false; the loop's nodes are evaluated in order; each
/// feedback node takes the value of its source; and so on until none changes.
/// The code that builds the circuit guarantees that this is monotone, so that it ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// The nodes to evaluate again, feedback nodes first. Loops do not overlap.
    pub nodes: Range<u32>,
    /// Each feedback node of the loop with the edge that it takes its value from.
    pub feedback: Vec<(NodeId, Edge)>,
}

/// A combinational circuit: numbered inputs, gates in evaluation order, numbered outputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Circuit {
    nodes: Vec<Node>,
    /// The loops, in the order of their nodes.
    loops: Vec<Loop>,
    inputs: Vec<NodeId>,
    outputs: Vec<Edge>,
    in_place: usize,
}

impl Circuit {
    /// Returns the circuit with this many outputs [in place](Circuit::in_place).
    ///
    /// # Panics
    /// If it has fewer inputs or outputs.
    #[must_use]
    pub fn with_in_place(self, in_place: usize) -> Circuit {
        let most = self.inputs.len().min(self.outputs.len());
        assert!(in_place <= most, "{in_place} outputs in place of {most}");
        Circuit { in_place, ..self }
    }

    /// Returns the number `n` of outputs in place: the first `n` outputs are evaluated in place of the last
    /// `n` inputs, and in lanes, they have the same rows. Passes make circuits without such outputs.
    pub fn in_place(&self) -> usize {
        self.in_place
    }

    /// All nodes in evaluation order: the constant, then the inputs in order, then the rest.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node with this number.
    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.index()]
    }

    /// The loops in evaluation order.
    pub fn loops(&self) -> &[Loop] {
        &self.loops
    }

    /// The node of each input.
    pub fn inputs(&self) -> &[NodeId] {
        &self.inputs
    }

    /// The edge of each output.
    pub fn outputs(&self) -> &[Edge] {
        &self.outputs
    }

    /// The number of AND gates: the circuit's size.
    pub fn gates(&self) -> usize {
        let is_gate = |node: &&Node| matches!(node, Node::And(..));
        self.nodes.iter().filter(is_gate).count()
    }

    /// The longest path from an input to an output, in gates; a loop counts once.
    pub fn depth(&self) -> usize {
        let depths = self.depths();
        let outputs = self.outputs.iter().map(|edge| depths[edge.node().index()]);
        outputs.max().unwrap_or(0) as usize
    }

    /// The longest path from an input or feedback node to each node, in gates.
    pub(crate) fn depths(&self) -> Vec<u32> {
        let mut depths = vec![0; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            if let Node::And(a, b) = node {
                depths[at] = 1 + depths[a.node().index()].max(depths[b.node().index()]);
            }
        }
        depths
    }
}
