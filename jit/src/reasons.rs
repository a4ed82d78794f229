//! Reasons (justifications): circuits that compute which inputs determine the values of wires.
//!
//! A *reason* for the values of some wires, under an assignment of all inputs, is a set of inputs:
//! every assignment that agrees on them gives the wires the same values. It is found by walking
//! from the wires towards the inputs: a gate that is true needs both operands, and one that is
//! false needs one false operand. That walk is a circuit itself, so that reasons are found in all
//! lanes at a time, and by machine code.

use crate::circuit::{Builder, Circuit, Edge, InputId, Loop, Node, NodeId};
use crate::passes::rebuild::{Moved, copy};

/// A circuit under construction that begins with another one, and to which walks are added.
#[derive(Debug)]
pub struct Walks<'a> {
    circuit: &'a Circuit,
    /// Whether each input may be part of reasons. The values of others are known beforehand.
    is_literal: Vec<bool>,
    /// About how many literals a reason has for each node to be false, and to be true.
    costs: Vec<[u32; 2]>,
    /// The builder of the whole, which the circuit is part of.
    pub builder: Builder,
    /// The nodes of the circuit in the builder.
    moved: Moved,
}

/// A wire of the circuit, and an edge of the builder that says whether a reason for its value is
/// wanted.
pub type Wanted = (Edge, Edge);

impl<'a> Walks<'a> {
    /// The circuit, with further inputs after its own. Reasons consist of inputs for which
    /// `is_literal` is true.
    pub fn new(
        circuit: &'a Circuit,
        further_inputs: usize,
        is_literal: impl Fn(usize) -> bool,
    ) -> Walks<'a> {
        let inputs = circuit.inputs().len();
        let mut builder = Builder::new(inputs + further_inputs);
        let is_literal: Vec<bool> = (0..inputs).map(is_literal).collect();
        Walks {
            moved: copy(circuit, &mut builder),
            costs: costs(circuit, &is_literal),
            circuit,
            is_literal,
            builder,
        }
    }

    /// The value of an edge of the circuit.
    pub fn value(&self, edge: Edge) -> Edge {
        self.moved.edge(edge)
    }

    /// For each input of the circuit, whether it is in the reasons for the wires that are wanted.
    ///
    /// A gate that is false for two reasons has the one that takes fewer literals at a guess. A
    /// loop has all that is read from outside of it as the reason for each of its nodes.
    pub fn reasons(&mut self, wanted: &[Wanted]) -> Vec<Edge> {
        let mut walk = Walk {
            needed: vec![Vec::new(); self.circuit.nodes().len()],
            looped: vec![Vec::new(); self.circuit.loops().len()],
            loops: self.circuit.loops(),
        };
        for &(wire, is_wanted) in wanted {
            walk.need(wire.node(), is_wanted);
        }
        let mut open = self.circuit.loops().len();
        for at in (0..self.circuit.nodes().len()).rev() {
            if open > 0 && self.circuit.loops()[open - 1].nodes.end as usize == at + 1 {
                open -= 1;
                self.walk_loop(&mut walk, open);
            }
            let Node::And(a, b) = self.circuit.nodes()[at] else {
                continue;
            };
            let needed = std::mem::take(&mut walk.needed[at]);
            if needed.is_empty() {
                continue;
            }
            let needed = self.builder.or_all(&needed);
            let cost = |edge: Edge| self.costs[edge.node().index()][usize::from(edge.inverted())];
            // If both are false, the first one is the reason.
            let (first, second) = if cost(a) <= cost(b) { (a, b) } else { (b, a) };
            let (x, y) = (self.value(first), self.value(second));
            let either = self.builder.or(!x, y);
            let need_first = self.builder.and(needed, either);
            let need_second = self.builder.and(needed, x);
            walk.need(first.node(), need_first);
            walk.need(second.node(), need_second);
        }
        let inputs = self.circuit.inputs().iter().zip(&self.is_literal);
        let needed = inputs.map(|(input, &is_literal)| match is_literal {
            true => self.builder.or_all(&walk.needed[input.index()]),
            false => Edge::FALSE,
        });
        needed.collect()
    }

    /// Passes the demand on a loop on to all nodes that it reads.
    fn walk_loop(&mut self, walk: &mut Walk, number: usize) {
        let needed = std::mem::take(&mut walk.looped[number]);
        if needed.is_empty() {
            return;
        }
        let needed = self.builder.or_all(&needed);
        let around = &self.circuit.loops()[number];
        let mut read: Vec<NodeId> = around.feedback.iter().map(|(_, s)| s.node()).collect();
        for at in around.nodes.clone() {
            if let Node::And(a, b) = self.circuit.node(NodeId(at)) {
                read.extend([a.node(), b.node()]);
            }
        }
        read.retain(|node| !around.nodes.contains(&node.0));
        read.sort_unstable();
        read.dedup();
        read.into_iter().for_each(|node| walk.need(node, needed));
    }
}

