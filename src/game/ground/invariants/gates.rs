//! The gates of some outputs, as clauses of as many states as are wanted.

use batsat::Lit;
use propjit_jit::circuit::{Edge, Node, NodeId};

use super::net::Net;
use super::solver::Solver;

/// Gates, each with its operands, in the order of evaluation.
pub(crate) struct Gates(Vec<(NodeId, Box<[Edge]>)>);

impl Gates {
    /// Returns the gates that outputs depend on and that were not seen yet, by node; they are then.
    pub(crate) fn of(net: &Net, outputs: impl Iterator<Item = usize>, seen: &mut [bool]) -> Gates {
        let mut found = Vec::new();
        let nodes = outputs.map(|output| net.circuit.outputs()[output].node());
        let mut open: Vec<NodeId> = nodes.collect();
        while let Some(node) = open.pop() {
            let is_gate = matches!(net.circuit.node(node), Node::And(..));
            if is_gate && !std::mem::replace(&mut seen[node.index()], true) {
                let operands = net.operands(node, |_| false);
                open.extend(operands.iter().map(|edge| edge.node()));
                found.push((node, operands.into_boxed_slice()));
            }
        }
        found.sort_unstable_by_key(|&(node, _)| node);
        Gates(found)
    }

    /// Makes clauses of the gates in a state. `wires` has the literals of its nodes: those of the operands are known.
    pub(crate) fn define(&self, wires: &mut [Lit], solver: &mut Solver) {
        let mut operands = Vec::new();
        for (node, edges) in &self.0 {
            operands.clear();
            let edges = edges.iter();
            operands.extend(edges.map(|edge| wires[edge.node().index()] ^ edge.inverted()));
            wires[node.index()] = solver.and_all(&operands);
        }
    }
}
