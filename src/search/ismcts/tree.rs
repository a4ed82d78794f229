//! The tree of a role: a node for each sequence of its moves and percepts, with statistics of its moves.

use rand::RngExt;
use rustc_hash::FxHashMap;

use crate::game::machine::Move;
use crate::search::beliefs::Knowledge;
use crate::support::rng::GameRng;

/// The weight of exploration (UCB1: Auer, Cesa-Bianchi and Fischer, "Finite-time Analysis of the Multiarmed Bandit Problem",
/// 2002), for values from 0 to 1.
const EXPLORATION: f32 = 0.7;

/// The number of a node.
pub(super) type NodeId = u32;

/// Nodes by what the role knows.
#[derive(Default, Debug)]
pub(super) struct RoleTree {
    numbers: FxHashMap<Knowledge, NodeId>,
    nodes: Vec<Vec<MoveStatistics>>,
}

/// What is known of a move in a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct MoveStatistics {
    pub played: Move,
    /// How often it was chosen, and how often it could have been.
    pub visits: u32,
    pub available: u32,
    /// The sum of what came of it, as shares of the range of goals.
    pub sum: f32,
}

impl RoleTree {
    /// Returns the node of what the role knows, if there is one.
    pub(super) fn find(&self, knowledge: Knowledge) -> Option<NodeId> {
        self.numbers.get(&knowledge).copied()
    }

    /// Adds a node.
    pub(super) fn add(&mut self, knowledge: Knowledge) -> NodeId {
        let new = self.nodes.len() as NodeId;
        let id = *self.numbers.entry(knowledge).or_insert(new);
        if id == new {
            self.nodes.push(Vec::new());
        }
        id
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The statistics of the moves in a node.
    pub(super) fn moves(&self, node: NodeId) -> &[MoveStatistics] {
        &self.nodes[node as usize]
    }

    /// Chooses one of the legal moves, and counts that it was chosen. States of one node may have different legal moves:
    /// how often a move was available counts, not how often the node was visited (Cowling, Powley and Whitehouse,
    /// "Information Set Monte Carlo Tree Search", 2012).
    pub(super) fn choose(&mut self, node: NodeId, legal: &[Move], rng: &mut GameRng) -> Move {
        let moves = &mut self.nodes[node as usize];
        let (mut best, mut greatest, mut equal) = (0, f32::NEG_INFINITY, 0);
        for &played in legal {
            let found = moves.iter().position(|of| of.played == played);
            let at = found.unwrap_or_else(|| {
                moves.push(MoveStatistics {
                    played,
                    visits: 0,
                    available: 0,
                    sum: 0.0,
                });
                moves.len() - 1
            });
            let of = &mut moves[at];
            of.available += 1;
            let value = match of.visits {
                0 => f32::INFINITY,
                visits => {
                    let visits = visits as f32;
                    let spread = ((of.available as f32).ln() / visits).sqrt();
                    of.sum / visits + EXPLORATION * spread
                }
            };
            // The first ones are chosen at random among equals.
            equal = if value == greatest { equal + 1 } else { 1 };
            if value > greatest || value == greatest && rng.random_range(0..equal) == 0 {
                (best, greatest) = (at, value);
            }
        }
        moves[best].visits += 1;
        moves[best].played
    }

    /// Adds what came of a move that was chosen; without a result, it counts as not chosen.
    pub(super) fn add_result(&mut self, node: NodeId, played: Move, result: Option<f32>) {
        let mut moves = self.nodes[node as usize].iter_mut();
        if let Some(of) = moves.find(|of| of.played == played) {
            match result {
                Some(result) => of.sum += result,
                None => of.visits -= 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::rng::streams;

    /// Of two moves the better one is chosen more often, and one that is seldom legal is explored as much as it can be.
    #[test]
    fn better_moves_are_chosen_more_often() {
        let mut tree = RoleTree::default();
        let mut rng = streams(1).next().unwrap();
        let node = tree.add(7);
        assert_eq!(
            (tree.add(7), tree.find(7), tree.find(8)),
            (node, Some(node), None)
        );
        let (good, bad, rare) = (Move(3), Move(5), Move(9));
        for number in 0..3000 {
            let legal = if number % 10 == 0 {
                vec![bad, rare]
            } else {
                vec![good, bad]
            };
            let chosen = tree.choose(node, &legal, &mut rng);
            let chance = if chosen == bad { 0.3 } else { 0.6 };
            let result = f32::from(u8::from(rng.random_bool(chance)));
            tree.add_result(node, chosen, Some(result));
        }
        let of = |played| {
            *tree
                .moves(node)
                .iter()
                .find(|of| of.played == played)
                .unwrap()
        };
        assert!(of(good).visits > 2000 && of(rare).visits > 150);
        assert_eq!(
            [good, bad, rare].map(|played| of(played).available),
            [2700, 3000, 300]
        );
        assert!((of(good).sum / of(good).visits as f32 - 0.6).abs() < 0.05);
    }
}
