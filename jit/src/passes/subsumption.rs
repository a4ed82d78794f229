//! Subsumption among the operands of a gate: `(a & b) | (a & b & c)` is `a & b`.
//!
//! "There is a legal move" is the usual case: where a long slide is legal, so is the
//! short one in the same direction. Operands are compared as the conjunctions of everything
//! that their gates are made of, through gates of any number of uses.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::rebuild::rebuild;
use super::wide::{Wide, conjunction};
use crate::circuit::{Circuit, Edge, Node};
use propjit_stop::Stop;

/// The most edges of a conjunction that are examined, and the most pairs of operands
/// that are compared for each operand on average.
const MAX_EDGES: usize = 256;
const MAX_COMPARISONS: usize = 16;

/// The circuit without operands that others of the same gate subsume.
pub(super) fn subsumption(circuit: &Circuit, stop: &Stop) -> Circuit {
    let wide = Wide::new(circuit);
    let mut terms = Terms::new(circuit, &wide);
    let mut ticker = stop.ticker();
    let mut leaves = Vec::new();
    rebuild(circuit, |builder, moved, node| {
        if !wide.is_gate(node) {
            return None;
        }
        wide.leaves(node, &mut leaves);
        leaves.dedup();
        if !ticker.is_set() {
            terms.drop_subsumed(&mut leaves);
        }
        for leaf in &mut leaves {
            *leaf = moved.edge(*leaf);
        }
        Some(conjunction(builder, &mut leaves))
    })
}

/// Compares the terms of one gate after the other.
struct Terms<'a> {
    circuit: &'a Circuit,
    wide: &'a Wide<'a>,
    /// The time at which each edge was last found to follow from a term, by its code.
    follows: Vec<u32>,
    clock: u32,
}

impl<'a> Terms<'a> {
    fn new(circuit: &'a Circuit, wide: &'a Wide<'a>) -> Terms<'a> {
        Terms {
            circuit,
            wide,
            follows: vec![0; 2 * circuit.nodes().len()],
            clock: 0,
        }
    }

    /// Drops the inverted gates among the leaves that another one makes redundant.
    fn drop_subsumed(&mut self, leaves: &mut Vec<Edge>) {
        let is_term = |leaf: &&Edge| leaf.inverted() && self.wide.is_gate(leaf.node());
        let terms: Vec<Edge> = leaves.iter().filter(is_term).copied().collect();
        if terms.len() < 2 {
            return;
        }
        let operands: Vec<Vec<Edge>> = terms
            .iter()
            .map(|term| {
                let mut edges = Vec::new();
                self.wide.leaves(term.node(), &mut edges);
                edges
            })
            .collect();
        let mut uses: HashMap<Edge, usize, FxBuildHasher> = HashMap::default();
        for &edge in operands.iter().flatten() {
            *uses.entry(edge).or_default() += 1;
        }
        // Each term waits at one of its edges for a term from which that follows: at the one that
        // the fewest terms have, and of these at the last made.
        let mut waiting: HashMap<Edge, Vec<usize>, FxBuildHasher> = HashMap::default();
        for (at, edges) in operands.iter().enumerate() {
            if let Some(&rarest) = edges.iter().rev().min_by_key(|edge| uses[*edge]) {
                waiting.entry(rarest).or_default().push(at);
            }
        }
        let mut comparisons = MAX_COMPARISONS * terms.len();
        let mut dropped = vec![false; terms.len()];
        for (at, &term) in terms.iter().enumerate() {
            let follow = self.mark_what_follows(!term);
            let others = follow.iter().filter_map(|edge| waiting.get(edge)).flatten();
            for &other in others.take(comparisons) {
                comparisons -= 1;
                if other != at && !dropped[other] {
                    let mut operands = operands[other].iter();
                    dropped[at] = operands.all(|edge| self.follows(*edge));
                    if dropped[at] {
                        break;
                    }
                }
            }
        }
        let dropped: Vec<Edge> = (terms.iter().zip(dropped))
            .filter_map(|(&term, dropped)| dropped.then_some(term))
            .collect();
        leaves.retain(|leaf| dropped.binary_search(leaf).is_err());
    }

    /// Marks the edges that a true edge is a conjunction of.
    fn mark_what_follows(&mut self, edge: Edge) -> Vec<Edge> {
        self.clock += 1;
        let mut found = vec![edge];
        let mut at = 0;
        while let Some(&edge) = found.get(at) {
            at += 1;
            let follows = &mut self.follows[edge.code() as usize];
            let is_new = std::mem::replace(follows, self.clock) != self.clock;
            if let Node::And(a, b) = self.circuit.node(edge.node())
                && is_new
                && !edge.inverted()
                && found.len() < MAX_EDGES
            {
                found.extend([a, b]);
            }
        }
        found
    }

    /// Returns whether the edge follows from the marked edges.
    fn follows(&self, edge: Edge) -> bool {
        self.follows[edge.code() as usize] == self.clock
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::Builder;
    use crate::passes::sweep::sweep;

    /// Terms that have a gate in common are not all compared with each other.
    #[test]
    fn a_condition_of_all_terms_hides_none() {
        let count = 100;
        let mut g = Builder::new(count + 3);
        let x: Vec<Edge> = (0..count + 3).map(|i| g.input(i)).collect();
        let safe = g.or(x[0], x[1]);
        let mut terms: Vec<Edge> = x[2..]
            .windows(2)
            .map(|pair| g.and_all(&[safe, pair[0], pair[1]]))
            .collect();
        terms.push(g.and_all(&[safe, x[2], x[3], x[4]]));
        let any = g.or_all(&terms);
        let circuit = sweep(&g.finish(vec![any]));
        let after = sweep(&subsumption(&circuit, &Stop::new()));
        assert!(after.nodes().len() < circuit.nodes().len());
    }

    #[test]
    fn a_shorter_slide_subsumes_a_longer_one() {
        let mut g = Builder::new(5);
        let x: Vec<Edge> = (0..5).map(|i| g.input(i)).collect();
        // Slides over 1, 2, 3 and 4 free squares: x[1], then x[2], and so on.
        let slides: Vec<Edge> = (1..5).map(|end| g.and_all(&x[..=end])).collect();
        let any = g.or_all(&slides);
        let mut outputs = slides;
        outputs.push(any);
        let circuit = g.finish(outputs);
        let after = sweep(&subsumption(&circuit, &Stop::new()));
        assert_eq!(after.outputs()[4], after.outputs()[0]);
    }
}
