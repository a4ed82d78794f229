//! Removal of conditions that the legality of a move implies: if a rulesheet says
//! "the move is made, and the piece is on its square", the second is known.

use super::context;
use super::known::Facts;
use crate::assumptions::Assumptions;
use crate::circuit::{Circuit, Edge};
use propjit_stop::Stop;

/// The circuit with operands dropped that [`Assumptions::implies`] makes redundant.
pub(super) fn legality(circuit: &Circuit, assumptions: &Assumptions, stop: &Stop) -> Circuit {
    let facts = Facts {
        implied: implied(circuit, assumptions),
        ..Facts::default()
    };
    context::simplify(circuit, &facts, stop)
}

/// By input, the outputs that it implies. Outputs that depend on such inputs
/// themselves are left out: they must not be simplified by their own truth.
fn implied(circuit: &Circuit, assumptions: &Assumptions) -> Vec<Vec<Edge>> {
    let mut implied = vec![Vec::new(); circuit.inputs().len()];
    let inputs = assumptions.implies.iter().map(|&(input, _)| input);
    let depends = circuit.influence(inputs.map(|input| circuit.inputs()[input.index()]));
    for &(input, output) in &assumptions.implies {
        let edge = circuit.outputs()[output.index()];
        if !depends.contains(edge.node()) {
            implied[input.index()].push(edge);
        }
    }
    implied
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::{Builder, InputId, OutputId};
    use crate::passes::sweep::sweep;

    fn input_implies_output(input: u32, output: u32) -> Assumptions {
        Assumptions {
            implies: vec![(InputId(input), OutputId(output))],
            ..Assumptions::default()
        }
    }

    #[test]
    fn what_makes_a_move_legal_is_not_asked_again() {
        // The move is legal with a & b; then: (move & a & c) | (move & !b).
        let mut g = Builder::new(4);
        let (made, a, b, c) = (g.input(0), g.input(1), g.input(2), g.input(3));
        let legal = g.and(a, b);
        let kept = g.and_all(&[made, a, c]);
        let dropped = g.and(made, !b);
        let next = g.or(kept, dropped);
        let circuit = g.finish(vec![legal, next]);
        let after = legality(&circuit, &input_implies_output(0, 0), &Stop::new());
        let after = sweep(&after);
        assert_eq!(after.gates(), 2);
        assert_eq!(after.evaluate(&[true, true, true, false]), [true, false]);
        assert_eq!(after.evaluate(&[true, true, true, true]), [true, true]);
    }

    #[test]
    fn conditions_that_depend_on_moves_are_not_used() {
        // The "legality" of the move contains the move: it must not vanish.
        let mut g = Builder::new(2);
        let legal = {
            let (made, a) = (g.input(0), g.input(1));
            g.and(made, a)
        };
        let circuit = g.finish(vec![legal]);
        let after = legality(&circuit, &input_implies_output(0, 0), &Stop::new());
        assert_eq!(sweep(&after).gates(), 1);
    }
}
