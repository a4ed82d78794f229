//! Valuation of the nodes of the tree by a learned [evaluation](crate::search::learned).
//!
//! Nodes and edges have a value for each of two to four roles, beside the mean of what evaluations brought. That of an
//! expanded node is the value of the child that is best for the role that decides, or the mean of its children where
//! chance does: an expectiminimax value. The worth of an edge is a weighted mean of both, and before the first visit
//! the value alone ("implicit minimax backups": Lanctot, Winands, Pepels and Sturtevant, "Monte Carlo Tree Search with
//! Heuristic Evaluations using Implicit Minimax Backups", 2014).
//!
//! Nothing is proved by that: what a role can get for certain does not depend on it.

use std::sync::Arc;

use super::decision::{Decision, Edge};
use super::node::{Bounds, Expected, Node, NodeId};
use crate::game::machine::RoleId;
use crate::game::machine::expansion::successor::Expansion;
use crate::search::learned::{Evaluation, Roles, Scorer, Trust, TrustedEvaluation};
use crate::search::mcts::config::{EvaluationUse, EvaluationWeights};
use crate::search::mcts::tree::Tree;

/// An evaluation for a tree, and how it is used.
#[derive(Clone, Debug)]
pub(in crate::search::mcts) struct Valuation {
    pub evaluation: Arc<Evaluation>,
    pub trust: Trust,
    pub weights: EvaluationWeights,
}

impl Valuation {
    /// An evaluation that is used like this.
    pub(in crate::search::mcts) fn new(found: TrustedEvaluation, used: EvaluationUse) -> Valuation {
        Valuation {
            weights: used.weights(found.trust),
            evaluation: found.evaluation,
            trust: found.trust,
        }
    }

    /// Returns the part of the value in the worth of an edge after `visits` visits, at least one.
    fn weight(&self, visits: u64) -> f32 {
        let EvaluationWeights { backup, prior, .. } = self.weights;
        backup + (1.0 - backup) * prior / (prior + visits as f32)
    }

    /// Returns the part of the exploration for a move with a value that is `less` below that of the best
    /// one.
    pub(in crate::search::mcts) fn exploration(&self, less: f32) -> f32 {
        1.0 / (1.0 + less.max(0.0) / self.weights.spread.max(f32::MIN_POSITIVE))
    }
}

impl Tree {
    /// Returns whether nodes are expanded on the first visit, and valued by their successors instead of by
    /// playouts.
    pub(in crate::search::mcts) fn expands_at_once(&self) -> bool {
        let weights = self.valuation().map(|valuation| valuation.weights);
        self.has_priors() || weights.is_some_and(|weights| weights.leaf >= 1.0)
    }

