//! The variables of diagrams: groups of inputs of which one is true at most.

use std::collections::VecDeque;

use propjit_stop::Stop;

use crate::circuit::{Circuit, Edge, InputId, Node, NodeId, NodeSet};

use super::Exclusive;
use super::diagram::{Diagrams, TooMuch};

/// The most steps for the diagram of one gate: a step of a count takes a few.
const STEPS_PER_GATE: usize = 4000;

/// The most steps for a gate that others need as well: it may be a part of a count.
const STEPS_PER_SHARED_GATE: usize = 16;

/// The most steps for all diagrams together, for each gate that is examined.
const STEPS_IN_ALL: usize = 200;

/// The support of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Support {
    Nothing,
    /// One group, by its number.
    Group(usize),
    /// Several groups, or other inputs.
    Much,
}

/// The groups by level, and diagrams of nodes that have small ones.
pub(super) struct Variables {
    /// By level.
    pub(super) groups: Vec<Exclusive>,
    pub(super) diagrams: Diagrams,
    /// By node.
    pub(super) functions: Vec<Option<Edge>>,
}

impl Variables {
    /// Builds the diagrams of nodes that the roots need, as far as they are small, until a stop.
    ///
    /// The variables nearest to a root decide first: so the steps of a count share their diagrams.
    pub(super) fn new(
        circuit: &Circuit,
        roots: &[Edge],
        only: &NodeSet,
        exclusive: &[Exclusive],
        inputs: usize,
        stop: &Stop,
    ) -> Variables {
        let mut groups: Vec<Exclusive> = exclusive.to_vec();
        let mut group_of = vec![None; circuit.inputs().len()];
        for (number, group) in groups.iter().enumerate() {
            for input in &group.inputs {
                group_of[input.index()] = Some(number);
            }
        }
        for (input, group) in group_of.iter_mut().enumerate().take(inputs) {
            if group.is_none() {
                *group = Some(groups.len());
                groups.push(Exclusive {
                    inputs: vec![InputId(input as u32)],
                    is_exact: false,
                });
            }
        }
        let support = supports(circuit, &group_of);
        let order = order(circuit, roots, only, &support, groups.len());
        let mut level_of = vec![usize::MAX; groups.len()];
        for (level, &group) in order.iter().enumerate() {
            level_of[group] = level;
        }
        let groups: Vec<Exclusive> = order.iter().map(|&group| groups[group].clone()).collect();
        let values = groups.iter().map(Exclusive::values).collect();
        let mut variables = Variables {
            diagrams: Diagrams::new(values),
            functions: vec![None; circuit.nodes().len()],
            groups,
        };
        let cone = circuit.cone(roots.iter().copied());
        let in_loop = in_loops(circuit);
        let mut left = STEPS_IN_ALL * cone.iter().count();
        for node in cone.iter().take_while(|_| !stop.is_set()) {
            let at = node.index();
            variables.functions[at] = match circuit.node(node) {
                Node::False => Some(Edge::FALSE),
                Node::Input(input) => {
                    let level = group_of[input.index()].map(|group| level_of[group]);
                    let level = level.filter(|&level| level != usize::MAX);
                    level.map(|level| variables.literal(level, input))
                }
                Node::And(a, b) if !in_loop.contains(node) => {
                    let most = match only.contains(node) {
                        true => STEPS_PER_GATE,
                        false => STEPS_PER_SHARED_GATE,
                    };
                    variables.and(a, b, most, &mut left).ok()
                }
                _ => None,
            };
        }
        variables
    }

    /// The function that is true if the input is, which is one of the group at this level.
    fn literal(&mut self, level: usize, input: InputId) -> Edge {
        let group = &self.groups[level];
        let place = group.inputs.iter().position(|&other| other == input);
        let value = place.expect("it is in the group") + usize::from(!group.is_exact);
        let children = (0..group.values()).map(|other| Edge::FALSE.invert_if(other == value));
        let children: Vec<Edge> = children.collect();
        self.diagrams.branch(level, &children)
    }

    fn and(&mut self, a: Edge, b: Edge, most: usize, left: &mut usize) -> Result<Edge, TooMuch> {
        let function = |edge: Edge| {
            let function = self.functions[edge.node().index()];
            function.map(|function| function.invert_if(edge.inverted()))
        };
        let (Some(a), Some(b)) = (function(a), function(b)) else {
            return Err(TooMuch);
        };
        let allowed = most.min(*left);
        let mut steps = allowed;
        let result = self.diagrams.and(a, b, &mut steps);
        *left -= allowed - steps;
        result
    }
}

/// The nodes in loops.
pub(super) fn in_loops(circuit: &Circuit) -> NodeSet {
    let mut set = NodeSet::empty(circuit);
    for node in circuit.loops().iter().flat_map(|l| l.nodes.clone()) {
        set.insert(NodeId(node));
    }
    set
}

fn supports(circuit: &Circuit, group_of: &[Option<usize>]) -> Vec<Support> {
    let mut supports = vec![Support::Nothing; circuit.nodes().len()];
    for (at, node) in circuit.nodes().iter().enumerate() {
        supports[at] = match *node {
            Node::False => Support::Nothing,
            Node::Input(input) => group_of[input.index()].map_or(Support::Much, Support::Group),
            Node::Feedback => Support::Much,
            Node::And(a, b) => match [a, b].map(|edge| supports[edge.node().index()]) {
                [Support::Nothing, other] | [other, Support::Nothing] => other,
                [a, b] if a == b => a,
                _ => Support::Much,
            },
        };
    }
    supports
}

/// The groups that the roots depend on through nodes that only they need, nearest first.
fn order(
    circuit: &Circuit,
    roots: &[Edge],
    only: &NodeSet,
    support: &[Support],
    groups: usize,
) -> Vec<usize> {
    let mut seen = NodeSet::empty(circuit);
    let mut open: VecDeque<_> = roots.iter().map(|root| root.node()).collect();
    let mut order = Vec::new();
    let mut is_placed = vec![false; groups];
    while let Some(node) = open.pop_front() {
        if !seen.insert(node) {
            continue;
        }
        if let Support::Group(group) = support[node.index()] {
            if !std::mem::replace(&mut is_placed[group], true) {
                order.push(group);
            }
        } else if let (Node::And(a, b), true) = (circuit.node(node), only.contains(node)) {
            open.extend([a.node(), b.node()]);
        }
    }
    order
}
