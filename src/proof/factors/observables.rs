//! Observables: what `terminal` and the goals read of parts and of the clock.

use propjit_jit::circuit::{Circuit, Edge, Node, NodeId, NodeSet};

use crate::game::ground::GroundGame;

/// The dependencies of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reads {
    Nothing,
    Part(usize),
    Several,
}

impl Reads {
    fn with(self, other: Reads) -> Reads {
        match (self, other) {
            (Reads::Nothing, other) | (other, Reads::Nothing) => other,
            (a, b) if a == b => a,
            _ => Reads::Several,
        }
    }
}

/// By part, the nodes that depend on nothing but it, and that are read by `terminal` and the goals, or
/// by what these read that depends on several parts. The clock counts as a part here.
pub(super) fn of(game: &GroundGame, parts: &[Vec<usize>]) -> Vec<Vec<NodeId>> {
    let (circuit, layout) = (game.lowered(), game.layout());
    let goals = layout.goals.iter().cloned().flatten();
    let roots: Vec<Edge> = (goals.chain([layout.terminal]))
        .map(|output| circuit.outputs()[output])
        .collect();
    let cone = circuit.cone(roots.iter().copied());
    let reads = reads(circuit, &cone, parts);
    let mut found = vec![Vec::new(); parts.len()];
    let mut seen = NodeSet::empty(circuit);
    let mut open: Vec<NodeId> = roots.iter().map(|root| root.node()).collect();
    while let Some(node) = open.pop() {
        if !seen.insert(node) {
            continue;
        }
        match (reads[node.index()], circuit.node(node)) {
            (Reads::Part(part), _) => found[part].push(node),
            (Reads::Several, Node::And(a, b)) => open.extend([a.node(), b.node()]),
            (Reads::Several, Node::Feedback) => open.push(circuit.source(node).node()),
            _ => {}
        }
    }
    found.iter_mut().for_each(|nodes| nodes.sort_unstable());
    found
}

fn reads(circuit: &Circuit, cone: &NodeSet, parts: &[Vec<usize>]) -> Vec<Reads> {
    let mut reads = vec![Reads::Nothing; circuit.nodes().len()];
    for (part, propositions) in parts.iter().enumerate() {
        for &base in propositions {
            reads[circuit.inputs()[base].index()] = Reads::Part(part);
        }
    }
    loop {
        let mut has_changed = false;
        for node in cone.iter() {
            let new = match circuit.node(node) {
                Node::And(a, b) => reads[a.node().index()].with(reads[b.node().index()]),
                Node::Feedback => reads[circuit.source(node).node().index()],
                Node::False | Node::Input(_) => continue,
            };
            has_changed |= new != reads[node.index()];
            reads[node.index()] = new;
        }
        // Only recursion is read before it is known.
        if !has_changed || circuit.loops().is_empty() {
            return reads;
        }
    }
}
