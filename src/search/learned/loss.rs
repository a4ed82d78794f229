//! The loss of an evaluation: its distance from results.

use std::sync::Arc;

use super::evaluation::{Evaluation, Scorer, logistic};
use super::samples::{Sample, Samples};
use super::weights::{Roles, Shares};
use crate::game::machine::RoleId;
use crate::support::statistics::Moments;

/// By what weights may be multiplied in the end.
pub(super) const SCALES: [f32; 8] = [0.2, 0.3, 0.4, 0.55, 0.7, 0.85, 1.0, 1.2];

/// Returns the evaluation with all weights multiplied by the factor that best suits matches that it has not
/// learned from; with that, the loss and the gain.
///
/// The last rounds count most in learning, so that values are too far from the middle.
pub(super) fn calibrate(
    samples: &Samples,
    evaluation: &Arc<Evaluation>,
) -> (Evaluation, f64, Moments<f64>) {
    let (scale, loss, gain) = best_scale(samples, evaluation);
    let weights = evaluation.weights().scaled(scale);
    (
        Evaluation::new(evaluation.roles(), evaluation.inputs().clone(), &weights),
        loss,
        gain,
    )
}

/// The scale of all weights that suits samples best; with that, the loss and the gain.
pub(super) fn best_scale(
    samples: &Samples,
    evaluation: &Arc<Evaluation>,
) -> (f32, f64, Moments<f64>) {
    let mut scorer = Scorer::new(evaluation.clone());
    let first = evaluation.roles().first();
    let log_odds = samples
        .each()
        .map(|sample| scorer.log_odds(sample.state.iter().copied(), sample.to_move)[first.index()]);
    let log_odds: Vec<f32> = log_odds.collect();
    let scaled = SCALES.map(|scale| {
        let (loss, gain) = losses(samples, first, &log_odds, scale);
        (scale, loss, gain)
    });
    let best = scaled.into_iter().min_by(|a, b| a.1.total_cmp(&b.1));
    best.expect("there are some scales")
}

/// The mean logarithmic loss of the first role's results, with these logarithms of its odds multiplied
/// by the scale, and by how much that is less than if every state had the mean of those with the same
/// role to move: each match counts once.
fn losses(samples: &Samples, first: RoleId, log_odds: &[f32], scale: f32) -> (f64, Moments<f64>) {
    let means = means(first, samples.each());
    let mut log_odds = log_odds.iter();
    let (mut all, mut gain) = (Moments::<f64>::default(), Moments::default());
    for samples in samples.by_match() {
        let mut gains = Moments::<f64>::default();
        for (sample, log_odds) in samples.zip(&mut log_odds) {
            let result = sample.results[first.index()];
            let loss = loss(logistic(scale * log_odds), result);
            let without = self::loss(means[sample.to_move.index()], result);
            all.add(loss, 1);
            gains.add(without - loss, 1);
        }
        gain.add(gains.mean().unwrap_or(0.0), 1);
    }
    (all.mean().unwrap_or(0.0), gain)
}

/// Returns the mean result of the first role, by role to move.
pub(super) fn means<'a>(first: RoleId, samples: impl Iterator<Item = Sample<'a>>) -> Shares {
    let mut results = [Moments::<f64>::default(); Roles::MOST];
    for sample in samples {
        results[sample.to_move.index()].add(sample.results[first.index()], 1);
    }
    results.map(|results| results.mean().unwrap_or(0.5) as f32)
}

/// The logarithmic loss of a value where this is the result.
pub(super) fn loss(value: f32, result: f32) -> f64 {
    let value = value.clamp(1e-6, 1.0 - 1e-6);
    let (value, result) = (f64::from(value), f64::from(result));
    -(result * value.ln() + (1.0 - result) * (1.0 - value).ln())
}
