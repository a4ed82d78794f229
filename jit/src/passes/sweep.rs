//! Dead logic and evaluation order: keeps what the outputs need, in an order
//! that computes operands shortly before their use.
//!
//! Nodes come out in depth-first order from the outputs, strongly connected
//! components at a time (Tarjan 1972). So each loop of the result is one
//! component: what does not depend on a loop's feedback is moved out of it, a
//! loop of several circles becomes several loops, and one without any is gone.

use crate::circuit::{Builder, Circuit, Edge, Node, NodeId};

/// The circuit without dead logic, in evaluation order.
pub(super) fn sweep(circuit: &Circuit) -> Circuit {
    let mut sweep = Sweep::new(circuit);
    for output in circuit.outputs() {
        sweep.visit(output.node());
    }
    let outputs = circuit.outputs().iter().map(|&edge| sweep.moved(edge));
    let outputs = outputs.collect();
    sweep.builder.finish(outputs)
}

/// Stands for "not yet" in the tables below.
const NONE: u32 = u32::MAX;

struct Sweep<'a> {
    circuit: &'a Circuit,
    /// The source of each feedback node.
    sources: Vec<(NodeId, Edge)>,
    depths: Vec<u32>,
    builder: Builder,
    /// The new edge of each old node, by its code.
    map: Vec<u32>,
    /// When each node was discovered.
    discovered: Vec<u32>,
    /// The earliest discovered open node that each node is known to reach.
    lowest: Vec<u32>,
    clock: u32,
    /// Discovered nodes whose component is not complete.
    open: Vec<NodeId>,
    /// The path from an output to the node being visited, with how many of the
    /// operands of each are done.
    path: Vec<(NodeId, usize)>,
}

impl<'a> Sweep<'a> {
    fn new(circuit: &'a Circuit) -> Sweep<'a> {
        let count = circuit.nodes().len();
        let builder = Builder::new(circuit.inputs().len());
        let mut map = vec![NONE; count];
        map[0] = Edge::FALSE.code();
        for (index, node) in circuit.inputs().iter().enumerate() {
            map[node.index()] = builder.input(index).code();
        }
        let loops = circuit.loops().iter();
        Sweep {
            circuit,
            sources: loops.flat_map(|l| l.feedback.iter().copied()).collect(),
            depths: circuit.depths(),
            builder,
            map,
            discovered: vec![NONE; count],
            lowest: vec![NONE; count],
            clock: 0,
            open: Vec::new(),
            path: Vec::new(),
        }
    }

    fn moved(&self, edge: Edge) -> Edge {
        Edge::from_code(self.map[edge.node().index()]).invert_if(edge.inverted())
    }

    fn is_done(&self, node: NodeId) -> bool {
        self.map[node.index()] != NONE
    }

    fn source(&self, feedback: NodeId) -> Edge {
        let at = self.sources.binary_search_by_key(&feedback, |&(id, _)| id);
        self.sources[at.expect("feedback nodes have sources")].1
    }

    /// The operand of a node at the position, if it has so many.
    fn operand(&self, node: NodeId, position: usize) -> Option<NodeId> {
        match self.circuit.node(node) {
            // The deeper one first: the other then waits for less long.
            Node::And(a, b) => {
                let (a, b) = (a.node(), b.node());
                let a_first = self.depths[a.index()] >= self.depths[b.index()];
                let order = if a_first { [a, b] } else { [b, a] };
                order.get(position).copied()
            }
            Node::Feedback => (position == 0).then(|| self.source(node).node()),
            Node::False | Node::Input(_) => None,
        }
    }

    fn discover(&mut self, node: NodeId) {
        self.discovered[node.index()] = self.clock;
        self.lowest[node.index()] = self.clock;
        self.clock += 1;
        self.open.push(node);
        self.path.push((node, 0));
    }

    /// Emits a node and everything it depends on.
    fn visit(&mut self, root: NodeId) {
        if !self.is_done(root) {
            self.discover(root);
        }
        while let Some(top) = self.path.last_mut() {
            let (node, position) = *top;
            top.1 += 1;
            match self.operand(node, position) {
                Some(operand) if self.is_done(operand) => {}
                Some(operand) if self.discovered[operand.index()] == NONE => self.discover(operand),
                Some(operand) => self.reaches(node, self.discovered[operand.index()]),
                None => {
                    self.path.pop();
                    let lowest = self.lowest[node.index()];
                    if let Some(&(user, _)) = self.path.last() {
                        self.reaches(user, lowest);
                    }
                    if lowest == self.discovered[node.index()] {
                        let members = self.open.iter().rposition(|&open| open == node);
                        let members = self.open.split_off(members.expect("the node is open"));
                        self.emit(members);
                    }
                }
            }
        }
    }

    fn reaches(&mut self, node: NodeId, discovered: u32) {
        let lowest = &mut self.lowest[node.index()];
        *lowest = discovered.min(*lowest);
    }

    /// Emits a strongly connected component.
    fn emit(&mut self, mut members: Vec<NodeId>) {
        if let [node] = members[..] {
            match self.circuit.node(node) {
                Node::And(a, b) => return self.emit_gate(node, a, b),
                Node::Feedback => {
                    let source = self.source(node);
                    if source.node() != node {
                        self.map[node.index()] = self.moved(source).code();
                        return;
                    }
                    if !source.inverted() {
                        self.map[node.index()] = Edge::FALSE.code();
                        return;
                    }
                }
                Node::False | Node::Input(_) => return,
            }
        }
        // But for feedback, the old order puts operands first.
        members.sort_unstable();
        let is_feedback = |&node: &NodeId| self.circuit.node(node) == Node::Feedback;
        let (feedback, gates): (Vec<_>, Vec<_>) = members.into_iter().partition(is_feedback);
        let variables = self.builder.begin_loop(feedback.len());
        for (node, variable) in feedback.iter().zip(variables) {
            self.map[node.index()] = variable.code();
        }
        for node in gates {
            if let Node::And(a, b) = self.circuit.node(node) {
                self.emit_gate(node, a, b);
            }
        }
        let sources = feedback.iter().map(|&node| self.moved(self.source(node)));
        let sources: Vec<Edge> = sources.collect();
        self.builder.end_loop(&sources);
    }

    fn emit_gate(&mut self, node: NodeId, a: Edge, b: Edge) {
        let edge = (self.builder).and_unshared(self.moved(a), self.moved(b));
        self.map[node.index()] = edge.code();
    }
}
