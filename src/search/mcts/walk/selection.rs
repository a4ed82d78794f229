//! Edge selection, for all paths at a node at once.
//!
//! Many paths set out from the root together, and near it most are at the same nodes. The statistics of the
//! edges are read once for all of them, and written once for all that take the same edge: they are in
//! memory that other threads change, too, and a thread has to wait for it then.

use crate::game::machine::RoleId;
use crate::search::mcts::tree::Tree;
use crate::search::mcts::tree::arena::Block;
use crate::search::mcts::tree::decision::Decision;
use crate::search::mcts::tree::node::{Decider, Node, NodeId, Stage};

/// How many scores are compared at a time.
const LANES: usize = 8;

/// The parameters by which edges are judged, beside their means.
#[derive(Clone, Copy, Debug)]
pub(in crate::search::mcts) struct Criteria {
    /// The UCB exploration constant.
    pub(in crate::search::mcts) exploration: f32,
    /// The RAVE equivalence parameter; RAVE is not used if it is 0.
    pub(in crate::search::mcts) rave: f32,
}

/// The edges that were chosen for the paths at a node.
#[derive(Default, Debug)]
pub(in crate::search::mcts) struct Selection {
    /// The score of each edge; then minus infinity up to a multiple of the lanes.
    scores: Vec<f32>,
    /// The places of the edges that were chosen.
    chosen: Vec<u32>,
    /// For how many paths each edge was chosen, and 0 for others.
    paths: Vec<u32>,
}

impl Selection {
    /// Chooses the edge with the greatest score, for one path after the other. The score depends on for how many
    /// paths the edge was chosen before. Returns whether there is an edge with a score above minus infinity.
    fn choose(&mut self, edges: usize, paths: usize, score: impl Fn(usize, u64) -> f32) -> bool {
        self.scores.clear();
        self.scores.extend((0..edges).map(|place| score(place, 0)));
        let padded = edges.next_multiple_of(LANES);
        self.scores.resize(padded, f32::NEG_INFINITY);
        for place in self.chosen.drain(..) {
            self.paths[place as usize] = 0;
        }
        if self.paths.len() < padded {
            self.paths.resize(padded, 0);
        }
        for _ in 0..paths {
            let Some(place) = greatest(&self.scores) else {
                return false;
            };
            if self.paths[place] == 0 {
                self.chosen.push(place as u32);
            }
            self.paths[place] += 1;
            self.scores[place] = score(place, self.paths[place].into());
        }
        true
    }

    /// The places of the edges that were chosen, and for how many paths.
    pub(in crate::search::mcts) fn chosen(&self) -> impl Iterator<Item = (usize, usize)> {
        let places = self.chosen.iter().map(|&place| place as usize);
        places.map(|place| (place, self.paths[place] as usize))
    }
}

impl Tree {
    /// Chooses edges for this many paths at a node, by upper confidence bounds (Kocsis and Szepesvári,
    /// "Bandit based Monte-Carlo Planning", 2006). Evaluations that are under way count as visits, but have
    /// no value (Liu et al., "Watch the Unobserved", 2020). Returns the block that the edges are in; none
    /// if there is no useful choice of one role.
    pub(in crate::search::mcts) fn choose(
        &self,
        id: NodeId,
        paths: usize,
        criteria: Criteria,
        selection: &mut Selection,
    ) -> Option<Block> {
        let node = self.node(id);
        let (Stage::Expanded, inside) = node.inside() else {
            return None;
        };
        let Decider::One(role) = node.meta().decider() else {
            return None;
        };
        if node.is_solved() {
            return None;
        }
        let decision = self.decision(inside);
        let is_useful = match self.random() == Some(role) {
            true => choose_evenly(decision, paths, selection),
            false => self.choose_best(node, decision, role, paths, criteria, selection),
        };
        is_useful.then_some(inside)
    }

