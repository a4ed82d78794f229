//! Removal of dead logic, and evaluation order: keeps the nodes that the outputs need, in an
//! order that computes operands shortly before their use.
//!
//! Nodes come out in depth-first order from the outputs, strongly connected
//! components at a time (Tarjan 1972). So each loop of the result is one
//! component: nodes that do not depend on a loop's feedback are moved out of it, a
//! loop of several circles becomes several loops, and one without any disappears.

use hashbrown::HashMap;
use propjit_stop::{Stop, Ticker};
use rustc_hash::FxBuildHasher;

use super::feedback::Dependencies;
use crate::circuit::{Builder, Circuit, Edge, Node, NodeId};

/// The circuit without dead logic, in evaluation order.
pub(super) fn sweep(circuit: &Circuit) -> Circuit {
    sweep_until(circuit, &Stop::new()).expect("nobody stops it")
}

/// As [`sweep`]; none if `stop` is set before the circuit is made.
pub(super) fn sweep_until(circuit: &Circuit, stop: &Stop) -> Option<Circuit> {
    let mut ticker = stop.ticker();
    if ticker.is_set() {
        return None;
    }
    let mut sweep = Sweep::new(circuit);
    for output in circuit.outputs() {
        sweep.visit(output.node(), &mut ticker)?;
    }
    let outputs = circuit.outputs().iter().map(|&edge| sweep.moved(edge));
    let outputs = outputs.collect();
    Some(sweep.builder.finish(outputs))
}

/// Stands for "not yet" in the tables below.
const NONE: u32 = u32::MAX;

