//! Which nodes depend on which inputs.

use crate::circuit::{Circuit, InputId, Node};

/// By node, whether it depends on one of the inputs. A loop depends as a whole
/// on what any of its nodes depends on.
pub(super) fn dependents(circuit: &Circuit, inputs: impl Iterator<Item = InputId>) -> Vec<bool> {
    let mut depends = vec![false; circuit.nodes().len()];
    for input in inputs {
        depends[circuit.inputs()[input.index()].index()] = true;
    }
    let mut loops = circuit.loops().iter().peekable();
    for at in 0..depends.len() {
        if let Node::And(a, b) = circuit.nodes()[at] {
            depends[at] = depends[a.node().index()] || depends[b.node().index()];
        }
        if let Some(a_loop) = loops.next_if(|l| l.nodes.end as usize == at + 1) {
            let nodes = a_loop.nodes.start as usize..a_loop.nodes.end as usize;
            // Sources of feedback may be outside the loop.
            let mut sources = a_loop.feedback.iter().map(|(_, source)| source.node());
            if depends[nodes.clone()].contains(&true) || sources.any(|s| depends[s.index()]) {
                depends[nodes].fill(true);
            }
        }
    }
    depends
}
