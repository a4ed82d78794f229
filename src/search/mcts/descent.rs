//! Descents: down the tree to a leaf.

use std::ops::ControlFlow::{self, Break, Continue};

use super::arena::AllocationBuffer;
use super::decision::{Decision, Edge};
use super::first_moves::FirstMoves;
use super::joint::{JointDecision, JointEdge};
use super::node::{Decider, Node, NodeId, Stage};
use super::path::{Choice, Path, Step};
use super::tree::Tree;
use crate::machine::{Move, RoleId, State};
use crate::rng::GameRng;
use crate::search::successor::Successor;

/// The tools of a thread on its way down the tree.
pub(super) struct DescentContext {
    /// The weight of what is uncertain.
    pub exploration: f32,
    /// What looks at all moves of playouts, if anything does.
    pub first_moves: Option<FirstMoves>,
    pub rng: GameRng,
    /// The buffer from which nodes are allocated.
    pub buffer: AllocationBuffer,
    /// The value of each role, where that is known.
    pub values: Vec<f32>,
    /// A state to work on.
    pub state: State,
}

/// The work at the end of a path.
#[derive(Debug)]
pub(super) enum Leaf {
    /// Playouts are to start in this node.
    Play(NodeId),
    /// It is known what each role gets: the values are in the context.
    Known,
    /// The legal moves of this node are to be found out.
    Expand(NodeId),
    /// The successor of this node by this joint move is to be found out.
    Follow(NodeId, Vec<Move>),
    /// Somebody else is about to find out what is needed to go on, and until then there is nothing to do.
    Busy,
}

impl Tree {
    /// Asks for the memory that a step from a node needs, so that it is there when the step is made: see
    /// [`step`](Tree::step).
    pub(super) fn prepare_step(&self, id: NodeId) {
        if let (Stage::Expanded, inside) = self.node(id).inside() {
            self.prefetch_decision(inside);
        }
    }

    /// Goes on from where the path ends, which is at a node, to the next one, by upper confidence bounds
    /// (Kocsis and Szepesvári, "Bandit based Monte-Carlo Planning", 2006). Evaluations that
    /// are under way count as visits, but have no value (Liu et al., "Watch the Unobserved",
    /// 2020).
    ///
    /// What takes time is to wait for memory. So many paths go down together, a step each in turn.
    pub(super) fn step(
        &self,
        id: NodeId,
        path: &mut Path,
        context: &mut DescentContext,
    ) -> ControlFlow<Leaf, NodeId> {
        let node = self.node(id);
        let play = || {
            node.begin();
            Break(Leaf::Play(id))
        };
        let decider = node.meta().decider();
        if decider == Decider::Nobody || node.is_solved() {
            let values = self.roles().map(|role| node.bounds(role).low);
            context.values.clear();
            context.values.extend(values);
            return Break(Leaf::Known);
        }
        // Lanes would stay empty if a path had to wait for what another one is about to find out.
        let busy = || match self.expands_at_once() {
            true => Break(Leaf::Busy),
            false => play(),
        };
        match (node.inside(), decider) {
            ((Stage::Expanding, _), _) => busy(),
            ((Stage::Unexpanded, _), _)
                if (!node.is_touched() && !self.expands_at_once()) || self.is_full() =>
            {
                play()
            }
            ((Stage::Unexpanded, _), _) => match node.claim() {
                true => Break(Leaf::Expand(id)),
                false => busy(),
            },
            ((Stage::Expanded, inside), Decider::One(role)) => {
                let decision = self.decision(inside);
                let place = if self.random() == Some(role) {
                    least_tried(decision)
                } else {
                    match self.best_edge(node, decision, role, context) {
                        Some(place) => place,
                        // All that can still be chosen is known.
                        None => {
                            self.refresh(id);
                            let best = self.best_known(decision, role);
                            self.get_values(decision, best, context);
                            return Break(Leaf::Known);
                        }
                    }
                };
                let edge = decision.edge(place);
                let step = Step {
                    node: id,
                    choice: Choice::Edge(inside, place as u32),
                };
                if edge.is_over() {
                    self.get_values(decision, place, context);
                    edge.begin();
                    path.steps.push(step);
                    return Break(Leaf::Known);
                }
                let (state, buffer) = (&mut context.state, &mut context.buffer);
                let Some(next) = self.follow(decision, place, state, buffer) else {
                    return play();
                };
                self.prefetch_node(next);
                edge.begin();
                path.steps.push(step);
                Continue(next)
            }
            ((Stage::Expanded, _), _) => {
                let joint = self.joint(id);
                let mut joint = joint.lock();
                let places = joint.choose(self.random(), &mut context.rng);
                let number = joint.id(&places);
                let next = match joint.edges.get(&number).map(|edge| edge.to) {
                    Some(Some(next)) => Continue(next),
                    Some(None) => return Break(Leaf::Busy),
                    None if self.is_full() => return play(),
                    None => Break(Leaf::Follow(id, joint.moves(&places))),
                };
                if next.is_break() {
                    self.count_joint(JointDecision::EDGE_BYTES);
                    joint.edges.insert(number, JointEdge::default());
                }
                path.steps.push(Step {
                    node: id,
                    choice: Choice::Joint(places, number),
                });
                next
            }
        }
    }

