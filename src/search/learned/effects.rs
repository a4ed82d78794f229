//! Effects of propositions on the evaluation.

use std::sync::Arc;

use super::evaluation::{Evaluation, Scorer};
use super::samples::Samples;
use crate::game::vocabulary::state::ones;
use crate::support::statistics::Moments;

/// The number of states that are evaluated.
const STATES: usize = 4000;

/// The effect of a proposition on the logarithm of the odds of the first role, over states in which it
/// holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Effect {
    /// The number of the proposition.
    pub base: usize,
    /// The effect in states in which each of the roles is to move, or is the first of several.
    pub where_to_move: Box<[Moments<f64>]>,
}

impl Effect {
    /// How much it matters, for an order: the mean of what it adds or takes.
    pub fn size(&self) -> f64 {
        let means = self.where_to_move.iter().filter_map(Moments::mean);
        means.map(f64::abs).sum()
    }
}

/// The effects of the propositions that hold in some of the samples.
pub(super) fn effects(samples: &Samples, evaluation: &Arc<Evaluation>) -> Vec<Effect> {
    let mut scorer = Scorer::new(evaluation.clone());
    let roles = evaluation.roles();
    let effect = |base| Effect {
        base,
        where_to_move: vec![Moments::default(); roles.count()].into(),
    };
    let mut effects: Vec<Effect> = (0..evaluation.bases()).map(effect).collect();
    let step = samples.len().div_ceil(STATES).max(1);
    for sample in samples.each().step_by(step) {
        let state = || sample.state.iter().copied();
        scorer.log_odds(state(), sample.to_move);
        for base in ones(state()) {
            let effect = scorer.effect(base, sample.to_move)[roles.first().index()];
            effects[base].where_to_move[sample.to_move.index()].add(effect, 1);
        }
    }
    let is_seen = |effect: &Effect| {
        effect
            .where_to_move
            .iter()
            .any(|seen| seen.mean().is_some())
    };
    effects.retain(is_seen);
    effects
}
