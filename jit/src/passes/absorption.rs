//! Absorption: `a & (a | b)` is `a`, `a & (!a | b)` is `a & b`, and the consequences
//! of these rules over wide gates and several levels.

use super::context;
use super::known::Facts;
use crate::circuit::Circuit;
use propjit_stop::Stop;

/// The circuit with operands dropped that the operands around them absorb.
pub(super) fn absorption(circuit: &Circuit, stop: &Stop) -> Circuit {
    context::simplify(circuit, &Facts::default(), stop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::{Builder, Edge};
    use crate::passes::sweep::sweep;

    fn after(inputs: usize, make: impl Fn(&mut Builder, &[Edge]) -> Vec<Edge>) -> Circuit {
        let mut g = Builder::new(inputs);
        let edges: Vec<Edge> = (0..inputs).map(|i| g.input(i)).collect();
        let outputs = make(&mut g, &edges);
        sweep(&absorption(&g.finish(outputs), &Stop::new()))
    }

    #[test]
    fn an_operand_absorbs_an_or_over_it() {
        // a & b & c & (d | c)
        let circuit = after(4, |g, x| {
            let or = g.or(x[3], x[2]);
            vec![g.and_all(&[x[0], x[1], x[2], or])]
        });
        assert_eq!(circuit.gates(), 2);
    }

    #[test]
    fn knowledge_reaches_several_levels_down() {
        // a & b & (c | d & (e | !a)): inside, a is true.
        let circuit = after(5, |g, x| {
            let inner = g.or(x[4], !x[0]);
            let middle = g.and(x[3], inner);
            let or = g.or(x[2], middle);
            vec![g.and_all(&[x[0], x[1], or])]
        });
        assert_eq!(circuit.gates(), 4);
    }

    #[test]
    fn shared_gates_are_seen_through_but_left_alone() {
        // a & (a & b | c), where a & b is needed elsewhere: a & (b | c).
        let circuit = after(3, |g, x| {
            let both = g.and(x[0], x[1]);
            let or = g.or(both, x[2]);
            vec![both, g.and(x[0], or)]
        });
        assert_eq!(circuit.gates(), 3);
        let (a, b) = (
            Edge::from(circuit.inputs()[0]),
            Edge::from(circuit.inputs()[1]),
        );
        let both = circuit.node(circuit.outputs()[0].node());
        assert_eq!(both, crate::circuit::Node::And(a, b));
    }

    #[test]
    fn contradictions_are_false() {
        // (a & b) & (c & !b), each part needed elsewhere.
        let circuit = after(4, |g, x| {
            let first = g.and_all(&[x[0], x[1], x[3]]);
            let second = g.and_all(&[x[2], x[3], !x[1]]);
            vec![first, second, g.and(first, second)]
        });
        assert_eq!(circuit.outputs()[2], Edge::FALSE);
    }
}
