//! Selection by Gumbel noise and sequential halving at the root, and by completed values below it (Danihelka et al.,
//! "Policy improvement by planning with Gumbel", 2022).

use rand::distr::Distribution;
use rand_distr::Gumbel;

use super::tree::{Edge, ROOT, Tree, Turn};
use crate::search::external::softmax;
use crate::support::rng::GameRng;

/// By how many visits the weight of values exceeds that of the most visited action.
const VISITS: f32 = 50.0;

/// The state of the root's sequential halving.
#[derive(Clone, Default, Debug)]
pub(super) struct Halving {
    /// The noise of each edge of the root.
    noise: Vec<f32>,
    /// The visits of each edge before.
    before: Vec<u32>,
    /// For each simulation, how often the edge that is chosen has been chosen before.
    schedule: Vec<u32>,
    /// The number of simulations so far.
    done: usize,
}

impl Halving {
    /// Begins anew, for this number of simulations and of actions considered at first.
    pub(super) fn start(
        &mut self,
        tree: &Tree,
        considered: u32,
        simulations: u32,
        rng: &mut GameRng,
    ) {
        let edges = tree.edges(ROOT);
        let considered = (considered as usize).min(edges.len());
        self.before = edges.iter().map(|edge| edge.visits).collect();
        self.schedule = schedule(considered, simulations as usize);
        self.done = 0;
        if let Ok(gumbel) = Gumbel::new(0.0, 1.0) {
            self.noise = edges.iter().map(|_| gumbel.sample(rng)).collect();
        }
    }

    /// Returns the edge of the next simulation, and counts that.
    pub(super) fn next(&mut self, tree: &Tree) -> usize {
        let wanted = self.schedule.get(self.done).copied();
        self.done += 1;
        let chosen = |place: usize, edge: &Edge| edge.visits - self.before[place];
        let best = self.best(tree, |place, edge| Some(chosen(place, edge)) == wanted);
        best.unwrap_or(0)
    }

    /// Returns the edge that remains: the best of those that were chosen most often. None before the first search.
    pub(super) fn winner(&self, tree: &Tree) -> Option<usize> {
        if self.before.len() != tree.edges(ROOT).len() {
            return None;
        }
        let chosen = |place: usize, edge: &Edge| edge.visits - self.before[place];
        let counts = tree.edges(ROOT).iter().enumerate();
        let most = counts.map(|(place, edge)| chosen(place, edge)).max()?;
        self.best(tree, |place, edge| chosen(place, edge) == most)
    }

    /// Forgets the noise, as the root is another one.
    pub(super) fn clear(&mut self) {
        *self = Halving::default();
    }

    /// Returns the edge with the greatest sum of noise, logit and weighted value, of those that are `allowed`.
    fn best(&self, tree: &Tree, allowed: impl Fn(usize, &Edge) -> bool) -> Option<usize> {
        let improved = improved_logits(tree, ROOT);
        let edges = tree.edges(ROOT).iter().enumerate();
        let places = edges.filter(|&(place, edge)| allowed(place, edge));
        let sums = places.map(|(place, _)| (place, improved[place] + self.noise[place]));
        sums.max_by(|one, other| one.1.total_cmp(&other.1))
            .map(|(place, _)| place)
    }
}

/// Returns, for each simulation of sequential halving, how often the action that is chosen has been chosen before.
fn schedule(considered: usize, simulations: usize) -> Vec<u32> {
    let rounds = considered.max(2).next_power_of_two().ilog2() as usize;
    let mut schedule = Vec::with_capacity(simulations);
    let (mut left, mut visits) = (considered.max(1), 0);
    while schedule.len() < simulations {
        let each = (simulations / (rounds * left)).max(1);
        for _ in 0..each {
            schedule.extend(std::iter::repeat_n(visits, left));
            visits += 1;
        }
        left = (left / 2).clamp(2.min(considered.max(1)), left);
    }
    schedule.truncate(simulations);
    schedule
}

/// Returns the edge whose share of visits is the farthest below its probability in the improved policy.
pub(super) fn select(tree: &Tree, node: u32) -> usize {
    let policy = softmax(&improved_logits(tree, node));
    let edges = tree.edges(node);
    let total: u32 = edges.iter().map(|edge| edge.visits).sum();
    let (mut best, mut greatest) = (0, f32::NEG_INFINITY);
    for (place, (edge, probability)) in edges.iter().zip(policy).enumerate() {
        let lack = probability - edge.visits as f32 / (1 + total) as f32;
        if lack > greatest {
            (best, greatest) = (place, lack);
        }
    }
    best
}

/// Returns the improved policy of the root: the softmax of logits and completed values.
pub(super) fn policy(tree: &Tree, temperature: f32) -> Vec<f32> {
    let logits = improved_logits(tree, ROOT);
    let scaled = logits.into_iter().map(|logit| logit / temperature);
    softmax(&scaled.collect::<Vec<_>>())
}

/// Returns the logits of a node's edges, raised by the weighted values: those of actions that were visited, and for
/// others a mixture of these with the evaluation of the node.
fn improved_logits(tree: &Tree, node: u32) -> Vec<f32> {
    let edges = tree.edges(node);
    let Turn::Player(_) = tree.nodes[node as usize].turn else {
        return vec![0.0; edges.len()];
    };
    let (mut total, mut most, mut prior, mut weighted) = (0, 0, 0.0, 0.0);
    for edge in edges.iter().filter(|edge| edge.visits > 0) {
        total += edge.visits;
        most = most.max(edge.visits);
        prior += edge.prior;
        weighted += edge.prior * edge.mean;
    }
    let own = tree.details[node as usize].value;
    let mixed = match prior > 0.0 {
        true => (own + total as f32 * weighted / prior) / (1 + total) as f32,
        false => own,
    };
    // Values count from 0 to 1 there.
    let weight = (VISITS + most as f32) / 2.0;
    let logit = |edge: &Edge| {
        let value = if edge.visits == 0 { mixed } else { edge.mean };
        edge.prior.max(f32::MIN_POSITIVE).ln() + weight * (1.0 + value)
    };
    edges.iter().map(logit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_round_chooses_half_as_many_actions() {
        // Two rounds of 16 simulations each.
        let visits = schedule(4, 16);
        assert_eq!(visits, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        assert_eq!(schedule(1, 3), [0, 1, 2]);
        assert_eq!(schedule(16, 4), [0; 4]);
        assert_eq!(schedule(3, 0), [0; 0]);
        for considered in 1..40 {
            for simulations in 0..100 {
                assert_eq!(schedule(considered, simulations).len(), simulations);
            }
        }
    }
}
