//! Descents: down the tree to leaves.

use std::ops::ControlFlow::{self, Break, Continue};

use super::first_moves::FirstMoves;
use super::path::{Choice, Path, Step};
use super::selection::{Criteria, Selection};
use crate::game::machine::expansion::successor::Successor;
use crate::game::machine::{Move, RoleId, State};
use crate::search::mcts::tree::Tree;
use crate::search::mcts::tree::arena::{AllocationBuffer, Block};
use crate::search::mcts::tree::decision::Decision;
use crate::search::mcts::tree::joint::{JointDecision, JointEdge};
use crate::search::mcts::tree::node::{Decider, NodeId, Stage};
use crate::support::rng::GameRng;

/// The tools of a thread on its way down the tree.
pub(in crate::search::mcts) struct DescentContext {
    /// The UCB exploration constant.
    pub exploration: f32,
    /// The RAVE statistics, if they are used.
    pub first_moves: Option<FirstMoves>,
    pub rng: GameRng,
    /// The buffer from which nodes are allocated.
    pub buffer: AllocationBuffer,
    /// A state to work on.
    pub state: State,
    /// The choice in a node.
    pub selection: Selection,
}

/// A path on its way down, and the node that it is at, unless it has come to its end.
pub(in crate::search::mcts) struct Descent {
    path: Path,
    at: Option<NodeId>,
}

/// The work at the end of a path.
#[derive(Debug)]
pub(in crate::search::mcts) enum Leaf {
    /// Playouts are to start in this node.
    Play(NodeId),
    /// It is known what each role gets, or with what it counts.
    Known(Known),
    /// The legal moves of this node are to be found out.
    Expand(NodeId),
    /// The successor of this node by this joint move is to be found out.
    Follow(NodeId, Vec<Move>),
    /// Another thread is about to find out what is needed to go on, and until then there is nothing to do.
    Busy,
}

/// A state or edge with a known result for each role, or behind which the match does not continue.
#[derive(Clone, Copy, Debug)]
pub(in crate::search::mcts) enum Known {
    /// In a node.
    Node(NodeId),
    /// Behind an edge: the block that it is in, and its place.
    Edge(Block, u32),
}

impl Descent {
    pub(in crate::search::mcts) fn new(path: Path, at: NodeId) -> Descent {
        Descent { path, at: Some(at) }
    }

    /// Takes the path away, as it has come to its end.
    fn end(&mut self) -> Path {
        self.at = None;
        std::mem::take(&mut self.path)
    }
}

impl Tree {
    /// Advances each descent by a step. Returns the paths that came to their ends, and what is to be done
    /// there; the others are left.
    ///
    /// Most of the time goes to waiting for memory. So the paths go down together, and those that are next
    /// to each other at the same node choose together.
    pub(in crate::search::mcts) fn step(
        &self,
        descents: &mut Vec<Descent>,
        context: &mut DescentContext,
    ) -> Vec<(Path, Leaf)> {
        let meet = |a: &Descent, b: &Descent| a.at == b.at;
        for node in descents.chunk_by(meet).filter_map(|group| group[0].at) {
            self.prefetch_choice(node);
        }
        let first_moves = context.first_moves.as_ref();
        let criteria = Criteria {
            exploration: context.exploration,
            rave: first_moves.map_or(0.0, |first_moves| first_moves.visits),
        };
        let mut ended = Vec::new();
        for group in descents.chunk_by_mut(meet) {
            let Some(node) = group[0].at else { continue };
            let paths = group.len();
            let Some(inside) = self.choose(node, paths, criteria, &mut context.selection) else {
                for descent in group {
                    match self.inspect(node, &mut descent.path, &mut context.rng) {
                        Continue(next) => descent.at = Some(next),
                        Break(leaf) => ended.push((descent.end(), leaf)),
                    }
                }
                continue;
            };
            let mut rest = group;
            for (place, paths) in context.selection.chosen() {
                let next = self.take(
                    inside,
                    place,
                    paths,
                    &mut context.state,
                    &mut context.buffer,
                );
                for descent in rest.split_off_mut(..paths).into_iter().flatten() {
                    let Some(next) = &next else {
                        ended.push((descent.end(), self.play(node)));
                        continue;
                    };
                    descent.path.steps.push(Step {
                        node,
                        choice: Choice::Edge(inside, place as u32),
                    });
                    match next {
                        Continue(next) => descent.at = Some(*next),
                        Break(known) => ended.push((descent.end(), Leaf::Known(*known))),
                    }
                }
            }
        }
        descents.retain(|descent| descent.at.is_some());
        ended
    }

