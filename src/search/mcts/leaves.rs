//! External leaf evaluation: leaves that are [evaluated from outside](crate::search::external), collected,
//! evaluated together, and backed up.

use std::sync::atomic::Ordering;

use propjit_stop::Stop;

use super::shared::Wanted;
use super::tree::Tree;
use super::tree::decision::MAX_PENDING;
use super::tree::node::{Bounds, NodeId};
use super::walk::path::Path;
use super::worker::Worker;
use crate::game::machine::{MachineError, RoleId, State};
use crate::search::external::{LeafEvaluation, PolicyPlayouts, positions_of, softmax};

/// The number of visits of the root for each leaf that may wait, beyond the first.
const VISITS_PER_LEAF: u64 = 4;

impl Worker<'_> {
    /// How many leaves may wait to be evaluated.
    pub(super) fn most_waiting(&self, evaluation: &LeafEvaluation) -> usize {
        let most = MAX_PENDING / self.config.thread_count() as u64;
        let batch = (evaluation.batch as u64).clamp(1, most);
        self.most_leaves(VISITS_PER_LEAF, batch)
    }

    /// Collects leaves, has them evaluated, and updates the tree.
    pub(super) fn evaluate_leaves(
        &mut self,
        evaluation: &LeafEvaluation,
        wanted: Wanted,
        stop: &Stop,
    ) -> Result<(), MachineError> {
        loop {
            // A descent ends where another one is to find out what comes next. When that is done, it
            // goes on.
            let before = self.waiting.len();
            self.reach_leaves(wanted, stop)?;
            if stop.is_set() || self.is_done(wanted) {
                return Ok(());
            }
            let waiting = self.waiting.len();
            if waiting == before || waiting >= self.most_waiting(evaluation) {
                break;
            }
        }
        if self.waiting.is_empty() {
            return Ok(());
        }
        let tree = self.tree;
        let states = self.waiting.iter().map(|(_, leaf)| {
            let mut state = State::new();
            state.assign_from(tree.node(*leaf).state());
            (state, tree.node(*leaf).meta().depth())
        });
        let states: Vec<(State, u32)> = states.collect();
        let roles = tree.ranges().len();
        let positions = positions_of(self.evaluator, &states, roles)?;
        let judged = evaluation.judge(&positions)?;
        for (at, (_, leaf)) in self.waiting.iter().enumerate() {
            let logits = |role| &judged.logits[positions.places(at, role)];
            tree.set_probabilities(*leaf, |role| softmax(logits(role)));
        }
        let count = states.len() as u64;
        let mut values = if evaluation.playouts {
            let playouts = PolicyPlayouts {
                evaluation,
                evaluator: self.evaluator,
                random: tree.random(),
                rng: &mut self.context.rng,
                max_steps: self.config.max_steps,
            };
            let depths = states.iter().map(|(_, depth)| *depth);
            let mut steps = 0;
            let played = playouts.play(positions, judged, depths, &mut steps, stop)?;
            let Some(goals) = played else {
                return Ok(());
            };
            self.shared.steps.fetch_add(steps, Ordering::Relaxed);
            self.shared.playouts.add(count);
            goals
        } else {
            self.shared.spared.fetch_add(count, Ordering::Relaxed);
            judged.values
        };
        let waiting: Vec<(Path, NodeId)> = std::mem::take(&mut self.waiting);
        for ((path, leaf), values) in waiting.into_iter().zip(values.chunks_exact_mut(roles)) {
            for (value, Bounds { low, high }) in values.iter_mut().zip(tree.ranges()) {
                *value = value.clamp(*low, *high);
            }
            self.record(path, Some(leaf), values.iter().copied());
        }
        self.publish();
        Ok(())
    }
}

impl Tree {
    /// Sets the prior probabilities of the moves of the role that decides alone in a node.
    fn set_probabilities(&self, id: NodeId, probabilities: impl FnOnce(RoleId) -> Vec<f32>) {
        if let Some((role, decision)) = self.decision_of_one(id) {
            for (edge, probability) in decision.each().zip(probabilities(role)) {
                edge.set_probability(probability);
            }
        }
    }
}