struct Sweep<'a> {
    circuit: &'a Circuit,
    depths: Vec<u32>,
    builder: Builder,
    /// The new edge of each old node, by its code.
    map: Vec<u32>,
    /// The time at which each node was discovered.
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
        Sweep {
            circuit,
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

    /// The operand of a node at the position, if it has one.
    fn operand(&self, node: NodeId, position: usize) -> Option<NodeId> {
        match self.circuit.node(node) {
            // The deeper one first: the other then waits for less long.
            Node::And(a, b) => {
                let (a, b) = (a.node(), b.node());
                let a_first = self.depths[a.index()] >= self.depths[b.index()];
                let order = if a_first { [a, b] } else { [b, a] };
                order.get(position).copied()
            }
            Node::Feedback => (position == 0).then(|| self.circuit.source(node).node()),
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

    /// Emits a node and everything it depends on. None if a stop comes.
    fn visit(&mut self, root: NodeId, ticker: &mut Ticker) -> Option<()> {
        if !self.is_done(root) {
            self.discover(root);
        }
        while let Some(top) = self.path.last_mut() {
            if ticker.is_set() {
                return None;
            }
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
        Some(())
    }

    fn reaches(&mut self, node: NodeId, discovered: u32) {
        let lowest = &mut self.lowest[node.index()];
        *lowest = discovered.min(*lowest);
    }

    /// Emits a strongly connected component.
    fn emit(&mut self, mut members: Vec<NodeId>) {
        let count = members.len();
        members.sort_unstable();
        if let [node] = members[..] {
            match self.circuit.node(node) {
                Node::And(a, b) => return self.emit_gate(node, a, b),
                Node::Feedback => {
                    let source = self.circuit.source(node);
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
        let is_feedback = |&node: &NodeId| self.circuit.node(node) == Node::Feedback;
        members.retain(is_feedback);
        let kept = self.cut(&members, count);
        let variables = self.builder.begin_loop(kept.len());
        for (node, variable) in kept.iter().zip(variables) {
            self.map[node.index()] = variable.code();
        }
        let sources = kept.iter().map(|&node| self.circuit.source(node));
        let sources: Vec<Edge> = sources.collect();
        for source in &sources {
            self.emit_acyclic(source.node());
        }
        let sources = sources.iter().map(|&source| self.moved(source));
        let sources: Vec<Edge> = sources.collect();
        self.builder.end_loop(&sources);
    }

    /// The feedback nodes that a component of `count` nodes must keep.
    fn cut(&mut self, feedback: &[NodeId], count: usize) -> Vec<NodeId> {
        let mut dependencies = Dependencies::default();
        // Searches together take time linear in the size of the component.
        let mut visits = 16 * count;
        let mut visited: HashMap<NodeId, usize, FxBuildHasher> = HashMap::default();
        for (at, &node) in feedback.iter().enumerate() {
            let mut reads = Vec::new();
            let mut waiting = vec![self.circuit.source(node).node()];
            while let Some(node) = waiting.pop() {
                // Nodes outside the component are done.
                if self.is_done(node) || visited.insert(node, at) == Some(at) {
                    continue;
                }
                if visits == 0 {
                    return feedback.to_vec();
                }
                visits -= 1;
                match self.circuit.node(node) {
                    Node::And(a, b) => waiting.extend([a.node(), b.node()]),
                    _ => reads.extend(feedback.binary_search(&node).ok().map(|at| at as u32)),
                }
            }
            dependencies.add(reads);
        }
        let cut = dependencies.cut();
        let kept = feedback.iter().zip(cut).filter(|&(_, cut)| cut);
        kept.map(|(&node, _)| node).collect()
    }

    /// Emits a node of the open loop and all that it needs; on circles, the feedback is done.
    fn emit_acyclic(&mut self, root: NodeId) {
        let mut waiting = vec![root];
        while let Some(&node) = waiting.last() {
            if self.is_done(node) {
                waiting.pop();
                continue;
            }
            let mut operands = (0..2).filter_map(|at| self.operand(node, at));
            let missing = operands.find(|&operand| !self.is_done(operand));
            match (missing, self.circuit.node(node)) {
                (Some(operand), _) => waiting.push(operand),
                (None, Node::And(a, b)) => self.emit_gate(node, a, b),
                (None, _) => self.map[node.index()] = self.moved(self.circuit.source(node)).code(),
            }
        }
    }

    fn emit_gate(&mut self, node: NodeId, a: Edge, b: Edge) {
        let edge = (self.builder).and_unshared(self.moved(a), self.moved(b));
        self.map[node.index()] = edge.code();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dead_logic_goes() {
        let mut g = Builder::new(3);
        let (a, b, c) = (g.input(0), g.input(1), g.input(2));
        let used = g.and(a, b);
        g.and(b, c);
        let swept = sweep(&g.finish(vec![used]));
        assert_eq!(swept.gates(), 1);
        assert_eq!(swept.inputs().len(), 3);
    }

    #[test]
    fn loops_without_circles_dissolve() {
        let mut g = Builder::new(2);
        let (a, b) = (g.input(0), g.input(1));
        let later = g.begin_loop(1)[0];
        let both = g.and(later, b);
        g.end_loop(&[a]);
        let swept = sweep(&g.finish(vec![both]));
        assert!(swept.loops().is_empty());
        assert_eq!(swept.gates(), 1);
    }

    #[test]
    fn loops_keep_only_what_goes_in_circles() {
        // Two rings of three nodes in one loop, and logic that is on neither.
        let mut g = Builder::new(6);
        let inputs: Vec<Edge> = (0..6).map(|i| g.input(i)).collect();
        let nodes = g.begin_loop(6);
        let outside = g.and(inputs[0], inputs[1]);
        let next = |i: usize| i / 3 * 3 + (i + 1) % 3;
        let sources: Vec<Edge> = (0..6).map(|i| g.or(nodes[next(i)], inputs[i])).collect();
        g.end_loop(&sources);
        let mut outputs = nodes;
        outputs.push(outside);
        let circuit = g.finish(outputs);
        let swept = sweep(&circuit);
        assert_eq!(swept.loops().len(), 2);
        for a_loop in swept.loops() {
            assert_eq!((a_loop.feedback.len(), a_loop.nodes.len()), (1, 4));
        }
        let inputs = [false, true, false, false, false, false];
        assert_eq!(swept.evaluate(&inputs), circuit.evaluate(&inputs));
    }
}