/// The demand on nodes that the walk has not reached yet.
struct Walk<'a> {
    /// For each node outside of loops, the edges of which one is true if it is needed.
    needed: Vec<Vec<Edge>>,
    /// For each loop, the edges of which one is true if it is needed.
    looped: Vec<Vec<Edge>>,
    loops: &'a [Loop],
}

impl Walk<'_> {
    fn need(&mut self, node: NodeId, needed: Edge) {
        if needed == Edge::FALSE {
            return;
        }
        let around = self.loops.partition_point(|l| l.nodes.end <= node.0);
        match self.loops.get(around) {
            Some(l) if l.nodes.contains(&node.0) => self.looped[around].push(needed),
            _ => self.needed[node.index()].push(needed),
        }
    }
}

/// About how many literals it takes for each node to be false, and to be true, as if nothing was
/// shared.
fn costs(circuit: &Circuit, is_literal: &[bool]) -> Vec<[u32; 2]> {
    let mut costs = vec![[0, 0]; circuit.nodes().len()];
    let of = |costs: &[[u32; 2]], edge: Edge, value: bool| {
        costs[edge.node().index()][usize::from(value != edge.inverted())]
    };
    for (at, node) in circuit.nodes().iter().enumerate() {
        costs[at] = match *node {
            Node::False => [0, 0],
            Node::Input(InputId(input)) => [u32::from(is_literal[input as usize]); 2],
            Node::And(a, b) => {
                let least = of(&costs, a, false).min(of(&costs, b, false));
                [
                    least,
                    of(&costs, a, true).saturating_add(of(&costs, b, true)),
                ]
            }
            // More than anything else: a loop needs all that it reads.
            Node::Feedback => [1 << 20; 2],
        };
    }
    costs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::passes::testing::circuits;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        /// Every assignment that agrees on the reason gives the wires that are wanted the same
        /// values; and an input that is not a literal is never part of a reason.
        #[test]
        fn completions_of_reasons_give_the_same_values(
            (circuit, _) in circuits(),
            literals: u8,
            given: u8,
            wanted: u64,
        ) {
            let inputs = circuit.inputs().len();
            let is_literal = |input: usize| literals >> input & 1 == 1;
            let outputs = circuit.outputs().len();
            let mut walks = Walks::new(&circuit, outputs, is_literal);
            let wires: Vec<Wanted> = (circuit.outputs().iter().zip(inputs..))
                .map(|(&wire, input)| (wire, walks.builder.input(input)))
                .collect();
            let reasons = walks.reasons(&wires);
            let walk = walks.builder.finish(reasons);

            let bits = |word: u64, count: usize| (0..count).map(move |i| word >> i & 1 == 1);
            let is_wanted: Vec<bool> = bits(wanted, outputs).collect();
            let given_bits: Vec<bool> = bits(given.into(), inputs).collect();
            let all: Vec<bool> = given_bits.iter().chain(&is_wanted).copied().collect();
            let reason = walk.evaluate(&all);
            let values = circuit.evaluate(&given_bits);
            prop_assert!((0..inputs).all(|input| is_literal(input) || !reason[input]));
            for other in 0..1u64 << inputs {
                let other: Vec<bool> = bits(other, inputs).collect();
                let agrees = |i: usize| {
                    (is_literal(i) && !reason[i]) || other[i] == given_bits[i]
                };
                if (0..inputs).all(agrees) {
                    let same = circuit.evaluate(&other);
                    for output in (0..outputs).filter(|&output| is_wanted[output]) {
                        prop_assert_eq!(same[output], values[output]);
                    }
                }
            }
        }
    }

    #[test]
    fn a_false_gate_has_the_smaller_reason() {
        let mut builder = Builder::new(4);
        let [a, b, c, d] = [0, 1, 2, 3].map(|input| builder.input(input));
        let all = builder.and_all(&[a, b, c]);
        let wire = builder.and(!all, d);
        let circuit = builder.finish(vec![wire]);
        let mut walks = Walks::new(&circuit, 0, |_| true);
        let reasons = walks.reasons(&[(wire, Edge::TRUE)]);
        let walk = walks.builder.finish(reasons);
        let reason = |inputs: [bool; 4]| walk.evaluate(&inputs);
        assert_eq!(
            reason([true, true, true, false]),
            [false, false, false, true]
        );
        assert_eq!(reason([true, true, true, true]), [true, true, true, false]);
        assert_eq!(
            reason([false, true, true, true])
                .iter()
                .filter(|&&l| l)
                .count(),
            2
        );
    }
}