    /// Chooses among the edges that it may still be useful to visit.
    fn choose_best(
        &self,
        node: Node<'_>,
        decision: Decision<'_>,
        role: RoleId,
        paths: usize,
        criteria: Criteria,
        selection: &mut Selection,
    ) -> bool {
        let rave = criteria.rave;
        let visits = node.visits() as f32 + 1.0;
        let edges = decision.len();
        let edge = |place| decision.edge(place);
        let weight = criteria.exploration * logarithm(visits).sqrt();
        if let Some(valuation) = self.valuation() {
            let best = node.expected().of(role);
            return selection.choose(edges, paths, |place, chosen| {
                let edge = edge(place);
                let part = valuation.exploration(best - edge.expected().of(role));
                // A move that has not been tried is worth what the evaluation says.
                edge.upper_bound(1.0, weight * part, chosen)
            });
        }
        // A move that has not been tried is thought to be as good as the rest.
        let untried = node.mean_in_units(role);
        if self.has_priors() {
            let weight = criteria.exploration * visits.sqrt();
            return selection.choose(edges, paths, |place, chosen| {
                edge(place).prior_bound(untried, weight, chosen)
            });
        }
        match rave > 0.0 {
            true => selection.choose(edges, paths, |place, chosen| {
                edge(place).rave_bound(untried, weight, rave, chosen)
            }),
            false => selection.choose(edges, paths, |place, chosen| {
                edge(place).upper_bound(untried, weight, chosen)
            }),
        }
    }
}

/// Chooses edges by chance: all are equally likely, and taken equally often.
fn choose_evenly(decision: Decision<'_>, paths: usize, selection: &mut Selection) -> bool {
    let least = decision.each().map(|edge| edge.tried()).min();
    let least = least.unwrap_or(0);
    // Another thread may have tried one since.
    let more = |place| decision.edge(place).tried().saturating_sub(least);
    selection.choose(decision.len(), paths, |place, chosen| {
        -((more(place) + chosen) as f32)
    })
}

/// The place of the greatest score, the first one of several, if there is one above minus infinity.
fn greatest(scores: &[f32]) -> Option<usize> {
    let greater = |a: f32, b: f32| if a > b { a } else { b };
    let mut most = [f32::NEG_INFINITY; LANES];
    for scores in scores.as_chunks::<LANES>().0 {
        for (most, score) in most.iter_mut().zip(scores) {
            *most = greater(*score, *most);
        }
    }
    let most = most.into_iter().fold(f32::NEG_INFINITY, greater);
    let place = scores.iter().position(|score| *score == most)?;
    (most > f32::NEG_INFINITY).then_some(place)
}

/// Returns the natural logarithm of a number from 1 on, linear between powers of two, so at most 0.06 too
/// small: that is enough for the exploration term, for a tenth of the time.
fn logarithm(number: f32) -> f32 {
    const ONE: u32 = 1.0f32.to_bits();
    const DOUBLE: f32 = (2.0f32.to_bits() - ONE) as f32;
    (number.to_bits() - ONE) as f32 / DOUBLE * std::f32::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn logarithms_are_near() {
        for number in (1..100_000).map(|number| number as f32) {
            let (found, exact) = (logarithm(number), number.ln());
            assert!(found <= exact + 1e-5 && found > exact - 0.0598, "{number}");
        }
    }

    proptest! {
        /// Choosing for many paths at once gives the same edges as choosing for one after the other.
        #[test]
        fn paths_share_what_would_be_chosen_in_turn(
            values in prop::collection::vec(prop::option::weighted(0.9, 0u8..100), 1..40),
            paths in 1usize..100,
        ) {
            let score = |place: usize, chosen: u64| match values[place] {
                Some(value) => f32::from(value) / 100.0 + 1.0 / (chosen as f32 + 1.0).sqrt(),
                None => f32::NEG_INFINITY,
            };
            let mut selection = Selection::default();
            let found = selection.choose(values.len(), paths, score);
            prop_assert_eq!(found, values.iter().any(Option::is_some));
            if found {
                let mut expected = vec![0u64; values.len()];
                for _ in 0..paths {
                    let scores = expected.iter().enumerate().map(|(place, &chosen)| score(place, chosen));
                    // The last one of the greatest in reverse is the first one.
                    let best = scores.enumerate().rev().max_by(|a, b| a.1.total_cmp(&b.1));
                    expected[best.unwrap().0] += 1;
                }
                let mut chosen: Vec<_> = selection.chosen().collect();
                chosen.sort_unstable();
                let expected = expected.iter().enumerate().filter(|(_, paths)| **paths > 0);
                let expected: Vec<_> = expected.map(|(place, paths)| (place, *paths as usize)).collect();
                prop_assert_eq!(chosen, expected);
            }
        }
    }
}
