//! Lookahead: outputs after a move, as functions of the state before it.
//!
//! For a move of the only role with a choice, further outputs are computed from the next state,
//! such as whether the match is over then: the circuit is applied to its own outputs. Most moves
//! change little. Gates that do not depend on a move are built once, for no move at all; the others
//! are found by following the changes through the circuit. Equal gates are shared with each other
//! and with the circuit itself, if the [`Builder`] finds them.
//!
//! This is done phase by phase (see [`Phases`]), so that the other roles are known to have just
//! one move in games with states that name the role to move.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use propjit_jit::circuit::{Builder, Circuit, Edge, Node, NodeId, NodeSet, implied};
use propjit_stop::Stop;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::game::ground::{Layout, Phases};
use crate::game::vocabulary::moves::RoleId;
use crate::game::vocabulary::state::State;

/// The number of gates that may be visited, which takes about a second.
const WORK: usize = 10_000_000;

/// The number of nodes that may be added before any pass: a constant, and a factor of the existing
/// nodes.
const MAX_ADDED: [usize; 2] = [100_000, 10];

/// The work exceeds the limits, is impossible, or was stopped.
#[derive(Debug)]
pub(super) struct TooMuch;

/// A circuit to which gates are added.
pub(super) struct Lookahead<'a> {
    circuit: &'a Circuit,
    layout: &'a Layout,
    pub(super) builder: Builder,
    /// The number of gates that may still be visited.
    work: usize,
    stop: &'a Stop,
    /// The gates that read each node.
    readers: Vec<Vec<NodeId>>,
    /// The nodes that have the same value in all states that are not terminal.
    known: FxHashMap<NodeId, bool>,
}

/// Facts about the states of a phase that are not terminal.
pub(super) struct Here {
    /// Whether a state is in the phase.
    pub(super) is_here: Edge,
    /// The nodes of the circuit that do not depend on moves.
    values: Vec<Edge>,
}

