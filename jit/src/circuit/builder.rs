//! The builder of circuits.

use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::rules::{Simplified, simplify};
use super::{Circuit, Edge, InputId, Loop, Node, NodeId};

/// A [`Circuit`] under construction: shares equal gates (structural hashing) and simplifies
/// each gate against its operands' operands.
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
#[derive(Debug)]
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

    /// A circuit that begins with all nodes of another one, which keep their numbers.
    ///
    /// ```
    /// use propjit_jit::circuit::Builder;
    /// let mut builder = Builder::new(2);
    /// let both = builder.and(builder.input(0), builder.input(1));
    /// let circuit = builder.finish(vec![both]);
    /// let mut more = Builder::extend(&circuit);
    /// assert_eq!(more.and(more.input(1), more.input(0)), both);
    /// ```
    pub fn extend(circuit: &Circuit) -> Builder {
        let mut builder = Builder {
            nodes: circuit.nodes().to_vec(),
            loops: circuit.loops().to_vec(),
            open_loop: None,
            inputs: circuit.inputs().len() as u32,
            table: HashTable::new(),
        };
        let nodes = &builder.nodes;
        let hash = |&at: &u32| hash_of(nodes[at as usize]);
        builder.table.reserve(nodes.len(), hash);
        for (at, node) in nodes.iter().enumerate() {
            if let Node::And(..) = node {
                builder.table.insert_unique(hash_of(*node), at as u32, hash);
            }
        }
        builder
    }

    /// Makes room for this many gates more.
    pub(crate) fn reserve(&mut self, gates: usize) {
        let nodes = &self.nodes;
        self.table.reserve(gates, |&i| hash_of(nodes[i as usize]));
        self.nodes.reserve(gates);
    }

    /// The edge of input `index`.
    ///
    /// # Panics
    /// If there is no such input.
    pub fn input(&self, index: usize) -> Edge {
        assert!(index < self.inputs as usize, "input {index} does not exist");
        Edge::from(NodeId(index as u32 + 1))
    }

    /// One of the nodes made so far.
    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.index()]
    }

    /// The number of nodes made so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns false: there is always the constant.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The conjunction of `a` and `b`: an existing edge where possible, otherwise a new gate.
    pub fn and(&mut self, a: Edge, b: Edge) -> Edge {
        let (a, b) = match simplify(&self.nodes, a, b) {
            Simplified::Edge(edge) => return edge,
            Simplified::Gate(a, b) => (a, b),
        };
        let node = Node::And(a, b);
        let nodes = &self.nodes;
        let found = self
            .table
            .find(hash_of(node), |&i| nodes[i as usize] == node);
        if let Some(&found) = found {
            return Edge::from(NodeId(found));
        }
        let new = self.push(node);
        let nodes = &self.nodes;
        self.table
            .insert_unique(hash_of(node), new.0, |&i| hash_of(nodes[i as usize]));
        Edge::from(new)
    }

    /// Adds a gate for `a` and `b`, without looking for an equal one: for copies
    /// of gates made with [`Builder::and`]. It is not shared later.
    pub(crate) fn and_unshared(&mut self, a: Edge, b: Edge) -> Edge {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        Edge::from(self.push(Node::And(a, b)))
    }

    fn push(&mut self, node: Node) -> NodeId {
        let new = u32::try_from(self.nodes.len()).ok();
        let new = new.filter(|&new| new < 1 << 31);
        self.nodes.push(node);
        NodeId(new.expect("fewer than 2^31 nodes"))
    }

    /// The disjunction of `a` and `b`.
    pub fn or(&mut self, a: Edge, b: Edge) -> Edge {
        !self.and(!a, !b)
    }

    /// The exclusive disjunction of `a` and `b`.
    pub fn xor(&mut self, a: Edge, b: Edge) -> Edge {
        let both = self.and(a, b);
        let neither = self.and(!a, !b);
        self.and(!both, !neither)
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
        if start < end {
            self.loops.push(Loop {
                nodes: start..end,
                feedback,
            });
        }
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
            in_place: 0,
        }
    }
}

fn hash_of(node: Node) -> u64 {
    let mut hasher = FxHasher::default();
    node.hash(&mut hasher);
    hasher.finish()
}
