//! The circuit: an and-inverter graph in topological order.
//!
//! Every gate is a two-input AND; inversion is a mark on the [edges](Edge).
//! This is the form in which structural hashing, rewriting and bit-sliced
//! evaluation are all simplest (Kuehlmann et al., "Robust Boolean reasoning for
//! equivalence checking and functional property verification", 2002).
//!
//! Recursion is explicit: a [`Loop`] is a run of nodes that is evaluated again
//! and again, from all feedback nodes false, until nothing changes. Outside
//! loops, and inside them but for feedback, every gate comes after its operands.

use std::hash::{Hash, Hasher};
use std::ops::{Not, Range};

use hashbrown::HashTable;
use rustc_hash::FxHasher;

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
    /// The input's index.
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

    /// The value of `node`, inverted if asked.
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

    /// The same edge, inverted once more if `invert`.
    pub fn invert_if(self, invert: bool) -> Edge {
        Edge(self.0 ^ u32::from(invert))
    }

    /// Twice the node number, plus one if inverted: the usual literal code of
    /// and-inverter graphs, as in the AIGER format.
    pub fn code(self) -> u32 {
        self.0
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

/// What a node is.
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

/// Nodes that depend on each other in a circle, with least-fixpoint meaning:
/// all feedback nodes start false; the loop's nodes are evaluated in order; each
/// feedback node takes the value of its source; and so on until none changes.
/// The circuit's maker vouches that this is monotone, so that it ends.
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
    /// In the order of their nodes.
    loops: Vec<Loop>,
    inputs: Vec<NodeId>,
    outputs: Vec<Edge>,
}

impl Circuit {
    /// All nodes in evaluation order: the constant, then the inputs in order, then the rest.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// One node.
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

    /// How many AND gates there are: the circuit's size.
    pub fn gates(&self) -> usize {
        let is_gate = |node: &&Node| matches!(node, Node::And(..));
        self.nodes.iter().filter(is_gate).count()
    }

    /// The longest path from an input to an output, in gates; a loop counts once.
    pub fn depth(&self) -> usize {
        let mut depths = vec![0usize; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            if let Node::And(a, b) = node {
                depths[at] = 1 + depths[a.node().index()].max(depths[b.node().index()]);
            }
        }
        let outputs = self.outputs.iter().map(|edge| depths[edge.node().index()]);
        outputs.max().unwrap_or(0)
    }
}

/// Makes a [`Circuit`], sharing equal gates (structural hashing) and folding
/// constants as it goes.
///
/// ```
/// use propjit_jit::circuit::Builder;
/// let mut builder = Builder::new(2);
/// let (a, b) = (builder.input(0), builder.input(1));
/// let first = builder.and(a, b);
/// let again = builder.and(b, a);
/// assert_eq!(first, again);
/// let circuit = builder.finish(vec![!first]);
/// assert_eq!(circuit.gates(), 1);
/// ```
pub struct Builder {
    nodes: Vec<Node>,
    loops: Vec<Loop>,
    open_loop: Option<u32>,
    inputs: u32,
    table: HashTable<u32>,
}

impl Builder {
    /// A circuit with this many inputs and no gates yet.
    pub fn new(inputs: usize) -> Builder {
        let inputs = u32::try_from(inputs).expect("fewer than 2^32 inputs");
        let mut nodes = vec![Node::False];
        nodes.extend((0..inputs).map(|i| Node::Input(InputId(i))));
        Builder {
            nodes,
            loops: Vec::new(),
            open_loop: None,
            inputs,
            table: HashTable::new(),
        }
    }

    /// The edge of input `index`.
    pub fn input(&self, index: usize) -> Edge {
        assert!(index < self.inputs as usize, "input {index} does not exist");
        Edge::from(NodeId(index as u32 + 1))
    }

    /// What a node made so far is.
    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.index()]
    }

    /// How many nodes there are so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no nodes: never, the constant is always there.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// `a` and `b`: an existing edge where possible, otherwise a new gate.
    pub fn and(&mut self, a: Edge, b: Edge) -> Edge {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Edge::FALSE || a == !b {
            return Edge::FALSE;
        }
        if a == Edge::TRUE || a == b {
            return b;
        }
        let node = Node::And(a, b);
        let nodes = &self.nodes;
        let found = self
            .table
            .find(hash_of(node), |&i| nodes[i as usize] == node);
        if let Some(&found) = found {
            return Edge::from(NodeId(found));
        }
        let new = u32::try_from(self.nodes.len()).expect("fewer than 2^31 nodes");
        self.nodes.push(node);
        let nodes = &self.nodes;
        self.table
            .insert_unique(hash_of(node), new, |&i| hash_of(nodes[i as usize]));
        Edge::from(NodeId(new))
    }

    /// `a` or `b`.
    pub fn or(&mut self, a: Edge, b: Edge) -> Edge {
        !self.and(!a, !b)
    }

    /// The conjunction of all edges, as a balanced tree; true for none.
    pub fn and_all(&mut self, edges: &[Edge]) -> Edge {
        let mut layer = edges.to_vec();
        while layer.len() > 1 {
            let pairs = layer.chunks(2).map(|pair| match *pair {
                [a, b] => self.and(a, b),
                _ => pair[0],
            });
            layer = pairs.collect();
        }
        layer.first().copied().unwrap_or(Edge::TRUE)
    }

    /// The disjunction of all edges, as a balanced tree; false for none.
    pub fn or_all(&mut self, edges: &[Edge]) -> Edge {
        let inverted: Vec<Edge> = edges.iter().map(|&edge| !edge).collect();
        !self.and_all(&inverted)
    }

    /// Starts a loop with this many feedback nodes and returns their edges.
    /// Gates made from now on belong to the loop, until [`Builder::end_loop`].
    ///
    /// # Panics
    /// If a loop is open: loops do not nest.
    pub fn begin_loop(&mut self, feedback: usize) -> Vec<Edge> {
        assert!(self.open_loop.is_none(), "loops do not nest");
        let start = self.nodes.len() as u32;
        self.open_loop = Some(start);
        let edges = (0..feedback as u32).map(|i| Edge::from(NodeId(start + i)));
        self.nodes.extend((0..feedback).map(|_| Node::Feedback));
        edges.collect()
    }

    /// Ends the loop: `sources` says where each feedback node takes its value
    /// from, in the order of the edges that [`Builder::begin_loop`] gave.
    ///
    /// # Panics
    /// If no loop is open or the number of sources is not that of feedback nodes.
    pub fn end_loop(&mut self, sources: &[Edge]) {
        let start = self.open_loop.take().expect("a loop is open");
        let end = self.nodes.len() as u32;
        let feedback: Vec<_> = (start..end)
            .filter(|&i| self.nodes[i as usize] == Node::Feedback)
            .map(NodeId)
            .zip(sources.iter().copied())
            .collect();
        assert_eq!(
            feedback.len(),
            sources.len(),
            "a source for each feedback node"
        );
        self.loops.push(Loop {
            nodes: start..end,
            feedback,
        });
    }

    /// The finished circuit with these outputs.
    ///
    /// # Panics
    /// If a loop is open.
    pub fn finish(self, outputs: Vec<Edge>) -> Circuit {
        assert!(self.open_loop.is_none(), "every loop is ended");
        Circuit {
            nodes: self.nodes,
            loops: self.loops,
            inputs: (1..=self.inputs).map(NodeId).collect(),
            outputs,
        }
    }
}

fn hash_of(node: Node) -> u64 {
    let mut hasher = FxHasher::default();
    node.hash(&mut hasher);
    hasher.finish()
}
