//! Circuits for states that are not terminal.

use propjit_jit::circuit::{Circuit, Edge, Node, NodeId};
use propjit_jit::passes::rebuild_known;

/// The circuit as far as it matters in states in which `terminal` is false: gates that this
/// decides are constants. It has the same inputs and outputs.
pub(super) fn assume_false(circuit: &Circuit, terminal: Edge) -> Circuit {
    let known = decided(circuit, !terminal);
    rebuild_known(circuit, |node| known[node.index()])
}

/// The nodes outside of loops whose values follow backwards from an edge's being true.
fn decided(circuit: &Circuit, edge: Edge) -> Vec<Option<bool>> {
    let mut known = vec![None; circuit.nodes().len()];
    let in_loop = |node: NodeId| {
        let mut loops = circuit.loops().iter();
        loops.any(|around| around.nodes.contains(&node.0))
    };
    let mut open = vec![edge];
    while let Some(edge) = open.pop() {
        let node = edge.node();
        if known[node.index()].is_some() || node == Edge::FALSE.node() || in_loop(node) {
            continue;
        }
        known[node.index()] = Some(!edge.inverted());
        if let (Node::And(a, b), false) = (circuit.node(node), edge.inverted()) {
            open.extend([a, b]);
        }
    }
    known
}
