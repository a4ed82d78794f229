//! Drops conditions that the legality of a move implies: where a rulesheet says
//! "the move is made, and the piece is on its square", the second is known.

use super::Deadline;
use super::context;
use super::known::Facts;
use crate::assumptions::Assumptions;
use crate::circuit::{Circuit, Edge, Node};

/// The circuit with operands dropped that [`Assumptions::implies`] makes redundant.
pub(super) fn legality(
    circuit: &Circuit,
    assumptions: &Assumptions,
    deadline: &Deadline,
) -> Circuit {
    let facts = Facts {
        implied: implied(circuit, assumptions),
        ..Facts::default()
    };
    context::simplify(circuit, &facts, deadline)
}

/// By input, the outputs that it implies. Outputs that depend on such inputs
/// themselves are left out: they must not be simplified by their own truth.
fn implied(circuit: &Circuit, assumptions: &Assumptions) -> Vec<Vec<Edge>> {
    let mut implied = vec![Vec::new(); circuit.inputs().len()];
    let mut depends = vec![false; circuit.nodes().len()];
    for &(input, _) in &assumptions.implies {
        depends[circuit.inputs()[input.index()].index()] = true;
    }
    let is_gate_over = |depends: &[bool], at: usize| match circuit.nodes()[at] {
        Node::And(a, b) => depends[a.node().index()] || depends[b.node().index()],
        _ => depends[at],
    };
    let mut loops = circuit.loops().iter().peekable();
    for at in 0..depends.len() {
        depends[at] = is_gate_over(&depends, at);
        // A loop depends as a whole on what any of its nodes depends on.
        if let Some(a_loop) = loops.next_if(|l| l.nodes.end as usize == at + 1) {
            let nodes = a_loop.nodes.start as usize..a_loop.nodes.end as usize;
            if depends[nodes.clone()].contains(&true) {
                depends[nodes].fill(true);
            }
        }
    }
    for &(input, output) in &assumptions.implies {
        let edge = circuit.outputs()[output.index()];
        if !depends[edge.node().index()] {
            implied[input.index()].push(edge);
        }
    }
    implied
}