    /// Prefetches the memory that a choice in a node needs.
    fn prefetch_choice(&self, id: NodeId) {
        if let (Stage::Expanded, inside) = self.node(id).inside() {
            self.prefetch_decision(inside);
        }
    }

    /// Takes an edge with this many paths: to the next node, or to what is known behind it. Returns none if
    /// there is no memory to go on.
    fn take(
        &self,
        inside: Block,
        place: usize,
        paths: usize,
        state: &mut State,
        buffer: &mut AllocationBuffer,
    ) -> Option<ControlFlow<Known, NodeId>> {
        let decision = self.decision(inside);
        let edge = decision.edge(place);
        let next = match edge.is_over() {
            true => Break(Known::Edge(inside, place as u32)),
            false => {
                let next = self.follow(decision, place, state, buffer)?;
                self.prefetch_node(next);
                Continue(next)
            }
        };
        edge.begin(paths as u64);
        Some(next)
    }

    /// Starts playouts in a node.
    fn play(&self, id: NodeId) -> Leaf {
        self.node(id).begin();
        Leaf::Play(id)
    }

    /// Handles a node in which there is no [choice](Tree::choose) of one role, and goes on from there if
    /// several roles have one.
    fn inspect(&self, id: NodeId, path: &mut Path, rng: &mut GameRng) -> ControlFlow<Leaf, NodeId> {
        let node = self.node(id);
        let decider = node.meta().decider();
        if decider == Decider::Nobody || node.is_solved() {
            return Break(Leaf::Known(Known::Node(id)));
        }
        // Lanes would stay empty if a path had to wait for what another one is about to find out.
        let busy = || match self.expands_at_once() {
            true => Leaf::Busy,
            false => self.play(id),
        };
        match (node.inside(), decider) {
            ((Stage::Expanding, _), _) => Break(busy()),
            ((Stage::Unexpanded, _), _)
                if (!node.is_touched() && !self.expands_at_once()) || self.is_full() =>
            {
                Break(self.play(id))
            }
            ((Stage::Unexpanded, _), _) => Break(match node.claim() {
                true => Leaf::Expand(id),
                false => busy(),
            }),
            // All moves that can still be chosen are known, or end the match.
            ((Stage::Expanded, inside), Decider::One(role)) => {
                self.refresh(id);
                let best = self.best_known(self.decision(inside), role);
                Break(Leaf::Known(Known::Edge(inside, best as u32)))
            }
            ((Stage::Expanded, _), _) => {
                let joint = self.joint(id);
                let mut joint = joint.lock();
                let places = joint.choose(self.random(), rng);
                let number = joint.id(&places);
                let next = match joint.edges.get(&number).map(|edge| edge.to) {
                    Some(Some(next)) => Continue(next),
                    Some(None) => return Break(Leaf::Busy),
                    None if self.is_full() => return Break(self.play(id)),
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

    /// The place of the edge where the role gets the most, by what is counted there.
    fn best_known(&self, decision: Decision<'_>, role: RoleId) -> usize {
        let value = |place: &usize| {
            // Edges that are closed otherwise are known, or worth less than another one.
            let counted = self.counted_behind(decision, *place, role);
            counted.unwrap_or_else(|| self.bounds(decision, *place, role).high)
        };
        let places = 0..decision.len();
        let best = places.max_by(|a, b| value(a).total_cmp(&value(b)));
        best.unwrap_or(0)
    }

    /// Returns the counted value for a role if the match does not continue behind an edge.
    pub(in crate::search::mcts) fn counted_behind(
        &self,
        decision: Decision<'_>,
        place: usize,
        role: RoleId,
    ) -> Option<f32> {
        let counted = || self.counted(self.bounds(decision, place, role), decision.meta(place));
        decision.edge(place).is_over().then(counted)
    }

    /// Returns what each role gets, if that is known, or the counted value.
    pub(in crate::search::mcts) fn values(&self, known: Known) -> impl Iterator<Item = f32> {
        self.roles().map(move |role| match known {
            Known::Node(id) => {
                let node = self.node(id);
                self.counted(node.bounds(role), node.meta())
            }
            Known::Edge(inside, place) => {
                let (decision, place) = (self.decision(inside), place as usize);
                let counted = self.counted_behind(decision, place, role);
                counted.unwrap_or_else(|| self.bounds(decision, place, role).low)
            }
        })
    }

    /// Sets where the joint move at the end of the path leads to; returns the node, if there
    /// is memory for it.
    pub(in crate::search::mcts) fn complete(
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

    /// Takes back the joint move by which the path ends, which was not evaluated.
    pub(in crate::search::mcts) fn forget(&self, path: &Path) {
        if let Some((node, number)) = path.last_joint() {
            self.joint(node).lock().edges.remove(&number);
        }
    }
}
