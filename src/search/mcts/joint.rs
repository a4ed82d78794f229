//! Choices that several roles make at once.

use rand::RngExt;

use super::node::{Arm, Inside, Joint, NodeId};
use super::tree::Tree;
use crate::machine::RoleId;
use crate::rng::GameRng;

/// How often a role chooses without regard to its strategy, so that nothing stays untried.
const AT_RANDOM: f64 = 0.1;

impl Tree {
    /// For each role the place of a move, by its strategy: each as likely as it is regretted
    /// that it was not played.
    pub fn sample(&self, joint: &Joint, rng: &mut GameRng) -> Vec<usize> {
        let roles = RoleId::first(joint.arms.len()).zip(&joint.arms);
        let mut place = |role: RoleId, arms: &[Arm]| {
            let total: f64 = arms.iter().map(|arm| arm.regret).sum();
            let is_random = self.random() == Some(role) || total <= 0.0;
            if is_random || rng.random_bool(AT_RANDOM) {
                return rng.random_range(0..arms.len());
            }
            let mut left = rng.random_range(0.0..total);
            let chosen = arms.iter().position(|arm| {
                left -= arm.regret;
                left < 0.0
            });
            chosen.unwrap_or(arms.len() - 1)
        };
        roles.map(|(role, arms)| place(role, arms)).collect()
    }

    /// After the moves at these places brought the roles these values: what would other
    /// moves have brought them against the same moves of the others?
    pub fn regret(&mut self, id: NodeId, places: &[usize], values: &[f64]) {
        let node = self.node(id);
        let Inside::Joint(joint) = &node.inside else {
            return;
        };
        let mut places = places.to_vec();
        let mut regrets = Vec::new();
        for (role, arms) in RoleId::first(joint.arms.len()).zip(&joint.arms) {
            if arms.len() == 1 || self.random() == Some(role) {
                continue;
            }
            let chosen = places[role.index()];
            for (place, arm) in arms.iter().enumerate() {
                places[role.index()] = place;
                let met = joint.edges.get(&joint.id(&places)).copied().flatten();
                let met = met.and_then(|child| self.node(child).mean(role));
                // What was never tried against these moves is as good as against others.
                let others = || arm.sum.mean(arm.visits).or(node.mean(role));
                let value = met.or_else(others).unwrap_or(0.0);
                regrets.push((role, place, value - values[role.index()]));
            }
            places[role.index()] = chosen;
        }
        let joint = self.joint_mut(id);
        for (role, place, regret) in regrets {
            let arm = &mut joint.arms[role.index()][place];
            arm.regret = (arm.regret + regret).max(0.0);
        }
    }
}
