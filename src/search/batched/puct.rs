//! Selection by PUCT, with noise at the root.

use rand::distr::Distribution;
use rand_distr::Gamma;

use super::config::Noise;
use super::tree::{Edge, Node, ROOT, Tree};
use crate::support::rng::GameRng;

/// Returns the edge with the greatest upper confidence bound by the predictor (Rosin, "Multi-armed bandits with episode
/// context", 2011; Silver et al. 2018). Actions without a visit count as the mean of the node.
pub(super) fn select(tree: &Tree, node: u32, exploration: f32) -> usize {
    let Node { visits, mean, .. } = tree.nodes[node as usize];
    let weight = exploration * (visits as f32).sqrt();
    let (mut best, mut greatest) = (0, f32::NEG_INFINITY);
    for (place, edge) in tree.edges(node).iter().enumerate() {
        let value = if edge.visits == 0 { mean } else { edge.mean };
        let bound = value + weight * edge.prior / (1 + edge.visits) as f32;
        // Without a branch, which could not be predicted.
        best = if bound > greatest { place } else { best };
        greatest = greatest.max(bound);
    }
    best
}

/// Mixes the prior probabilities of the root with noise.
pub(super) fn add_noise(tree: &mut Tree, noise: Noise, rng: &mut GameRng) {
    // The concentration is checked beforehand.
    let Ok(gamma) = Gamma::new(noise.alpha, 1.0) else {
        return;
    };
    let edges = tree.edges_mut(ROOT);
    let drawn: Vec<f32> = edges.iter().map(|_| gamma.sample(rng)).collect();
    let total: f32 = drawn.iter().sum();
    if total > 0.0 {
        for (edge, drawn) in edges.iter_mut().zip(drawn) {
            edge.prior += noise.fraction * (drawn / total - edge.prior);
        }
    }
}

/// Returns the shares of visits of edges, to the power of one over the temperature, which is greater than 0. Without
/// visits, these are the prior probabilities.
pub(super) fn policy(edges: &[Edge], temperature: f32) -> Vec<f32> {
    let greatest = edges.iter().map(|edge| edge.visits).max().unwrap_or(0);
    let share = |edge: &Edge| match greatest {
        0 => edge.prior,
        _ => edge.visits as f32 / greatest as f32,
    };
    let weights = edges
        .iter()
        .map(|edge| share(edge).powf(temperature.recip()));
    let weights: Vec<f32> = weights.collect();
    let total: f32 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

/// Returns the place of the most visited edge; of several, that with the greatest prior probability.
pub(super) fn most_visited(edges: &[Edge]) -> Option<usize> {
    let by_visits = |one: &(usize, &Edge), other: &(usize, &Edge)| {
        let visits = one.1.visits.cmp(&other.1.visits);
        visits.then(one.1.prior.total_cmp(&other.1.prior))
    };
    let best = edges.iter().enumerate().max_by(by_visits);
    best.map(|(place, _)| place)
}
