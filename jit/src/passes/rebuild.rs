//! How passes make the circuit anew: node by node, loops kept.

use crate::circuit::{Builder, Circuit, Edge, Node, NodeId};

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
    mut replace: impl FnMut(&mut Builder, &Moved, NodeId) -> Option<Edge>,
) -> Circuit {
    let mut builder = Builder::new(circuit.inputs().len());
    let mut moved = Moved(vec![Edge::FALSE; circuit.nodes().len()]);
    let mut loops = circuit.loops().iter().peekable();
    for at in 0..circuit.nodes().len() as u32 {
        if let Some(ending) = loops.next_if(|l| l.nodes.end == at) {
            let sources = ending.feedback.iter().map(|&(_, edge)| moved.edge(edge));
            builder.end_loop(&sources.collect::<Vec<_>>());
        }
        if let Some(starting) = loops.peek().filter(|l| l.nodes.start == at) {
            let variables = builder.begin_loop(starting.feedback.len());
            for (&(node, _), variable) in starting.feedback.iter().zip(variables) {
                moved.0[node.index()] = variable;
            }
        }
        match circuit.node(NodeId(at)) {
            Node::Input(input) => moved.0[at as usize] = builder.input(input.index()),
            Node::And(..) => {
                if let Some(edge) = replace(&mut builder, &moved, NodeId(at)) {
                    moved.0[at as usize] = edge;
                }
            }
            Node::False | Node::Feedback => {}
        }
    }
    if let Some(ending) = loops.next() {
        let sources = ending.feedback.iter().map(|&(_, edge)| moved.edge(edge));
        builder.end_loop(&sources.collect::<Vec<_>>());
    }
    let outputs = circuit.outputs().iter().map(|&edge| moved.edge(edge));
    let outputs = outputs.collect();
    builder.finish(outputs)
}