    /// The edge with the greatest upper bound for the role, of those that it may still be
    /// of use to look at.
    fn best_edge(
        &self,
        node: Node<'_>,
        decision: Decision<'_>,
        role: RoleId,
        context: &DescentContext,
    ) -> Option<usize> {
        let rave = context.first_moves.as_ref();
        let rave = rave.map_or(0.0, |first_moves| first_moves.visits);
        let visits = node.visits() as f32 + 1.0;
        // What has not been tried is thought to be as good as the rest.
        let untried = match self.valuation() {
            Some(_) => 1.0,
            None => node.mean_in_units(role),
        };
        if self.has_priors() {
            let weight = context.exploration * visits.sqrt();
            return greatest(decision, |edge| edge.prior_bound(untried, weight));
        }
        let weight = context.exploration * logarithm(visits).sqrt();
        match rave > 0.0 {
            true => greatest(decision, |edge| edge.rave_bound(untried, weight, rave)),
            false => greatest(decision, |edge| edge.upper_bound(untried, weight)),
        }
    }

    /// The place of the edge where the role gets the most.
    fn best_known(&self, decision: Decision<'_>, role: RoleId) -> usize {
        let value = |place: &usize| self.bounds(decision, *place, role).high;
        let places = 0..decision.len();
        let best = places.max_by(|a, b| value(a).total_cmp(&value(b)));
        best.unwrap_or(0)
    }

    /// Gets what each role gets behind an edge.
    fn get_values(&self, decision: Decision<'_>, place: usize, context: &mut DescentContext) {
        let bounds = |role| self.bounds(decision, place, role).low;
        context.values.clear();
        context.values.extend(self.roles().map(bounds));
    }

    /// Sets where the joint move at the end of the path leads to; returns the node, if there
    /// is memory for it.
    pub(super) fn complete(
        &self,
        path: &Path,
        found: &Successor,
        buffer: &mut AllocationBuffer,
    ) -> Option<NodeId> {
        let (node, number) = path.last_joint()?;
        let id = self.intern_successor(found, buffer);
        let joint = self.joint(node);
        let mut joint = joint.lock();
        match id {
            Some(id) => joint.edges.insert(number, JointEdge::new(id)),
            None => joint.edges.remove(&number),
        };
        id
    }

    /// Takes back the joint move by which the path ends, which nobody has looked at.
    pub(super) fn forget(&self, path: &Path) {
        if let Some((node, number)) = path.last_joint() {
            self.joint(node).lock().edges.remove(&number);
        }
    }
}

/// The edge to take by chance: all are equally likely, and taken equally often.
fn least_tried(decision: Decision<'_>) -> usize {
    let edges = decision.each().enumerate();
    let least = edges.min_by_key(|(_, edge)| edge.tried());
    least.map_or(0, |(place, _)| place)
}

/// The place of the edge with the greatest score, if there is one above minus infinity. No branch depends on
/// which it is, as nobody could predict that.
fn greatest<'a>(decision: Decision<'a>, score: impl Fn(Edge<'a>) -> f32) -> Option<usize> {
    let (mut best, mut most) = (0, f32::NEG_INFINITY);
    for (place, edge) in decision.each().enumerate() {
        let score = score(edge);
        let is_better = score > most;
        best = if is_better { place } else { best };
        most = if is_better { score } else { most };
    }
    (most > f32::NEG_INFINITY).then_some(best)
}

/// The natural logarithm of a number from 1 on, linear between powers of two, so at most 0.06 too small:
/// all that the weight of what is uncertain needs, for a tenth of the time.
fn logarithm(number: f32) -> f32 {
    const ONE: u32 = 1.0f32.to_bits();
    const DOUBLE: f32 = (2.0f32.to_bits() - ONE) as f32;
    (number.to_bits() - ONE) as f32 / DOUBLE * std::f32::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_near() {
        for number in (1..100_000).map(|number| number as f32) {
            let (found, exact) = (logarithm(number), number.ln());
            assert!(found <= exact + 1e-5 && found > exact - 0.0598, "{number}");
        }
    }
}
