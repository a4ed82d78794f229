//! Backups of leaf values and proofs, up the tree.

use super::path::{Choice, Path, Step};
use crate::search::mcts::tree::Tree;
use crate::search::mcts::tree::arena::Block;
use crate::search::mcts::tree::decision::Edge;
use crate::search::mcts::tree::node::{Decider, NodeId};

/// The number of decisions from the root on that many paths have in common.
const SHARED_DECISIONS: usize = 4;

/// The node and edge that a path goes through, and the values that it brings for each role.
struct Visit<'a> {
    node: NodeId,
    inside: Block,
    place: u32,
    values: &'a [f32],
}

impl Tree {
    /// Adds the values that evaluations at the ends of paths had: for each path the value of each role,
    /// with a node if playouts started in it.
    ///
    /// All paths go up together, a decision each in turn, the deepest first. Common nodes and edges are
    /// changed once for all of them: near the root, other threads are at the same nodes, and one that
    /// changes a line of memory has to wait for the one that did so before.
    pub(in crate::search::mcts) fn back_up(
        &self,
        paths: &[(Path, Option<NodeId>)],
        values: &[f32],
    ) {
        let each = || paths.iter().zip(values.chunks_exact(self.ranges().len()));
        for ((_, leaf), values) in each() {
            if let Some(leaf) = leaf {
                let leaf = self.node(*leaf);
                leaf.end();
                leaf.add([values].into_iter());
            }
        }
        let lengths = paths.iter().map(|(path, _)| path.steps.len());
        let mut visits = Vec::with_capacity(paths.len());
        for depth in (0..lengths.max().unwrap_or(0)).rev() {
            for ((path, _), values) in each() {
                match path.steps.get(depth) {
                    Some(&Step {
                        node,
                        choice: Choice::Edge(inside, place),
                    }) => visits.push(Visit {
                        node,
                        inside,
                        place,
                        values,
                    }),
                    Some(step) => self.back_up_joint(step, values),
                    None => {}
                }
            }
            if depth < SHARED_DECISIONS {
                visits.sort_unstable_by_key(|visit| (visit.node.0, visit.place));
            }
            for visits in visits.chunk_by(|a, b| a.node == b.node) {
                self.node(visits[0].node)
                    .add(visits.iter().map(|visit| visit.values));
                for visits in visits.chunk_by(|a, b| a.place == b.place) {
                    self.back_up_edge(visits);
                }
            }
            visits.clear();
        }
    }

    /// Counts visits that go through the same edge, with values that have been added to both nodes.
    fn back_up_edge(&self, visits: &[Visit<'_>]) {
        let Visit {
            node: id,
            inside,
            place,
            ..
        } = visits[0];
        let (node, decision, count) = (self.node(id), self.decision(inside), visits.len() as u64);
        let edge = decision.edge(place as usize);
        let mean = match (edge.node(), node.meta().decider()) {
            (Some(child), Decider::One(role)) => {
                let mean = self.node(child).mean_in_units(role);
                self.take_over_value(node, role, decision, edge, mean, count)
            }
            _ => 0.0,
        };
        edge.end(count, mean);
        // Each node on the way takes over what is proved below.
        if self.has_changed(edge) {
            self.refresh(id);
        }
    }

    /// Adds the values that an evaluation had to a node in which several roles decide.
    fn back_up_joint(&self, step: &Step, values: &[f32]) {
        let node = self.node(step.node);
        node.add([values].into_iter());
        if let Choice::Joint(places, number) = &step.choice {
            let mean = |child: Option<NodeId>, role| {
                child.map_or(node, |child| self.node(child)).mean(role)
            };
            let joint = self.joint(step.node);
            let mut joint = joint.lock();
            joint.update_regrets(places, values, self.random(), mean);
            self.refresh_joint(step.node, &mut joint, *number);
        }
    }

    /// Whether more is proved behind an edge than was known before.
    fn has_changed(&self, edge: Edge<'_>) -> bool {
        let child = edge.node();
        child.is_some_and(|child| edge.note_changes(self.node(child).changes()))
    }

    /// Recomputes what is known of the nodes of the path, if there is news.
    pub(in crate::search::mcts) fn refresh_path(&self, path: &Path) {
        for step in path.steps.iter().rev() {
            let is_news = match step.choice {
                Choice::Edge(inside, place) => {
                    let edge = self.decision(inside).edge(place as usize);
                    self.has_changed(edge) && self.refresh(step.node)
                }
                Choice::Joint(_, number) => {
                    let joint = self.joint(step.node);
                    self.refresh_joint(step.node, &mut joint.lock(), number)
                }
            };
            if !is_news {
                break;
            }
        }
    }

    /// Gives up the evaluation at the end of the path.
    pub(in crate::search::mcts) fn cancel(&self, path: &Path, leaf: Option<NodeId>) {
        if let Some(leaf) = leaf {
            self.node(leaf).end();
        }
        for step in &path.steps {
            if let Choice::Edge(inside, place) = step.choice {
                self.decision(inside).edge(place as usize).cancel();
            }
        }
    }
}
