//! Proofs of bounds: conclusions for a node from what is known of those below.
//!
//! This is the solver of Winands, Björnsson and Saito, "Monte-Carlo Tree Search Solver"
//! (2008), for ranges of goals of any number of roles. A role that can choose among moves
//! that are equally good for itself is assumed to choose the worst for the others.

use crate::game::machine::RoleId;
use crate::game::machine::expansion::successor::Successor;
use crate::search::mcts::tree::Tree;
use crate::search::mcts::tree::decision::Decision;
use crate::search::mcts::tree::dominance::Dominance;
use crate::search::mcts::tree::joint::{JointDecision, JointId};
use crate::search::mcts::tree::node::{Bounds, NodeId};

impl Tree {
    /// The only role of the game can get at least `goal` in this node.
    pub(in crate::search::mcts) fn raise_lower_bound(&self, id: NodeId, goal: f32) {
        let Bounds { high, .. } = self.ranges()[0];
        self.node(id).narrow(RoleId(0), Bounds { low: goal, high });
    }

    /// The least that the only role of the game is proved to get from a state, if it has a node.
    pub(in crate::search::mcts) fn proven_lower_bound(&self, state: &Successor) -> Option<f32> {
        let id = self.find_successor(state)?;
        Some(self.node(id).bounds(RoleId(0)).low)
    }

    /// Recomputes what each role can still get in a node. Returns whether that changed.
    pub(in crate::search::mcts) fn refresh(&self, id: NodeId) -> bool {
        let node = self.node(id);
        let Some((decider, decision)) = self.decision_of_one(id) else {
            // If several roles decide at once, it depends on which joint move brings the news.
            return false;
        };
        let mut changed = false;
        if self.random() == Some(decider) {
            for role in self.roles() {
                changed |= node.narrow(role, self.mean_bounds(decision, role));
            }
            return changed;
        }
        let own: Vec<Bounds> = self.behind(decision, decider).collect();
        let low = greatest(own.iter().map(|own| own.low));
        let high = greatest(own.iter().map(|own| own.high));
        for role in self.roles() {
            let bounds = match role == decider {
                true => Bounds { low, high },
                false => self.bounds_of_other(role, decision, &own, low, high),
            };
            changed |= node.narrow(role, bounds);
        }
        let edges = decision.each().zip(&own).enumerate();
        let mut closed = false;
        for (place, (edge, own)) in edges {
            let known = |role| self.bounds(decision, place, role).are_exact();
            if !edge.is_closed() && (own.high < low || self.roles().all(known)) {
                // Nothing comes up from there any more.
                self.settle_value(edge);
                edge.close();
                closed = true;
            }
        }
        if closed {
            self.compare_values(node, decider, decision);
        }
        changed
    }

    /// Recomputes what each role can still get in a node in which several decide, if there is news of the
    /// successor of a joint move. Returns whether that changed.
    pub(in crate::search::mcts) fn refresh_joint(
        &self,
        id: NodeId,
        joint: &mut JointDecision,
        number: JointId,
    ) -> bool {
        let child = joint.edges.get(&number).and_then(|edge| edge.to);
        let Some(child) = child.map(|child| self.node(child)) else {
            return false;
        };
        let is_news = joint.note_changes(number, child.changes());
        if !is_news
            || self
                .roles()
                .all(|role| child.bounds(role) == self.ranges()[role.index()])
        {
            return false;
        }
        let Some(found) = self.prove(joint) else {
            return false;
        };
        let node = self.node(id);
        let narrow = |changed: bool, (role, bounds): (RoleId, &Bounds)| {
            node.narrow(role, *bounds) || changed
        };
        self.roles().zip(&found.roles).fold(false, narrow)
    }

    /// Returns what is proved of a decision that several roles make at once, unless there are too many
    /// joint moves.
    pub(in crate::search::mcts) fn prove(&self, joint: &mut JointDecision) -> Option<Dominance> {
        joint.prove(self.random(), |child, role| match child {
            Some(child) => self.node(child).bounds(role),
            None => self.ranges()[role.index()],
        })
    }

    /// The bounds of a role behind each edge.
    fn behind(&self, decision: Decision<'_>, role: RoleId) -> impl Iterator<Item = Bounds> + Clone {
        (0..decision.len()).map(move |place| self.bounds(decision, place, role))
    }

    /// The bounds of the expectation of a role where chance decides.
    fn mean_bounds(&self, decision: Decision<'_>, role: RoleId) -> Bounds {
        let count = decision.len() as f32;
        let behind = self.behind(decision, role);
        Bounds {
            low: behind.clone().map(|bounds| bounds.low).sum::<f32>() / count,
            high: behind.map(|bounds| bounds.high).sum::<f32>() / count,
        }
    }

    /// The bounds of a role that does not decide; the deciding role gets `own`
    /// behind each edge, and at least `low` and at most `high`.
    fn bounds_of_other(
        &self,
        role: RoleId,
        decision: Decision<'_>,
        own: &[Bounds],
        low: f32,
        high: f32,
    ) -> Bounds {
        // No role plays a move that another one is better than, whatever comes.
        let pairs = self.behind(decision, role).zip(own);
        let played = pairs.filter(|(_, own)| own.high >= low);
        // Of moves that are equally good for it, a role plays the worst for others.
        let sure = played.clone().filter(|(_, own)| own.low >= low);
        let most = match low == high {
            true => least(sure.map(|(bounds, _)| bounds.high)),
            false => greatest(played.clone().map(|(bounds, _)| bounds.high)),
        };
        Bounds {
            low: least(played.map(|(bounds, _)| bounds.low)).min(most),
            high: most,
        }
    }
}

fn greatest(values: impl Iterator<Item = f32>) -> f32 {
    values.fold(f32::NEG_INFINITY, f32::max)
}

fn least(values: impl Iterator<Item = f32>) -> f32 {
    values.fold(f32::INFINITY, f32::min)
}