    /// The goals that the roles can expect in a node.
    pub(in crate::search::mcts) fn expected_goals<'a>(
        &'a self,
        id: NodeId,
        scorer: &mut Scorer,
    ) -> impl Iterator<Item = f32> + use<'a> {
        let node = self.node(id);
        let mut expected = node.expected();
        if !expected.is_known() {
            let to_move = node.meta().role().unwrap_or(RoleId(0));
            expected = Expected::new(scorer.values(node.state(), to_move));
            node.expect(expected);
        }
        let ranges = RoleId::first(self.ranges().len()).zip(self.ranges());
        ranges.map(move |(role, &Bounds { low, high })| low + expected.of(role) * (high - low))
    }

    /// Values what follows from a node that has just been expanded.
    pub(in crate::search::mcts) fn value_edges(
        &self,
        id: NodeId,
        found: Expansion<'_>,
        scorer: &mut Scorer,
    ) {
        let Some((role, decision)) = self.decision_of_one(id) else {
            return;
        };
        // The successors are evaluated beside it.
        scorer.log_odds(self.node(id).state(), role);
        let infos = found.successors.infos.iter().enumerate();
        for (edge, (place, info)) in decision.each().zip(infos) {
            let expected = match info.turn.first() {
                None => Expected::new(scorer.roles().shares(|role| {
                    let counted = self.counted_behind(decision, place, role);
                    self.ranges()[role.index()].to_unit(counted.unwrap_or(0.0))
                })),
                Some(to_move) => {
                    let state = found.successors.state(place).iter().copied();
                    Expected::new(scorer.values_beside(state, to_move))
                }
            };
            edge.expect(expected);
            edge.set_prior(expected.of(role));
        }
        self.compare_values(self.node(id), role, decision);
    }

    /// Takes the expectation behind an edge over to the node that it leads to, unless more is known of
    /// that.
    pub(in crate::search::mcts) fn take_along(&self, edge: Edge<'_>, child: Node<'_>) {
        if self.valuation().is_none() {
            return;
        }
        let expected = edge.expected();
        if expected.is_known() && !child.expected().is_known() {
            child.expect(expected);
        }
    }

    /// Takes over the value behind an edge of a node, after this many more visits. Returns what the edge is
    /// worth to the role that decides, of which this is the mean.
    pub(in crate::search::mcts) fn take_over_value(
        &self,
        node: Node<'_>,
        role: RoleId,
        decision: Decision<'_>,
        edge: Edge<'_>,
        mean: f32,
        visits: u64,
    ) -> f32 {
        let (Some(valuation), Some(child)) = (self.valuation(), edge.node()) else {
            return mean;
        };
        let child = self.node(child);
        let before = edge.expected();
        let found = match child.expected() {
            found if found.is_known() => found,
            _ => before,
        };
        if !found.is_known() {
            return mean;
        }
        let found = self.within_bounds(valuation, child, found);
        edge.expect(found);
        let known = node.expected();
        if self.random() == Some(role) {
            self.compare_values(node, role, decision);
        } else if !known.is_known() || found.of(role) >= known.of(role) {
            node.expect(found);
        } else if before.of(role) >= known.of(role) {
            // It was the best so far.
            self.compare_values(node, role, decision);
        }
        let weight = valuation.weight(edge.visits() + visits);
        mean + weight * (found.of(role) - mean)
    }

    /// Takes over what is proved behind an edge into what is expected behind it.
    pub(in crate::search::mcts) fn settle_value(&self, edge: Edge<'_>) {
        let Some(valuation) = self.valuation() else {
            return;
        };
        let expected = edge.expected();
        if let Some(child) = edge.node().filter(|_| expected.is_known()) {
            edge.expect(self.within_bounds(valuation, self.node(child), expected));
        }
    }

    /// Takes over the value of the best edge of a node, or the mean of all where chance decides.
    pub(in crate::search::mcts) fn compare_values(
        &self,
        node: Node<'_>,
        role: RoleId,
        decision: Decision<'_>,
    ) {
        let best = self
            .valuation()
            .and_then(|valuation| match self.random() == Some(role) {
                true => mean(decision, valuation.evaluation.roles()),
                false => best(decision, role),
            });
        if let Some(best) = best {
            node.expect(best);
        }
    }

    /// Returns the expectation, limited to the proved bounds of the node.
    fn within_bounds(&self, valuation: &Valuation, node: Node<'_>, expected: Expected) -> Expected {
        Expected::new(valuation.evaluation.roles().shares(|role| {
            let range = self.ranges()[role.index()];
            let Bounds { low, high } = node.bounds(role);
            (expected.of(role)).clamp(range.to_unit(low), range.to_unit(high))
        }))
    }
}

/// Returns the expectation behind the edge that is best for a role.
fn best(decision: Decision<'_>, role: RoleId) -> Option<Expected> {
    let known = decision.each().map(Edge::expected);
    let known = known.filter(|expected| expected.is_known());
    known.max_by(|a, b| a.of(role).total_cmp(&b.of(role)))
}

/// Returns the mean of the expectations behind all edges, if all are known.
fn mean(decision: Decision<'_>, roles: Roles) -> Option<Expected> {
    let all: Vec<Expected> = decision.each().map(Edge::expected).collect();
    let are_known = !all.is_empty() && all.iter().all(|expected| expected.is_known());
    are_known.then(|| {
        Expected::new(roles.shares(|role| {
            let sum: f32 = all.iter().map(|expected| expected.of(role)).sum();
            sum / all.len() as f32
        }))
    })
}
