//! Backups: up the tree from leaves, with their values and what is proved of them.

use super::decision::Edge;
use super::node::{Decider, NodeId};
use super::path::{Choice, Path, Step};
use super::tree::Tree;

impl Tree {
    /// Adds the values that evaluations at the ends of paths had: for each path the value of each role, there
    /// being a node if playouts started in it.
    ///
    /// All paths go up together, a decision each in turn, those first that are deepest: so what they have
    /// in common, which other threads change as well, is changed by one thread many times in a row.
    pub(super) fn back_up(&self, paths: &[(Path, Option<NodeId>)], values: &[f32]) {
        let each = || paths.iter().zip(values.chunks_exact(self.ranges().len()));
        for ((_, leaf), values) in each() {
            if let Some(leaf) = leaf {
                let leaf = self.node(*leaf);
                leaf.end();
                leaf.add(values);
            }
        }
        let lengths = paths.iter().map(|(path, _)| path.steps.len());
        for depth in (0..lengths.max().unwrap_or(0)).rev() {
            for ((path, _), values) in each() {
                if let Some(step) = path.steps.get(depth) {
                    self.back_up_step(step, values);
                }
            }
        }
    }

    /// Adds the values that an evaluation had to the node and the edge of a step.
    fn back_up_step(&self, step: &Step, values: &[f32]) {
        let node = self.node(step.node);
        node.add(values);
        match &step.choice {
            Choice::Edge(inside, place) => {
                let edge = self.decision(*inside).edge(*place as usize);
                let mean = match (edge.node(), node.meta().decider()) {
                    (Some(child), Decider::One(role)) => {
                        let mean = self.node(child).mean_in_units(role);
                        let decision = self.decision(*inside);
                        self.take_over_value(node, role, decision, edge, mean)
                    }
                    _ => 0.0,
                };
                edge.end(mean);
                // Each node on the way takes over what is proved below.
                if self.has_changed(edge) {
                    self.refresh(step.node);
                }
            }
            Choice::Joint(places, number) => {
                let mean = |child: Option<NodeId>, role| {
                    child.map_or(node, |child| self.node(child)).mean(role)
                };
                let joint = self.joint(step.node);
                let mut joint = joint.lock();
                joint.update_regrets(places, values, self.random(), mean);
                self.refresh_joint(step.node, &mut joint, *number);
            }
        }
    }

    /// Whether more is proved behind an edge than was known before.
    fn has_changed(&self, edge: Edge<'_>) -> bool {
        let child = edge.node();
        child.is_some_and(|child| edge.note_changes(self.node(child).changes()))
    }

    /// Computes anew what is known of the nodes of the path, as far as there is news.
    pub(super) fn refresh_path(&self, path: &Path) {
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
    pub(super) fn cancel(&self, path: &Path, leaf: Option<NodeId>) {
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
