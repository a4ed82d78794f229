//! What an information-set search found.

use std::time::Duration;

use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;

use super::tree::RoleTree;
use crate::game::machine::Move;
use crate::support::rng::GameRng;

/// The knowledge of the role that searches, where the search begins.
pub(super) const ROOT: u64 = 0;

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct InformationSetReport {
    /// The moves, the most visited one first.
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
    pub visits: u32,
    /// The mean goal then.
    pub value: f64,
    /// Its share of all visits: with what probability it is played by the mixed strategy.
    pub probability: f64,
}

impl InformationSetReport {
    pub(super) fn new(
        tree: &RoleTree,
        (low, high): (i32, i32),
        iterations: u64,
        time: Duration,
    ) -> InformationSetReport {
        let statistics = tree.find(ROOT).map_or(&[][..], |root| tree.moves(root));
        let all: u32 = statistics.iter().map(|of| of.visits).sum();
        let goal = |sum: f32, visits: u32| {
            let share = f64::from(sum) / f64::from(visits.max(1));
            f64::from(low) + share * f64::from(high - low)
        };
        let mut moves: Vec<InformationSetMove> = (statistics.iter())
            .map(|of| InformationSetMove {
                played: of.played,
                visits: of.visits,
                value: goal(of.sum, of.visits),
                probability: f64::from(of.visits) / f64::from(all.max(1)),
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

    /// The moves that are played, each with its probability: in proportion to how often they were tried, among those that were
    /// tried at least a third as often as the first. The others are explored, but not meant.
    pub fn strategy(&self) -> Vec<(Move, f64)> {
        let most = self.moves.first().map_or(0, |first| first.visits);
        let is_meant = |of: &&InformationSetMove| 3 * u64::from(of.visits) >= u64::from(most);
        let meant = || self.moves.iter().filter(is_meant);
        let all: f64 = meant().map(|of| f64::from(of.visits)).sum();
        meant()
            .map(|of| (of.played, f64::from(of.visits) / all))
            .collect()
    }

    /// Draws a move by the [strategy](InformationSetReport::strategy); none without any.
    pub fn draw(&self, rng: &mut GameRng) -> Option<Move> {
        let strategy = self.strategy();
        let probabilities = WeightedIndex::new(strategy.iter().map(|(_, probability)| probability));
        Some(strategy[probabilities.ok()?.sample(rng)].0)
    }

    /// The move that was tried most.
    pub fn best(&self) -> Option<Move> {
        self.moves.first().map(|best| best.played)
    }
}
