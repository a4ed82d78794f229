//! Local simplification rules for new gates, which look no further than the operands
//! of their operands.
//!
//! The rules are those of Brummayer and Biere, "Local two-level and-inverter
//! graph minimization without blowup" (2006), up to their third level: none
//! makes more than the one gate that was requested, so they never cost anything.

use super::{Edge, Node};

/// The result of simplifying a conjunction of two edges.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Simplified {
    /// An edge that exists.
    Edge(Edge),
    /// A gate over these edges, the smaller first.
    Gate(Edge, Edge),
}

/// The simplest equivalent of `a` and `b`.
pub(super) fn simplify(nodes: &[Node], mut a: Edge, mut b: Edge) -> Simplified {
    // Every step replaces an operand by one of its own operands, so this ends.
    loop {
        if a > b {
            (a, b) = (b, a);
        }
        if a == Edge::FALSE || a == !b {
            return Simplified::Edge(Edge::FALSE);
        }
        if a == Edge::TRUE || a == b {
            return Simplified::Edge(b);
        }
        let (below_a, below_b) = (operands(nodes, a), operands(nodes, b));
        let step = below_a
            .and_then(|below| against_edge(a, below, b))
            .or_else(|| below_b.and_then(|below| against_edge(b, below, a)))
            .or_else(|| against_gate(a, below_a?, b, below_b?));
        match step {
            None => return Simplified::Gate(a, b),
            Some(Step::Is(edge)) => return Simplified::Edge(edge),
            Some(Step::Instead(new_a, new_b)) => (a, b) = (new_a, new_b),
        }
    }
}

/// The result of one rule.
enum Step {
    /// The conjunction is this edge.
    Is(Edge),
    /// The conjunction is that of these edges.
    Instead(Edge, Edge),
}

fn operands(nodes: &[Node], edge: Edge) -> Option<[Edge; 2]> {
    match nodes[edge.node().index()] {
        Node::And(a, b) => Some([a, b]),
        _ => None,
    }
}

/// Rules for the conjunction of `gate`, an edge from a gate over `below`, and `other`.
fn against_edge(gate: Edge, below: [Edge; 2], other: Edge) -> Option<Step> {
    let [x, y] = below;
    let same = x == other || y == other;
    let opposite = x == !other || y == !other;
    match (gate.inverted(), same, opposite) {
        // Contradiction and idempotence.
        (false, _, true) => Some(Step::Is(Edge::FALSE)),
        (false, true, _) => Some(Step::Is(gate)),
        // Subsumption and substitution.
        (true, _, true) => Some(Step::Is(other)),
        (true, true, _) => Some(Step::Instead(other, if x == other { !y } else { !x })),
        _ => None,
    }
}

/// Rules for the conjunction of two edges from gates.
fn against_gate(a: Edge, below_a: [Edge; 2], b: Edge, below_b: [Edge; 2]) -> Option<Step> {
    let pairs = [(0, 0), (0, 1), (1, 0), (1, 1)];
    let same = pairs.into_iter().find(|&(i, j)| below_a[i] == below_b[j]);
    let opposite = pairs.into_iter().find(|&(i, j)| below_a[i] == !below_b[j]);
    match (a.inverted(), b.inverted()) {
        (false, false) => match (opposite, same) {
            (Some(_), _) => Some(Step::Is(Edge::FALSE)),
            (None, Some((_, j))) => Some(Step::Instead(a, below_b[1 - j])),
            (None, None) => None,
        },
        (true, false) => mixed(below_a, b, opposite, same.map(|(i, _)| i)),
        (false, true) => mixed(below_b, a, opposite, same.map(|(_, j)| j)),
        // Resolution: `!(c & x) & !(c & !x)` is `!c`.
        (true, true) => {
            let (i, j) = same?;
            let resolves = below_a[1 - i] == !below_b[1 - j];
            resolves.then_some(Step::Is(!below_a[i]))
        }
    }
}

/// Rules for the conjunction of an inverted gate over `inverted` and a gate `plain`,
/// where some operands of the two are opposite, and `same` of `inverted` is the other's.
fn mixed(
    inverted: [Edge; 2],
    plain: Edge,
    opposite: Option<(usize, usize)>,
    same: Option<usize>,
) -> Option<Step> {
    match (opposite, same) {
        (Some(_), _) => Some(Step::Is(plain)),
        (None, Some(i)) => Some(Step::Instead(!inverted[1 - i], plain)),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::circuit::{Builder, Edge};

    /// The number of gates that `make` adds over four inputs, and its result.
    fn gates(make: impl Fn(&mut Builder, [Edge; 4]) -> Edge) -> (usize, Edge) {
        let mut builder = Builder::new(4);
        let inputs = [0, 1, 2, 3].map(|i| builder.input(i));
        let edge = make(&mut builder, inputs);
        (builder.len() - 5, edge)
    }

    #[test]
    fn contradiction_and_idempotence() {
        let (_, edge) = gates(|g, [a, b, ..]| {
            let ab = g.and(a, b);
            g.and(ab, !a)
        });
        assert_eq!(edge, Edge::FALSE);
        let (count, _) = gates(|g, [a, b, ..]| {
            let ab = g.and(a, b);
            g.and(b, ab)
        });
        assert_eq!(count, 1);
        let (_, edge) = gates(|g, [a, b, c, _]| {
            let (ab, bc) = (g.and(a, b), g.and(!b, c));
            g.and(ab, bc)
        });
        assert_eq!(edge, Edge::FALSE);
    }

    #[test]
    fn subsumption_and_substitution() {
        let (_, edge) = gates(|g, [a, b, ..]| {
            let ab = g.and(!a, b);
            g.and(!ab, a)
        });
        assert_eq!(edge, Builder::new(4).input(0));
        let (_, edge) = gates(|g, [a, b, ..]| {
            let (ab, plain) = (g.and(a, b), g.and(a, !b));
            assert_eq!(g.and(!ab, a), plain);
            g.and(!ab, plain)
        });
        assert!(!edge.inverted());
    }

    #[test]
    fn resolution() {
        let (_, edge) = gates(|g, [a, b, ..]| {
            let (x, y) = (g.and(a, b), g.and(a, !b));
            g.and(!x, !y)
        });
        assert_eq!(edge, !Builder::new(4).input(0));
    }
}
