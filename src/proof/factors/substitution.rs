//! A circuit with inputs replaced by constants, for repeated use.

use propjit_jit::circuit::{Builder, Circuit, Edge, Node, NodeId, NodeSet};

use super::NotFound;

/// The nodes of a circuit after some inputs have become constants.
pub(super) struct Substitution<'a> {
    circuit: &'a Circuit,
    /// The circuit, and what gates become.
    pub(super) builder: Builder,
    /// By node, what it has become.
    edges: Vec<Edge>,
    /// By node, the gates that read it: a range of `readers`.
    starts: Vec<u32>,
    readers: Vec<u32>,
    in_loop: Vec<bool>,
    /// The gates that are visited.
    wanted: NodeSet,
    /// How many more gates may be visited.
    work: usize,
    seen: Vec<u32>,
    turn: u32,
}

impl<'a> Substitution<'a> {
    /// Replaces nothing yet. Only the cone of `roots` matters, and no more than `work` gates are visited.
    pub(super) fn new(
        circuit: &'a Circuit,
        roots: impl Iterator<Item = Edge>,
        work: usize,
    ) -> Substitution<'a> {
        let nodes = circuit.nodes().len();
        let wanted = circuit.cone(roots);
        let feedback = circuit.loops().iter().flat_map(|l| &l.feedback);
        let feedback = feedback.map(|&(node, source)| (source.node(), node));
        let gates = wanted.iter().flat_map(|node| match circuit.node(node) {
            Node::And(a, b) => vec![(a.node(), node), (b.node(), node)],
            _ => Vec::new(),
        });
        let read: Vec<(NodeId, NodeId)> = gates.chain(feedback).collect();
        let mut starts = vec![0; nodes + 1];
        read.iter()
            .for_each(|(node, _)| starts[node.index() + 1] += 1);
        for at in 0..nodes {
            starts[at + 1] += starts[at];
        }
        let mut places = starts.clone();
        let mut readers = vec![0; read.len()];
        for (node, reader) in read {
            let place = &mut places[node.index()];
            readers[*place as usize] = reader.0;
            *place += 1;
        }
        let mut in_loop = vec![false; nodes];
        for range in circuit.loops().iter().map(|l| &l.nodes) {
            in_loop[range.start as usize..range.end as usize].fill(true);
        }
        Substitution {
            circuit,
            builder: Builder::extend(circuit),
            edges: (0..nodes as u32)
                .map(|node| Edge::from(NodeId(node)))
                .collect(),
            starts,
            readers,
            in_loop,
            wanted,
            work,
            seen: vec![0; nodes],
            turn: 0,
        }
    }

    /// Returns what an edge of the circuit has become.
    pub(super) fn of(&self, edge: Edge) -> Edge {
        self.edges[edge.node().index()].invert_if(edge.inverted())
    }

    /// Returns what an output of the circuit has become.
    pub(super) fn output(&self, output: usize) -> Edge {
        self.of(self.circuit.outputs()[output])
    }

    /// Returns what all nodes have become.
    pub(super) fn edges(&self) -> Vec<Edge> {
        self.edges.clone()
    }

    /// All nodes become what they were before.
    pub(super) fn restore(&mut self, edges: &[Edge]) {
        self.edges.copy_from_slice(edges);
    }

    /// These nodes become what they were before.
    pub(super) fn restore_nodes(&mut self, nodes: &[NodeId], edges: &[Edge]) {
        for node in nodes {
            self.edges[node.index()] = edges[node.index()];
        }
    }

    /// Makes inputs constants, including those that recursion reads. Recursion itself remains unchanged.
    pub(super) fn set_known(&mut self, inputs: &[(usize, bool)]) -> Result<(), NotFound> {
        self.replace(inputs, false).map(|_| ())
    }

    /// Makes inputs constants. Returns the nodes that may have become something else.
    ///
    /// # Errors
    /// If recursion depends on one, or there is too much to analyse.
    pub(super) fn set(&mut self, inputs: &[(usize, bool)]) -> Result<Vec<NodeId>, NotFound> {
        self.replace(inputs, true)
    }

    fn replace(
        &mut self,
        inputs: &[(usize, bool)],
        everywhere: bool,
    ) -> Result<Vec<NodeId>, NotFound> {
        self.turn += 1;
        let mut open = Vec::new();
        let mut found = Vec::new();
        for &(input, value) in inputs {
            let node = self.circuit.inputs()[input];
            self.edges[node.index()] = Edge::FALSE.invert_if(value);
            found.push(node);
            open.push(node);
        }
        let mut gates = Vec::new();
        while let Some(node) = open.pop() {
            let range = self.starts[node.index()] as usize..self.starts[node.index() + 1] as usize;
            for &reader in &self.readers[range] {
                let reader = NodeId(reader);
                if !self.wanted.contains(reader) || self.seen[reader.index()] == self.turn {
                    continue;
                }
                self.seen[reader.index()] = self.turn;
                match (self.in_loop[reader.index()], everywhere) {
                    (true, true) => return Err(NotFound::Recursion),
                    (true, false) => {}
                    (false, _) => {
                        gates.push(reader);
                        open.push(reader);
                    }
                }
            }
        }
        self.work = (self.work.checked_sub(gates.len())).ok_or(NotFound::TooMuch)?;
        gates.sort_unstable();
        for &gate in &gates {
            if let Node::And(a, b) = self.circuit.node(gate) {
                self.edges[gate.index()] = self.builder.and(self.of(a), self.of(b));
            }
        }
        found.extend(gates);
        Ok(found)
    }
}
