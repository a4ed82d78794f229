//! Knowledge about the place where a gate is being simplified: edges that are true, and
//! their consequences.

use std::ops::Range;

use crate::circuit::{Circuit, Edge, InputId, Node};

/// The consequences of an input's truth for other edges.
#[derive(Default)]
pub(super) struct Facts {
    /// By input: edges that are true if the input is. Missing inputs have none.
    pub(super) implied: Vec<Vec<Edge>>,
    /// By input: the groups of which it is a member. Of a group's inputs, at
    /// most one is true. Missing inputs have none.
    pub(super) groups: Vec<Vec<u32>>,
}

impl Facts {
    fn implied(&self, input: InputId) -> &[Edge] {
        self.implied.get(input.index()).map_or(&[], |edges| edges)
    }

    fn groups(&self, input: InputId) -> &[u32] {
        self.groups.get(input.index()).map_or(&[], |groups| groups)
    }
}

/// The most edges that one edge may add to the known ones: the conjuncts of a legality
/// condition are far fewer, but shared gates could be of any width.
const MAX_CONSEQUENCES: usize = 64;

/// The limits of the search for known edges below an edge: in gates, and in depth.
const MAX_GATES: u32 = 16;
const MAX_DEPTH: u32 = 8;

/// A set of known edges, with repetition, so that each addition can be undone alone.
pub(super) struct Known<'a> {
    circuit: &'a Circuit,
    facts: &'a Facts,
    /// The number of times that each edge is known, by its code.
    counts: Vec<u32>,
    /// The number of known inputs of each group.
    chosen: Vec<u32>,
    /// All known edges.
    trail: Vec<Edge>,
}

/// Part of the known edges, as [`Known::add`] added it.
pub(super) type Added = Range<usize>;

impl<'a> Known<'a> {
    /// Nothing known yet.
    pub(super) fn new(circuit: &'a Circuit, facts: &'a Facts) -> Known<'a> {
        let groups = facts.groups.iter().flatten().max();
        Known {
            circuit,
            facts,
            counts: vec![0; 2 * circuit.nodes().len()],
            chosen: vec![0; groups.map_or(0, |&last| last as usize + 1)],
            trail: Vec::new(),
        }
    }

    /// Adds an edge with its consequences. The second result is false if they
    /// contradict the known edges.
    pub(super) fn add(&mut self, edge: Edge) -> (Added, bool) {
        let start = self.trail.len();
        let mut consistent = true;
        self.trail.push(edge);
        let mut at = start;
        while let Some(&edge) = self.trail.get(at) {
            at += 1;
            consistent &= self.value(edge) != Some(false);
            self.count(edge);
            if edge.inverted() || self.trail.len() - start > MAX_CONSEQUENCES {
                continue;
            }
            match self.circuit.node(edge.node()) {
                Node::And(a, b) => self.trail.extend([a, b]),
                Node::Input(input) => self.trail.extend(self.facts.implied(input)),
                Node::False | Node::Feedback => {}
            }
        }
        (start..self.trail.len(), consistent)
    }

    /// Adds again edges that were added before and removed.
    pub(super) fn restore(&mut self, added: Added) {
        for at in added {
            self.count(self.trail[at]);
        }
    }

    fn count(&mut self, edge: Edge) {
        let count = &mut self.counts[edge.code() as usize];
        *count += 1;
        if *count == 1 {
            for &group in self.groups_chosen_by(edge) {
                self.chosen[group as usize] += 1;
            }
        }
    }

    /// Undoes an addition.
    pub(super) fn remove(&mut self, added: Added) {
        for at in added {
            let edge = self.trail[at];
            let count = &mut self.counts[edge.code() as usize];
            *count -= 1;
            if *count == 0 {
                for &group in self.groups_chosen_by(edge) {
                    self.chosen[group as usize] -= 1;
                }
            }
        }
    }

    /// Returns the present position of additions; see [`Known::forget`].
    pub(super) fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Frees the room of additions since the mark, all of them removed.
    pub(super) fn forget(&mut self, mark: usize) {
        self.trail.truncate(mark);
    }

    fn groups_chosen_by(&self, edge: Edge) -> &'a [u32] {
        match self.circuit.node(edge.node()) {
            Node::Input(input) if !edge.inverted() => self.facts.groups(input),
            _ => &[],
        }
    }

    /// The edge's value if it is known.
    fn value(&self, edge: Edge) -> Option<bool> {
        let is_known = |edge: Edge| self.counts[edge.code() as usize] > 0;
        if is_known(edge) {
            return Some(true);
        }
        let plain = Edge::from(edge.node());
        let another_is_chosen = || {
            let mut groups = self.groups_chosen_by(plain).iter();
            groups.any(|&group| self.chosen[group as usize] > 0)
        };
        if is_known(!edge) {
            Some(false)
        } else if edge.node() == Edge::FALSE.node() || another_is_chosen() {
            Some(edge.inverted())
        } else {
            None
        }
    }

    /// A constant or an edge below `edge` that equals it as far as is known;
    /// the edge itself if none was found.
    pub(super) fn simplify(&self, edge: Edge) -> Edge {
        self.simplify_within(edge, MAX_DEPTH, &mut MAX_GATES.clone())
    }

    /// [`Known::simplify`], to this depth and this number of gates.
    fn simplify_within(&self, edge: Edge, depth: u32, gates: &mut u32) -> Edge {
        if let Some(value) = self.value(edge) {
            return Edge::FALSE.invert_if(value);
        }
        let Node::And(a, b) = self.circuit.node(edge.node()) else {
            return edge;
        };
        if depth == 0 || *gates == 0 {
            return edge;
        }
        *gates -= 1;
        let a = self.simplify_within(a, depth - 1, gates);
        let b = self.simplify_within(b, depth - 1, gates);
        let simple = match (a, b) {
            (Edge::FALSE, _) | (_, Edge::FALSE) => Edge::FALSE,
            (Edge::TRUE, other) | (other, Edge::TRUE) => other,
            _ if a == b => a,
            _ if a == !b => Edge::FALSE,
            _ => return edge,
        };
        simple.invert_if(edge.inverted())
    }
}
