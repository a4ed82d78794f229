//! Case analysis: a part of a circuit, evaluated for many combinations of values of a few of its
//! inputs at a time.

use propjit_jit::circuit::{Circuit, Edge, InputId, Node, NodeId};
use rustc_hash::FxHashMap;

/// The number of words of cases that are evaluated together, a bit each.
const WORDS: usize = 4;

/// The number of cases that are evaluated together.
pub(super) const LANES: usize = 64 * WORDS;

/// The value of a wire in each of [`LANES`] cases.
pub(super) type Row = [u64; WORDS];

/// The cone of some edges. Its inputs have a value in each case.
pub(super) struct Cases {
    /// For each wire, the operands of its gate; `None` for inputs, and for the constant, which is
    /// wire 0.
    gates: Vec<Option<[Wire; 2]>>,
    inputs: FxHashMap<InputId, usize>,
    rows: Vec<Row>,
    roots: Vec<Wire>,
}

/// A wire, or its inverse.
#[derive(Clone, Copy)]
struct Wire {
    at: usize,
    inverted: bool,
}

impl Cases {
    /// Creates the cone of these edges. `None` if it has more than `most` nodes, or feedback.
    pub(super) fn new(circuit: &Circuit, roots: &[Edge], most: usize) -> Option<Cases> {
        let mut nodes = vec![Edge::FALSE.node()];
        let mut seen: FxHashMap<NodeId, usize> = FxHashMap::from_iter([(nodes[0], 0)]);
        let mut open: Vec<NodeId> = roots.iter().map(|root| root.node()).collect();
        while let Some(node) = open.pop() {
            if seen.insert(node, 0).is_none() {
                nodes.push(node);
                match circuit.node(node) {
                    Node::And(a, b) => open.extend([a.node(), b.node()]),
                    Node::Feedback => return None,
                    Node::False | Node::Input(_) => {}
                }
                if nodes.len() > most {
                    return None;
                }
            }
        }
        nodes.sort_unstable();
        for (at, node) in nodes.iter().enumerate() {
            seen.insert(*node, at);
        }
        let wire = |edge: Edge| Wire {
            at: seen[&edge.node()],
            inverted: edge.inverted(),
        };
        let mut inputs = FxHashMap::default();
        let mut gates = Vec::with_capacity(nodes.len());
        for (at, &node) in nodes.iter().enumerate() {
            gates.push(match circuit.node(node) {
                Node::And(a, b) => Some([wire(a), wire(b)]),
                Node::Input(input) => {
                    inputs.insert(input, at);
                    None
                }
                Node::False | Node::Feedback => None,
            });
        }
        Some(Cases {
            inputs,
            rows: vec![Row::default(); nodes.len()],
            roots: roots.iter().map(|&root| wire(root)).collect(),
            gates,
        })
    }

    /// Returns the inputs of the cone, ascending.
    pub(super) fn inputs(&self) -> Vec<usize> {
        let inputs = self.inputs.keys().map(|input| input.index());
        let mut inputs: Vec<usize> = inputs.collect();
        inputs.sort_unstable();
        inputs
    }

    /// Returns the number of wires.
    pub(super) fn size(&self) -> usize {
        self.gates.len()
    }

    /// Sets the value of an input in all cases, if there is such an input.
    pub(super) fn set(&mut self, input: usize, row: Row) {
        if let Some(&at) = self.inputs.get(&InputId(input as u32)) {
            self.rows[at] = row;
        }
    }

    /// Sets the value of an input in one case to true, if there is such an input.
    pub(super) fn set_true(&mut self, input: usize, case: usize) {
        if let Some(&at) = self.inputs.get(&InputId(input as u32)) {
            self.rows[at][case / 64] |= 1 << (case % 64);
        }
    }

    /// Sets all inputs to false.
    pub(super) fn clear(&mut self) {
        self.rows.fill(Row::default());
    }

    /// Computes the values of all edges.
    pub(super) fn evaluate(&mut self) {
        for at in 0..self.gates.len() {
            if let Some([a, b]) = self.gates[at] {
                let (a, b) = (self.row(a), self.row(b));
                self.rows[at] = std::array::from_fn(|word| a[word] & b[word]);
            }
        }
    }

    /// Returns the value of an edge, by its index among the roots.
    pub(super) fn root(&self, place: usize) -> Row {
        self.row(self.roots[place])
    }

    fn row(&self, wire: Wire) -> Row {
        let inverted = if wire.inverted { !0 } else { 0 };
        self.rows[wire.at].map(|word| word ^ inverted)
    }
}
