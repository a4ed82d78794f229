//! Supports: the base propositions that wires depend on.

use std::ops::Range;

use propjit_jit::circuit::{Circuit, Edge, Node, NodeId};
use propjit_stop::Stop;

use crate::game::vocabulary::state::ones;

/// Finds the inputs of a range that each edge depends on, as the circuit is built. `found` is called with
/// the number of the edge and that of an input in the range; for each edge, inputs ascend. Ends early when
/// the stop comes.
///
/// 64 inputs are followed through the circuit at a time.
pub(super) fn supports(
    circuit: &Circuit,
    inputs: &Range<usize>,
    edges: &[Edge],
    stop: &Stop,
    mut found: impl FnMut(usize, usize),
) {
    let mut words = vec![0u64; circuit.nodes().len()];
    for first in inputs.clone().step_by(64) {
        if stop.is_set() {
            return;
        }
        words.fill(0);
        for (bit, input) in (first..inputs.end.min(first + 64)).enumerate() {
            words[circuit.inputs()[input].index()] = 1 << bit;
        }
        follow(circuit, &mut words);
        for (number, edge) in edges.iter().enumerate() {
            for bit in ones([words[edge.node().index()]].into_iter()) {
                found(number, first - inputs.start + bit);
            }
        }
    }
}

/// Finds the inputs that some edges depend on together, and those that others do, one group after the
/// other: for few edges in a large circuit.
pub(super) struct Cones<'a> {
    circuit: &'a Circuit,
    /// For each node, the group for which it was seen last.
    seen: Vec<u32>,
    groups: u32,
    open: Vec<NodeId>,
}

impl<'a> Cones<'a> {
    pub(super) fn new(circuit: &'a Circuit) -> Cones<'a> {
        Cones {
            circuit,
            seen: vec![0; circuit.nodes().len()],
            groups: 0,
            open: Vec::new(),
        }
    }

    /// Calls `found` with the numbers of all inputs that the next group of edges depends on.
    pub(super) fn inputs(
        &mut self,
        edges: impl Iterator<Item = Edge>,
        mut found: impl FnMut(usize),
    ) {
        self.groups += 1;
        self.open.extend(edges.map(Edge::node));
        while let Some(node) = self.open.pop() {
            if std::mem::replace(&mut self.seen[node.index()], self.groups) == self.groups {
                continue;
            }
            match self.circuit.node(node) {
                Node::And(a, b) => self.open.extend([a.node(), b.node()]),
                Node::Feedback => self.open.push(self.circuit.source(node).node()),
                Node::Input(input) => found(input.index()),
                Node::False => {}
            }
        }
    }
}

/// Adds to each gate what its operands have.
fn follow(circuit: &Circuit, words: &mut [u64]) {
    let gates = |words: &mut [u64], range: Range<usize>| {
        for at in range {
            if let Node::And(a, b) = circuit.nodes()[at] {
                words[at] = words[a.node().index()] | words[b.node().index()];
            }
        }
    };
    let mut next = 0;
    for around in circuit.loops() {
        let inside = around.nodes.start as usize..around.nodes.end as usize;
        gates(words, next..inside.start);
        loop {
            gates(words, inside.clone());
            let mut changed = false;
            for &(node, source) in &around.feedback {
                let word = words[source.node().index()];
                changed |= words[node.index()] != word;
                words[node.index()] = word;
            }
            if !changed {
                break;
            }
        }
        next = inside.end;
    }
    gates(words, next..circuit.nodes().len());
}
