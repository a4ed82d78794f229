//! Circuits restricted to states that are not terminal.

use propjit_jit::circuit::{Circuit, Edge, NodeId, implied};
use propjit_jit::passes::rebuild_known;

/// Returns the circuit simplified for states in which `terminal` is false: gates that this decides are
/// constants. It has the same inputs and outputs.
pub(super) fn assume_false(circuit: &Circuit, terminal: Edge) -> Circuit {
    let in_loop = |node: NodeId| {
        let mut loops = circuit.loops().iter();
        loops.any(|around| around.nodes.contains(&node.0))
    };
    let mut known = vec![None; circuit.nodes().len()];
    for edge in implied(|node| circuit.node(node), [!terminal]) {
        if edge != Edge::FALSE && !in_loop(edge.node()) {
            known[edge.node().index()] = Some(!edge.inverted());
        }
    }
    rebuild_known(circuit, |node| known[node.index()])
}
