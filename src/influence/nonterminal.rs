//! Circuits for states that are not terminal.

use propjit_jit::circuit::{Builder, Circuit, Edge, Node, NodeId};

/// The circuit as far as it matters in states in which `terminal` is false: gates that this
/// decides are constants. It has the same inputs and outputs.
pub(super) fn assume_false(circuit: &Circuit, terminal: Edge) -> Circuit {
    let known = decided(circuit, !terminal);
    let mut builder = Builder::new(circuit.inputs().len());
    let mut moved = vec![Edge::FALSE; circuit.nodes().len()];
    let edge = |moved: &[Edge], old: Edge| moved[old.node().index()].invert_if(old.inverted());
    let mut loops = circuit.loops().iter().peekable();
    for (at, node) in circuit.nodes().iter().enumerate() {
        if let Some(starting) = loops.peek().filter(|l| l.nodes.start as usize == at) {
            let variables = builder.begin_loop(starting.feedback.len());
            for (&(node, _), variable) in starting.feedback.iter().zip(variables) {
                moved[node.index()] = variable;
            }
        }
        match (known[at], *node) {
            (Some(value), _) => moved[at] = Edge::FALSE.invert_if(value),
            (None, Node::Input(input)) => moved[at] = builder.input(input.index()),
            (None, Node::And(a, b)) => {
                let (a, b) = (edge(&moved, a), edge(&moved, b));
                moved[at] = builder.and(a, b);
            }
            (None, Node::False | Node::Feedback) => {}
        }
        if let Some(ending) = loops.next_if(|l| l.nodes.end as usize == at + 1) {
            let sources = ending.feedback.iter();
            let sources: Vec<Edge> = sources.map(|&(_, source)| edge(&moved, source)).collect();
            builder.end_loop(&sources);
        }
    }
    let outputs = circuit.outputs().iter();
    let outputs = outputs.map(|&output| edge(&moved, output)).collect();
    builder.finish(outputs)
}

/// The nodes outside of loops whose values follow backwards from an edge's being true.
fn decided(circuit: &Circuit, edge: Edge) -> Vec<Option<bool>> {
    let mut known = vec![None; circuit.nodes().len()];
    let in_loop = |node: NodeId| {
        let mut loops = circuit.loops().iter();
        loops.any(|around| around.nodes.contains(&node.0))
    };
    let mut open = vec![edge];
    while let Some(edge) = open.pop() {
        let node = edge.node();
        if known[node.index()].is_some() || node == Edge::FALSE.node() || in_loop(node) {
            continue;
        }
        known[node.index()] = Some(!edge.inverted());
        if let (Node::And(a, b), false) = (circuit.node(node), edge.inverted()) {
            open.extend([a, b]);
        }
    }
    known
}
