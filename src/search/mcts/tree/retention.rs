//! Retention: what is kept of a tree when it gets another root, or has no memory left.

use std::sync::atomic::{AtomicBool, AtomicUsize};

use super::Tree;
use super::arena::{AllocationBuffer, Arena, Marks};
use super::decision::Edge;
use super::node::{Decider, Node, NodeId, Stage};
use crate::game::machine::expansion::successor::Successor;

impl Tree {
    /// No marks yet.
    pub(in crate::search::mcts) fn marks(&self) -> Marks {
        self.arena.marks()
    }

    /// How many lines of memory there are for nodes.
    pub(in crate::search::mcts) fn lines(&self) -> usize {
        self.arena.lines()
    }

    /// Forgets all nodes. There is no root then.
    pub(in crate::search::mcts) fn clear(&mut self) {
        self.keep(&self.arena.marks());
    }

    /// Makes the state the root, and forgets nodes that cannot be reached from it.
    pub(in crate::search::mcts) fn set_root(&mut self, root: &Successor) {
        let mut marks = self.arena.marks();
        let known = self.find_successor(root);
        if let Some(known) = known {
            self.mark(known, &mut marks, |_| {});
        }
        self.keep(&marks);
        match known {
            Some(known) => self.root = known,
            None => self.make_root(root),
        }
        self.uses_proofs = AtomicBool::new(true);
        // A prover's result about the root does not give the move: that has to follow from what is known of
        // the moves.
        let node = self.node(self.root);
        let is_known = match node.meta().decider() {
            Decider::Nobody => false,
            Decider::One(role) => node.bounds(role).are_exact(),
            Decider::Several => {
                let mut roles = self.roles();
                roles.any(|role| node.bounds(role).are_exact())
            }
        };
        if self.wins.is_some() && is_known {
            node.reset(|role| self.goal_bounds(&root.state, role));
            self.refresh(self.root);
        }
    }

    /// As [`ignore_proofs`](Tree::ignore_proofs), and forgets all but the root.
    pub(in crate::search::mcts) fn begin_without_proofs(&mut self, root: &Successor) {
        self.begin(root, false);
    }

    /// Forgets all but the root, and uses proofs from now on or not.
    pub(in crate::search::mcts) fn begin(&mut self, root: &Successor, uses_proofs: bool) {
        self.uses_proofs = AtomicBool::new(uses_proofs);
        self.clear();
        self.make_root(root);
    }

    /// Forgets all nodes that are not marked.
    pub(in crate::search::mcts) fn keep(&mut self, marks: &Marks) {
        for shard in &mut self.shards {
            let nodes = shard.0.get_mut();
            let before = nodes.len();
            nodes.retain(|entry| marks.contains(entry.id));
            self.forgotten += (before - nodes.len()) as u64;
        }
        let joints = self.joints.get_mut();
        let arena = &self.arena;
        joints.retain(|&id, _| {
            let is_expanded =
                || Node::new(arena.from(id), &self.ranges).inside().0 == Stage::Expanded;
            marks.contains(id) && is_expanded()
        });
        let bytes = joints.values().map(|joint| joint.lock().bytes());
        self.joint_bytes = AtomicUsize::new(bytes.sum());
        self.is_full = AtomicBool::new(false);
        self.arena.sweep(marks);
    }

    /// Makes the root of a tree that is empty.
    pub(in crate::search::mcts) fn make_root(&mut self, root: &Successor) {
        let mut buffer = AllocationBuffer::default();
        let made = loop {
            match self.intern_successor(root, &mut buffer) {
                Some(made) => break made,
                // Whatever the limit is, there is a root.
                None => {
                    let length = Node::words(self.ranges.len(), root.state.words().len());
                    self.arena = Arena::new(32 * 8 * length);
                    buffer = AllocationBuffer::default();
                }
            }
        };
        self.arena.give_back(buffer);
        self.root = made;
    }

    /// Marks a node and all that can be reached from it, and calls `found` with each of the
    /// nodes.
    pub(in crate::search::mcts) fn mark(
        &self,
        id: NodeId,
        marks: &mut Marks,
        mut found: impl FnMut(NodeId),
    ) {
        let mut left = vec![id];
        while let Some(id) = left.pop() {
            if self.mark_node(id, marks) > 0 {
                found(id);
                self.mark_inside(id, marks, &mut left);
            }
        }
    }

    /// Marks a node. Returns how many lines it has if it was not marked before, or else 0.
    pub(in crate::search::mcts) fn mark_node(&self, id: NodeId, marks: &mut Marks) -> usize {
        let state = self.node(id).state().len();
        marks.mark(id, Node::words(self.ranges.len(), state))
    }

    /// Returns the number of lines that memory of joint decisions counts as: all the memory that they may
    /// take counts as all lines.
    fn joint_lines(&self, bytes: usize) -> usize {
        (bytes as u64 * self.lines() as u64 / self.joint_limit().max(1) as u64) as usize
    }

    /// Marks what a node knows of its moves, and adds the nodes that these lead to. Returns as [`mark_node`]
    /// does, for what is known.
    ///
    /// [`mark_node`]: Tree::mark_node
    pub(in crate::search::mcts) fn mark_inside(
        &self,
        id: NodeId,
        marks: &mut Marks,
        children: &mut Vec<NodeId>,
    ) -> usize {
        let node = self.node(id);
        match (node.inside(), node.meta().decider()) {
            ((Stage::Expanded, inside), Decider::One(_)) => {
                let decision = self.decision(inside);
                children.extend(decision.each().filter_map(Edge::node));
                marks.mark(inside, decision.words())
            }
            ((Stage::Expanded, _), _) => {
                let joint = self.joint(id);
                let joint = joint.lock();
                children.extend(joint.edges.values().filter_map(|edge| edge.to));
                self.joint_lines(joint.bytes())
            }
            _ => 0,
        }
    }
}
