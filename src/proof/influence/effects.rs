//! Effects: what a move does that most other moves of its role do not.
//!
//! For each base proposition and role there is a *usual* next value, as a function of the state
//! and the others' moves: the one that it has after the most moves. A move *touches* the propositions
//! to which it gives another one. So frame rules couple nothing, however they are written, and a
//! step counter is touched by no move.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use propjit_jit::circuit::{Builder, Circuit, Edge, Node, NodeId};
use propjit_stop::Stop;
use rustc_hash::FxHashMap;

use super::InfluenceError;
use crate::game::ground::Layout;
use crate::game::vocabulary::moves::Move;

/// The number of gates that may be visited to find the effects of the moves of a phase.
const MAX_VISITS: usize = 1 << 24;

/// A base proposition that a move touches, and the next value that it gives it.
pub(super) type Touch = (u32, Edge);

/// The propositions that the moves of a phase touch.
pub(super) struct Effects {
    /// For each role, for each of its moves in the phase, in their order.
    pub(super) touched: Vec<Vec<Vec<Touch>>>,
    /// The circuit, with gates for the next values that moves give. Its outputs are those.
    pub(super) circuit: Circuit,
}

/// Finds what the moves of a phase touch, in a circuit that does not read the inputs of other moves and of
/// moves of roles without a choice.
pub(super) fn effects(
    circuit: &Circuit,
    layout: &Layout,
    moves: &[Vec<Move>],
    stop: &Stop,
) -> Result<Effects, InfluenceError> {
    let mut finder = Finder::new(circuit, layout);
    let mut touched = Vec::new();
    for (does, moves) in layout.does.iter().zip(moves) {
        let inputs = moves.iter().map(|played| does.start + played.index());
        let inputs: Vec<NodeId> = inputs.map(|input| circuit.inputs()[input]).collect();
        touched.push(match inputs.len() {
            0 | 1 => vec![Vec::new(); inputs.len()],
            _ => finder.touched(&inputs, stop)?,
        });
    }
    let values = touched.iter().flatten().flatten();
    let values = values.map(|&(_, value)| value).collect();
    Ok(Effects {
        circuit: finder.builder.finish(values),
        touched,
    })
}

struct Finder<'a> {
    circuit: &'a Circuit,
    builder: Builder,
    /// For each node, the gates that read it: those in `readers` from the one place to the next.
    starts: Vec<u32>,
    readers: Vec<u32>,
    /// The base propositions that have a node as next value, inverted or not.
    next: FxHashMap<u32, Vec<(u32, Edge)>>,
    visits: usize,
}