impl<'a> Lookahead<'a> {
    /// Starts with the circuit without additions. Their number is limited, and they end when `stop`
    /// is set.
    pub(super) fn new(circuit: &'a Circuit, layout: &'a Layout, stop: &'a Stop) -> Lookahead<'a> {
        let nodes = circuit.nodes();
        let mut readers = vec![Vec::new(); nodes.len()];
        for (at, node) in (0..).map(NodeId).zip(nodes) {
            if let Node::And(a, b) = node {
                readers[a.node().index()].push(at);
                readers[b.node().index()].push(at);
            }
        }
        let goes_on = !circuit.outputs()[layout.terminal];
        let known = implied(|node| circuit.node(node), [goes_on]).into_iter();
        let known = known.filter(|edge| *edge != Edge::FALSE);
        let known = known.map(|edge| (edge.node(), !edge.inverted())).collect();
        Lookahead {
            builder: Builder::extend(circuit),
            circuit,
            layout,
            work: WORK,
            stop,
            readers,
            known,
        }
    }

    /// Returns the facts about the phase in which these propositions hold.
    pub(super) fn phase(&mut self, phases: &Phases, holding: &State) -> Here {
        let nodes = (0..self.circuit.nodes().len() as u32).map(NodeId);
        let mut values: Vec<Edge> = nodes.map(|node| self.simple(Edge::from(node))).collect();
        let mut literals = Vec::new();
        for &base in phases.bases() {
            let input = self.circuit.inputs()[base];
            let value = holding.contains(base);
            literals.push(Edge::new(input, !value));
            values[input.index()] = Edge::FALSE.invert_if(value);
        }
        let mut loops = self.circuit.loops().iter().peekable();
        for (at, node) in (0..).zip(self.circuit.nodes()) {
            loops.next_if(|a_loop| a_loop.nodes.end <= at);
            // Nodes of loops are left as they are.
            let is_looped = loops.peek().is_some_and(|l| l.nodes.contains(&at));
            let node_id = NodeId(at);
            if let (&Node::And(a, b), false, false) =
                (node, is_looped, self.known.contains_key(&node_id))
            {
                let edge = self.builder.and(value(&values, a), value(&values, b));
                values[node_id.index()] = self.simple(edge);
            }
        }
        Here {
            is_here: self.builder.and_all(&literals),
            values,
        }
    }

    /// Returns the only move of a role in a phase, if it has the same one in all its states.
    fn only_move(&self, here: &Here, role: RoleId) -> Option<usize> {
        let legal = self.layout.legal[role.index()].clone();
        let mut only = None;
        for (number, output) in legal.enumerate() {
            match value(&here.values, self.circuit.outputs()[output]) {
                Edge::FALSE => {}
                Edge::TRUE if only.is_none() => only = Some(number),
                _ => return None,
            }
        }
        only
    }

    /// Returns, for each move of a role, the given outputs as they are after it. `None` for a move
    /// that is never legal in the phase, and `None` for all if another role may decide there or
    /// this one may not.
    ///
    /// The result is right in states of the phase that are not terminal and where the move is
    /// legal. The outputs must not depend on moves.
    pub(super) fn after(
        &mut self,
        here: &Here,
        role: RoleId,
        outputs: &[Edge],
    ) -> Result<Option<Vec<Option<Vec<Edge>>>>, TooMuch> {
        if self.only_move(here, role).is_some() {
            return Ok(None);
        }
        // First as if the role made no move; then the differences by each of its moves.
        let mut before = here.values.clone();
        for other in self.layout.roles() {
            let does = self.layout.does[other.index()].clone();
            does.clone()
                .for_each(|does| before[self.input(does).index()] = Edge::FALSE);
            if other != role {
                let Some(only) = self.only_move(here, other) else {
                    return Ok(None);
                };
                before[self.input(does.start + only).index()] = Edge::TRUE;
            }
        }
        let second = self.cone(outputs.iter().copied())?;
        let bases = self.layout.bases.clone();
        let bases: Vec<usize> = bases
            .filter(|&base| second.contains(self.input(base)))
            .collect();
        let next = |base: usize| self.circuit.outputs()[self.layout.next.start + base];
        let first = self.cone(bases.iter().map(|&base| next(base)))?;
        self.evaluate(&first, &mut before)?;
        let mut after = vec![Edge::FALSE; self.circuit.nodes().len()];
        let mut readers: FxHashMap<NodeId, Vec<usize>> = FxHashMap::default();
        for &base in &bases {
            after[self.input(base).index()] = value(&before, next(base));
            readers.entry(next(base).node()).or_default().push(base);
        }
        self.evaluate(&second, &mut after)?;
        let mut each = Vec::new();
        let moves = self.layout.does[role.index()].clone();
        for (does, legal) in moves.zip(self.layout.legal[role.index()].clone()) {
            if value(&here.values, self.circuit.outputs()[legal]) == Edge::FALSE {
                each.push(None);
                continue;
            }
            let played = FxHashMap::from_iter([(self.input(does), Edge::TRUE)]);
            let changed = self.vary(&first, &before, played)?;
            let mut next_changed = FxHashMap::default();
            for (node, edge) in &changed {
                for &base in readers.get(node).into_iter().flatten() {
                    let edge = edge.invert_if(next(base).inverted());
                    if edge != after[self.input(base).index()] {
                        next_changed.insert(self.input(base), edge);
                    }
                }
            }
            let changed = self.vary(&second, &after, next_changed)?;
            let found = outputs.iter().map(|&edge| varied(&changed, &after, edge));
            each.push(Some(found.collect()));
        }
        Ok(Some(each))
    }

    fn input(&self, number: usize) -> NodeId {
        self.circuit.inputs()[number]
    }

    /// Returns the nodes that these depend on.
    fn cone(&self, roots: impl Iterator<Item = Edge>) -> Result<NodeSet, TooMuch> {
        let cone = self.circuit.cone(roots);
        let mut feedback = self.circuit.loops().iter().flat_map(|l| &l.feedback);
        // A loop would have to be copied for each move.
        match feedback.any(|&(node, _)| cone.contains(node)) {
            true => Err(TooMuch),
            false => Ok(cone),
        }
    }

    /// Computes the gates of the cone from their operands.
    fn evaluate(&mut self, cone: &NodeSet, values: &mut [Edge]) -> Result<(), TooMuch> {
        for node in cone.iter() {
            if let Node::And(a, b) = self.circuit.node(node) {
                values[node.index()] = self.and(value(values, a), value(values, b))?;
            }
        }
        Ok(())
    }

    /// Returns the nodes of the cone that differ from `values` if those in `changed` do.
    fn vary(
        &mut self,
        cone: &NodeSet,
        values: &[Edge],
        mut changed: FxHashMap<NodeId, Edge>,
    ) -> Result<FxHashMap<NodeId, Edge>, TooMuch> {
        // Gates come after their operands, so each is visited once.
        let mut open = BinaryHeap::new();
        let mut seen = FxHashSet::default();
        let mut queue = |open: &mut BinaryHeap<_>, readers: &[NodeId]| {
            let readers = readers.iter().filter(|reader| cone.contains(**reader));
            open.extend(
                readers
                    .filter(|&&reader| seen.insert(reader))
                    .map(|&reader| Reverse(reader)),
            );
        };
        for node in changed.keys() {
            queue(&mut open, &self.readers[node.index()]);
        }
        while let Some(Reverse(node)) = open.pop() {
            if let Node::And(a, b) = self.circuit.node(node) {
                let [a, b] = [a, b].map(|edge| varied(&changed, values, edge));
                let edge = self.and(a, b)?;
                if edge != values[node.index()] {
                    changed.insert(node, edge);
                    queue(&mut open, &self.readers[node.index()]);
                }
            }
        }
        Ok(changed)
    }

    fn and(&mut self, a: Edge, b: Edge) -> Result<Edge, TooMuch> {
        self.work = self.work.checked_sub(1).ok_or(TooMuch)?;
        if self.work.is_multiple_of(1024) && self.stop.is_set() {
            return Err(TooMuch);
        }
        let [any, each] = MAX_ADDED;
        let nodes = self.circuit.nodes().len();
        if self.builder.len() - nodes > any + each * nodes {
            return Err(TooMuch);
        }
        let edge = self.builder.and(a, b);
        Ok(self.simple(edge))
    }

    /// Returns an edge, or its value if that is known.
    fn simple(&self, edge: Edge) -> Edge {
        match self.known.get(&edge.node()) {
            Some(&value) => Edge::FALSE.invert_if(value != edge.inverted()),
            None => edge,
        }
    }
}

fn value(values: &[Edge], edge: Edge) -> Edge {
    values[edge.node().index()].invert_if(edge.inverted())
}

fn varied(changed: &FxHashMap<NodeId, Edge>, values: &[Edge], edge: Edge) -> Edge {
    match changed.get(&edge.node()) {
        Some(changed) => changed.invert_if(edge.inverted()),
        None => value(values, edge),
    }
}
