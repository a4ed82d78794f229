//! What a search by beliefs found.

use std::time::Duration;

use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;

use super::tree::RoleTree;
use crate::game::machine::Move;
use crate::support::rng::GameRng;

/// The knowledge of the role that searches, where the search begins.
pub(super) const ROOT: u64 = 0;

/// A mixed strategy, and what was found about its moves.
#[derive(Clone, PartialEq, Debug)]
pub struct InformationSetReport {
    /// The moves, the best one first.
    pub moves: Vec<InformationSetMove>,
    /// The goal that the role can expect with its mixed strategy, if anything is known.
    pub value: Option<f64>,
    /// The number of iterations.
    pub iterations: u64,
    /// How long it took.
    pub time: Duration,
}

/// What was found about a move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct InformationSetMove {
    /// The move.
    pub played: Move,
    /// How often it was tried.
    pub visits: u64,
    /// The goal that the role can expect then, if that is known.
    pub value: Option<f64>,
    /// With what probability it is played by the mixed strategy.
    pub probability: f64,
}

/// A move is explored, but not meant, if it was tried more seldom than the first by this factor.
const SELDOM: u64 = 3;

impl InformationSetReport {
    /// The result in the tree of a role with this range of goals. Moves are played in proportion to how often they were tried, but
    /// those not that were tried seldom.
    pub(super) fn new(
        tree: &RoleTree,
        (low, high): (i32, i32),
        iterations: u64,
        time: Duration,
    ) -> InformationSetReport {
        let statistics = tree.find(ROOT).map_or(&[][..], |root| tree.moves(root));
        let all: u32 = statistics.iter().map(|of| of.visits).sum();
        let most = statistics.iter().map(|of| of.visits).max().unwrap_or(0);
        let meant = |visits: u32| match SELDOM * u64::from(visits) >= u64::from(most) {
            true => f64::from(visits),
            false => 0.0,
        };
        let all_meant: f64 = statistics.iter().map(|of| meant(of.visits)).sum();
        let goal = |sum: f32, visits: u32| {
            let share = f64::from(sum) / f64::from(visits.max(1));
            f64::from(low) + share * f64::from(high - low)
        };
        let mut moves: Vec<InformationSetMove> = (statistics.iter())
            .map(|of| InformationSetMove {
                played: of.played,
                visits: of.visits.into(),
                value: (of.visits > 0).then(|| goal(of.sum, of.visits)),
                probability: meant(of.visits) / all_meant.max(1.0),
            })
            .collect();
        moves.sort_by(|a, b| b.visits.cmp(&a.visits).then(a.played.cmp(&b.played)));
        let sum = statistics.iter().map(|of| of.sum).sum();
        InformationSetReport {
            moves,
            value: (all > 0).then(|| goal(sum, all)),
            iterations,
            time,
        }
    }

    /// Draws a move by the mixed strategy; none without any.
    pub fn draw(&self, rng: &mut GameRng) -> Option<Move> {
        let probabilities = WeightedIndex::new(self.moves.iter().map(|of| of.probability));
        Some(self.moves[probabilities.ok()?.sample(rng)].played)
    }

    /// The first move.
    pub fn best(&self) -> Option<Move> {
        self.moves.first().map(|best| best.played)
    }
}
