//! Drops conditions that the legality of a move implies: where a rulesheet says
//! "the move is made, and the piece is on its square", the second is known.

use super::Deadline;
use super::context;
use super::dependence::dependents;
use super::known::Facts;
use crate::assumptions::Assumptions;
use crate::circuit::{Circuit, Edge};

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
    let inputs = assumptions.implies.iter().map(|&(input, _)| input);
    let depends = dependents(circuit, inputs);
    for &(input, output) in &assumptions.implies {
        let edge = circuit.outputs()[output.index()];
        if !depends[edge.node().index()] {
            implied[input.index()].push(edge);
        }
    }
    implied
}