impl<'a> Finder<'a> {
    fn new(circuit: &'a Circuit, layout: &Layout) -> Finder<'a> {
        let operands = |node: &Node| match *node {
            Node::And(a, b) => [a, b].map(|edge| Some(edge.node().index())),
            _ => [None; 2],
        };
        let mut starts = vec![0; circuit.nodes().len() + 1];
        for operand in circuit.nodes().iter().flat_map(operands).flatten() {
            starts[operand + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut readers = vec![0; starts[starts.len() - 1] as usize];
        let mut free = starts.clone();
        for (at, node) in circuit.nodes().iter().enumerate() {
            for operand in operands(node).into_iter().flatten() {
                readers[free[operand] as usize] = at as u32;
                free[operand] += 1;
            }
        }
        let mut next: FxHashMap<u32, Vec<(u32, Edge)>> = FxHashMap::default();
        let outputs = &circuit.outputs()[layout.next.clone()];
        for (base, &edge) in outputs.iter().enumerate() {
            let of_node = next.entry(edge.node().0).or_default();
            of_node.push((base as u32, edge));
        }
        Finder {
            circuit,
            builder: Builder::extend(circuit),
            starts,
            readers,
            next,
            visits: 0,
        }
    }

    fn readers(&self, node: usize) -> &[u32] {
        &self.readers[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// Returns what each move of a role touches.
    fn touched(
        &mut self,
        moves: &[NodeId],
        stop: &Stop,
    ) -> Result<Vec<Vec<Touch>>, InfluenceError> {
        let nodes = self.circuit.nodes();
        let reached = self.circuit.influence(moves.iter().copied());
        // Nodes that moves influence through recursion stay as they are.
        let loops = self.circuit.loops().iter();
        let recursive = loops.flat_map(|around| around.nodes.clone().map(NodeId));
        let recursive = recursive.filter(|&node| reached.contains(node));
        let opaque = self.circuit.influence(recursive);
        // The edges in the builder if no move is made.
        let mut values: Vec<Edge> = (0..nodes.len() as u32)
            .map(|node| Edge::from(NodeId(node)))
            .collect();
        moves
            .iter()
            .for_each(|node| values[node.index()] = Edge::FALSE);
        for (at, node) in nodes.iter().enumerate() {
            let id = NodeId(at as u32);
            if let Node::And(a, b) = *node
                && reached.contains(id)
                && !opaque.contains(id)
            {
                values[at] = and(&mut self.builder, &values, a, b);
            }
        }
        let none = values.clone();
        let mut changes: FxHashMap<u32, Vec<(usize, Edge)>> = FxHashMap::default();
        let mut queue = BinaryHeap::new();
        let mut changed = Vec::new();
        for (number, node) in moves.iter().enumerate() {
            if stop.is_set() {
                return Err(InfluenceError::Stopped);
            }
            values[node.index()] = Edge::TRUE;
            changed.push(node.index());
            queue.extend(self.readers(node.index()).iter().copied().map(Reverse));
            while let Some(Reverse(at)) = queue.pop() {
                // A gate with two operands that have changed is there twice.
                let again = queue.peek() == Some(&Reverse(at));
                let id = NodeId(at);
                if again || opaque.contains(id) {
                    continue;
                }
                let Node::And(a, b) = nodes[id.index()] else {
                    continue;
                };
                self.visits += 1;
                let value = and(&mut self.builder, &values, a, b);
                if value != none[id.index()] {
                    values[id.index()] = value;
                    changed.push(id.index());
                    queue.extend(self.readers(id.index()).iter().copied().map(Reverse));
                }
            }
            if self.visits > MAX_VISITS {
                return Err(InfluenceError::Effects { most: MAX_VISITS });
            }
            for at in changed.drain(..) {
                for &(base, edge) in self.next.get(&(at as u32)).into_iter().flatten() {
                    let value = values[at].invert_if(edge.inverted());
                    changes.entry(base).or_default().push((number, value));
                }
                values[at] = none[at];
            }
        }
        let mut touched = vec![Vec::new(); moves.len()];
        for (&node, bases) in &self.next {
            for &(base, edge) in bases {
                if opaque.contains(NodeId(node)) {
                    let all = touched.iter_mut();
                    all.for_each(|touched| touched.push((base, edge)));
                } else if let Some(changes) = changes.get(&base) {
                    let none = none[node as usize].invert_if(edge.inverted());
                    let frame = self.builder.input(base as usize);
                    touch(base, none, frame, changes, &mut touched);
                }
            }
        }
        touched
            .iter_mut()
            .for_each(|touched: &mut Vec<Touch>| touched.sort_unstable());
        Ok(touched)
    }
}

fn and(builder: &mut Builder, values: &[Edge], a: Edge, b: Edge) -> Edge {
    let value = |edge: Edge| values[edge.node().index()].invert_if(edge.inverted());
    builder.and(value(a), value(b))
}

/// Adds a proposition to those that moves touch. `none` is its next value after all but those with changes.
/// If two values are as usual, it is the one by which it stays as it is, or there is none.
fn touch(
    base: u32,
    none: Edge,
    frame: Edge,
    changes: &[(usize, Edge)],
    touched: &mut [Vec<Touch>],
) {
    let mut counts: FxHashMap<Edge, usize> = FxHashMap::default();
    counts.insert(none, touched.len() - changes.len());
    for &(_, value) in changes {
        *counts.entry(value).or_default() += 1;
    }
    let most = counts.values().copied().max();
    let mut usual = counts.iter().filter(|&(_, &count)| Some(count) == most);
    let usual = match (usual.next(), usual.next()) {
        (Some((&value, _)), None) => Some(value),
        _ => Some(frame).filter(|frame| counts.get(frame).copied() == most),
    };
    if usual != Some(none) {
        let mut changes = changes.iter().peekable();
        for (number, touched) in touched.iter_mut().enumerate() {
            let value = match changes.next_if(|&&(changed, _)| changed == number) {
                Some(&(_, value)) => value,
                None => none,
            };
            if usual != Some(value) {
                touched.push((base, value));
            }
        }
    } else {
        for &(number, value) in changes {
            touched[number].push((base, value));
        }
    }
}
