//! Reconstruction of circuits by passes: node by node, with the same loops.

use crate::circuit::{Builder, Circuit, Edge, Loop, Node, NodeId};

/// The new edges of old nodes.
#[derive(Debug)]
pub(crate) struct Moved(Vec<Edge>);

impl Moved {
    /// Returns the new edge of an old one.
    pub(crate) fn edge(&self, old: Edge) -> Edge {
        self.0[old.node().index()].invert_if(old.inverted())
    }

    /// Copies the gate of a node, with its operands in the new circuit.
    pub(crate) fn same(
        &self,
        circuit: &Circuit,
        builder: &mut Builder,
        node: NodeId,
    ) -> Option<Edge> {
        let Node::And(a, b) = circuit.node(node) else {
            return None;
        };
        Some(builder.and(self.edge(a), self.edge(b)))
    }
}

/// Returns the circuit with each gate replaced by the edge that `replace` gives. Gates
/// that `replace` gives no edge for must not be used afterwards.
pub(crate) fn rebuild(
    circuit: &Circuit,
    replace: impl FnMut(&mut Builder, &Moved, NodeId) -> Option<Edge>,
) -> Circuit {
    rebuild_late(circuit, |_| false, replace)
}

/// The circuit with the nodes replaced by constants whose value is known. It has the same inputs
/// and outputs.
pub fn rebuild_known(circuit: &Circuit, known: impl Fn(NodeId) -> Option<bool>) -> Circuit {
    let constant = |node| Some(Edge::FALSE.invert_if(known(node)?));
    let same = |builder: &mut Builder, moved: &Moved, node| moved.same(circuit, builder, node);
    rebuild_all(circuit, |_| false, constant, same)
}

/// Adds all nodes of the circuit to a builder with at least as many inputs.
pub(crate) fn copy(circuit: &Circuit, builder: &mut Builder) -> Moved {
    let same = |builder: &mut Builder, moved: &Moved, node| moved.same(circuit, builder, node);
    rebuild_into(circuit, builder, |_| false, |_| None, same, |_, _| ())
}

/// Adds all nodes of the circuit to a builder, and returns the edges of its outputs. Its first inputs
/// are replaced by the edges `given`; the others, by those that `make` makes from the outputs;
/// outputs that depend on these are not available yet, and false.
///
/// ```
/// use propjit_jit::circuit::Builder;
/// use propjit_jit::passes::connect;
/// let mut builder = Builder::new(2);
/// let (a, b) = (builder.input(0), builder.input(1));
/// let both = builder.and(a, b);
/// let circuit = builder.finish(vec![!a, both]);
/// // The second input is the first output.
/// let mut builder = Builder::new(1);
/// let given = [builder.input(0)];
/// let outputs = connect(&circuit, &mut builder, &given, |_, outputs| vec![outputs[0]]);
/// assert!(builder.finish(outputs).evaluate(&[false]) == [true, false]);
/// ```
///
/// # Panics
/// If more edges are given than there are inputs, or `make` makes another number of them than
/// are left.
pub fn connect(
    circuit: &Circuit,
    builder: &mut Builder,
    given: &[Edge],
    make: impl FnOnce(&mut Builder, &[Edge]) -> Vec<Edge>,
) -> Vec<Edge> {
    let replaced = &circuit.inputs()[given.len()..];
    let late = circuit.influence(replaced.iter().copied());
    let input = |node| match circuit.node(node) {
        Node::Input(input) => Some(given.get(input.index()).copied().unwrap_or(Edge::FALSE)),
        _ => None,
    };
    let same = |builder: &mut Builder, moved: &Moved, node| moved.same(circuit, builder, node);
    let outputs = |moved: &Moved| -> Vec<Edge> {
        let outputs = circuit.outputs().iter();
        outputs.map(|&edge| moved.edge(edge)).collect()
    };
    let between = |builder: &mut Builder, moved: &mut Moved| {
        let made = make(builder, &outputs(moved));
        assert_eq!(made.len(), replaced.len(), "an edge for each input");
        for (node, made) in replaced.iter().zip(made) {
            moved.0[node.index()] = made;
        }
    };
    let is_late = |node| late.contains(node);
    let moved = rebuild_into(circuit, builder, is_late, input, same, between);
    outputs(&moved)
}

/// As [`rebuild`], with some nodes made after all others. No other may depend on
/// them, and of a loop all nodes or none must be late.
pub(super) fn rebuild_late(
    circuit: &Circuit,
    is_late: impl Fn(NodeId) -> bool,
    replace: impl FnMut(&mut Builder, &Moved, NodeId) -> Option<Edge>,
) -> Circuit {
    rebuild_all(circuit, is_late, |_| None, replace)
}

/// Returns the circuit with nodes of any kind replaced by the edges that `constant` gives for them,
/// and each other gate by the edge that `replace` gives.
fn rebuild_all(
    circuit: &Circuit,
    is_late: impl Fn(NodeId) -> bool,
    constant: impl Fn(NodeId) -> Option<Edge>,
    replace: impl FnMut(&mut Builder, &Moved, NodeId) -> Option<Edge>,
) -> Circuit {
    let mut builder = Builder::new(circuit.inputs().len());
    let moved = rebuild_into(circuit, &mut builder, is_late, constant, replace, |_, _| ());
    let outputs = circuit.outputs().iter().map(|&edge| moved.edge(edge));
    let outputs = outputs.collect();
    builder.finish(outputs)
}

/// As [`rebuild_all`], in a builder with at least as many inputs, with a callback before late nodes
/// are made.
fn rebuild_into(
    circuit: &Circuit,
    builder: &mut Builder,
    is_late: impl Fn(NodeId) -> bool,
    constant: impl Fn(NodeId) -> Option<Edge>,
    mut replace: impl FnMut(&mut Builder, &Moved, NodeId) -> Option<Edge>,
    between: impl FnOnce(&mut Builder, &mut Moved),
) -> Moved {
    builder.reserve(circuit.gates());
    let mut moved = Moved(vec![Edge::FALSE; circuit.nodes().len()]);
    for (index, &node) in circuit.inputs().iter().enumerate() {
        moved.0[node.index()] = constant(node).unwrap_or_else(|| builder.input(index));
    }
    let mut between = Some(between);
    for late in [false, true] {
        if late && let Some(between) = between.take() {
            between(builder, &mut moved);
        }
        let mut loops = circuit.loops().iter().peekable();
        for at in 0..circuit.nodes().len() {
            let node = NodeId(at as u32);
            if is_late(node) == late {
                let starting = loops.peek().filter(|l| l.nodes.start as usize == at);
                if let Some(starting) = starting {
                    let variables = builder.begin_loop(starting.feedback.len());
                    for (&(node, _), variable) in starting.feedback.iter().zip(variables) {
                        moved.0[node.index()] = constant(node).unwrap_or(variable);
                    }
                }
                if let Node::And(..) = circuit.node(node)
                    && let Some(edge) = constant(node).or_else(|| replace(builder, &moved, node))
                {
                    moved.0[at] = edge;
                }
            }
            if let Some(ending) = loops.next_if(|l| l.nodes.end as usize == at + 1)
                && is_late(node) == late
            {
                end_loop(builder, &moved, ending);
            }
        }
    }
    moved
}

fn end_loop(builder: &mut Builder, moved: &Moved, ending: &Loop) {
    let sources = ending.feedback.iter().map(|&(_, edge)| moved.edge(edge));
    builder.end_loop(&sources.collect::<Vec<_>>());
}
