//! Reconstruction of circuits by passes: node by node, with the same loops.

use crate::circuit::{Builder, Circuit, Edge, Loop, Node, NodeId};

/// The new edges of old nodes.
pub(super) struct Moved(Vec<Edge>);

impl Moved {
    /// Where the value of an old edge is in the new circuit.
    pub(super) fn edge(&self, old: Edge) -> Edge {
        self.0[old.node().index()].invert_if(old.inverted())
    }
}

/// The circuit with each gate replaced by what `replace` makes of it. Gates
/// that `replace` gives no edge for must not be asked for afterwards.
pub(super) fn rebuild(
    circuit: &Circuit,
    replace: impl FnMut(&mut Builder, &Moved, NodeId) -> Option<Edge>,
) -> Circuit {
    rebuild_late(circuit, |_| false, replace)
}

/// The circuit with the nodes replaced by constants whose value is known.
pub(super) fn rebuild_known(circuit: &Circuit, known: impl Fn(NodeId) -> Option<bool>) -> Circuit {
    let constant = |node| Some(Edge::FALSE.invert_if(known(node)?));
    rebuild_all(
        circuit,
        |_| false,
        constant,
        |builder, moved, node| {
            let Node::And(a, b) = circuit.node(node) else {
                return None;
            };
            Some(builder.and(moved.edge(a), moved.edge(b)))
        },
    )
}

/// The same, with some nodes made after all others. No other may depend on
/// them, and of a loop all nodes or none must be late.
pub(super) fn rebuild_late(
    circuit: &Circuit,
    is_late: impl Fn(NodeId) -> bool,
    replace: impl FnMut(&mut Builder, &Moved, NodeId) -> Option<Edge>,
) -> Circuit {
    rebuild_all(circuit, is_late, |_| None, replace)
}

/// The circuit with nodes of any kind replaced by what `constant` gives for them, and each
/// other gate by what `replace` makes of it.
fn rebuild_all(
    circuit: &Circuit,
    is_late: impl Fn(NodeId) -> bool,
    constant: impl Fn(NodeId) -> Option<Edge>,
    mut replace: impl FnMut(&mut Builder, &Moved, NodeId) -> Option<Edge>,
) -> Circuit {
    let mut builder = Builder::new(circuit.inputs().len());
    builder.reserve(circuit.gates());
    let mut moved = Moved(vec![Edge::FALSE; circuit.nodes().len()]);
    for (index, &node) in circuit.inputs().iter().enumerate() {
        moved.0[node.index()] = constant(node).unwrap_or_else(|| builder.input(index));
    }
    for late in [false, true] {
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
                    && let Some(edge) =
                        constant(node).or_else(|| replace(&mut builder, &moved, node))
                {
                    moved.0[at] = edge;
                }
            }
            if let Some(ending) = loops.next_if(|l| l.nodes.end as usize == at + 1)
                && is_late(node) == late
            {
                end_loop(&mut builder, &moved, ending);
            }
        }
    }
    let outputs = circuit.outputs().iter().map(|&edge| moved.edge(edge));
    let outputs = outputs.collect();
    builder.finish(outputs)
}

fn end_loop(builder: &mut Builder, moved: &Moved, ending: &Loop) {
    let sources = ending.feedback.iter().map(|&(_, edge)| moved.edge(edge));
    builder.end_loop(&sources.collect::<Vec<_>>());
}
