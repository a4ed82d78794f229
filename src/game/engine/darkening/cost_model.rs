//! Cost model for specialisation, which decides whether it pays off to compile.
//!
//! The gain is the time that playouts save: a share of the time that is left for them. The cost is the
//! time that compiling takes, on a CPU that searches could use, and during which they do not have
//! the new engine. Both are predicted: the gain from the work of a step before and after, the
//! cost from the gates that are left and the time that a gate took so far.
//!
//! The darkness analysis takes time as well: in hex 50 ms. It is skipped if that is a large part of the time for which a
//! root is searched. Specialised are circuits that may not have been made, as the code was in the cache: to make them is a
//! part of the cost then.
//!
//! Predictions are rough: a new engine is [tried](super::trial) against the one that it replaces, and later gains are predicted
//! from what came of earlier ones. `propjit darkening` measures the same in whole playouts.

use std::time::Duration;

/// The factor by which the gain has to exceed the cost: predictions are rough, and games spend a part of their time on what
/// darkening does not change.
const MARGIN: f64 = 4.0;

/// The least part of a step that has to be saved.
const MIN_SHARE: f64 = 0.05;

/// The part of a predicted gain that is real, before any engine was tried: 1.14 times as fast for 1.25 in connect four, 1.3 for
/// 1.9 in amazons, 1.5 for 2.4 in hex, 1.3 for 1.7 in capture go.
const REAL: f64 = 0.5;

/// The time for a gate before anything was compiled, in seconds: 15 to 35 microseconds for circuits of random steps in capture
/// go, connect four, amazons and gomoku, passes included.
const FIRST: f64 = 30e-6;

/// The time of a root is divided by this for the time that the darkness analysis may take.
const ANALYSIS_PART: u32 = 50;

/// The time that it takes to make circuits where there was only code from the cache, for each gate before any pass. In amazons
/// it is two and a half seconds, most of it for decisive moves, which is more than all that is gained in a match at 0.3 s a
/// move.
const PREPARATION: Duration = Duration::from_micros(50);

/// The factor by which the time of the last analysis is reduced each time that the analysis is skipped, since it may
/// have been measured in a busy moment.
const FADING: f64 = 0.9;

/// A cost model, with the measurements so far.
#[derive(Clone, Copy, Debug)]
pub struct CostModel {
    /// Seconds for each gate that is compiled.
    gate: f64,
    /// The part of the time that was predicted to be saved, and is.
    real: f64,
    /// The time that the last darkness analysis took.
    analysis: Duration,
}

/// The inputs of a decision.
#[derive(Clone, Copy, Debug)]
pub struct SpecialisationCosts {
    /// The work of a step with the existing engine.
    pub before: f64,
    /// The work of a step with the new engine.
    pub after: f64,
    /// The gates that are left to compile.
    pub gates: usize,
    /// The time that has to be spent before, for circuits that have not been made.
    pub preparation: Duration,
    /// The time for which the engine will be of use.
    pub left: Duration,
}

/// A decision with its reasons.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Verdict {
    /// Whether it pays off.
    pub pays: bool,
    /// The factor by which a step is predicted to be faster.
    pub speedup: f64,
    /// The time that compiling and what comes before it are predicted to take.
    pub cost: Duration,
}

impl Default for CostModel {
    fn default() -> CostModel {
        CostModel {
            gate: FIRST,
            real: REAL,
            analysis: Duration::ZERO,
        }
    }
}

impl CostModel {
    /// Returns the time that it takes to make the circuits of a game with this number of gates before any pass.
    pub fn preparation(gates: usize) -> Duration {
        PREPARATION.saturating_mul(u32::try_from(gates).unwrap_or(u32::MAX))
    }

    /// Decides whether the darkness analysis pays off, given the time for which a root is searched.
    pub fn may_analyse(&mut self, root: Duration) -> bool {
        let may = self.analysis <= root / ANALYSIS_PART;
        if !may {
            self.analysis = self.analysis.mul_f64(FADING);
        }
        may
    }

    /// Learns from the time that the darkness analysis took.
    pub fn learn_analysis(&mut self, took: Duration) {
        self.analysis = took;
    }

    /// Decides whether it pays off to compile.
    pub fn decide(&self, costs: &SpecialisationCosts) -> Verdict {
        let cost = self.gate * costs.gates as f64 + costs.preparation.as_secs_f64();
        let share = self.real * saved(costs.before / costs.after);
        let left = costs.left.as_secs_f64();
        Verdict {
            pays: share >= MIN_SHARE && share * (left - cost) > MARGIN * cost,
            speedup: 1.0 / (1.0 - share),
            cost: Duration::try_from_secs_f64(cost).unwrap_or(Duration::MAX),
        }
    }

    /// Learns from a step that is faster by a factor, given the costs for which it was made.
    pub fn learn_speedup(&mut self, costs: &SpecialisationCosts, speedup: f64) {
        let predicted = saved(costs.before / costs.after);
        if predicted > 0.0 {
            self.real = (self.real + (saved(speedup) / predicted).min(1.0)) / 2.0;
        }
    }

    /// Learns from the time that compiling `gates` gates took.
    pub fn learn(&mut self, gates: usize, took: Duration) {
        let gate = took.as_secs_f64() / gates.max(1) as f64;
        self.gate = (self.gate + gate) / 2.0;
    }
}

/// Returns the part of a step that is saved if it is faster by a factor.
fn saved(speedup: f64) -> f64 {
    (1.0 - 1.0 / speedup).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(after: f64, left: f64) -> SpecialisationCosts {
        SpecialisationCosts {
            before: 1000.0,
            after,
            gates: 1000,
            preparation: Duration::ZERO,
            left: Duration::from_secs_f64(left),
        }
    }

    #[test]
    fn pays_where_enough_is_gained_in_time() {
        let cost_model = CostModel::default();
        let pays = |after, left| cost_model.decide(&costs(after, left)).pays;
        // A cost of 30 ms, four times, is a quarter of 510 ms less the cost itself.
        assert!(pays(500.0, 0.511));
        assert!(!pays(500.0, 0.509));
        assert!(!pays(900.0, 0.511));
        assert!(!pays(500.0, 0.0));
        assert!(pays(890.0, 1000.0));
        assert!(!pays(910.0, 1000.0));
        assert!(!pays(1000.0, 1000.0));
        let unprepared = |left| SpecialisationCosts {
            preparation: CostModel::preparation(2_000),
            ..costs(500.0, left)
        };
        assert!(!cost_model.decide(&unprepared(2.0)).pays);
        assert!(cost_model.decide(&unprepared(2.3)).pays);
        assert!(!pays(1100.0, 1000.0));
    }

    #[test]
    fn what_takes_too_long_is_left_out_for_a_while() {
        let mut cost_model = CostModel::default();
        let short = Duration::from_millis(100);
        assert!(cost_model.may_analyse(short));
        cost_model.learn_analysis(Duration::from_millis(10));
        assert!(!cost_model.may_analyse(short));
        assert!(cost_model.may_analyse(Duration::from_secs(1)));
        assert!((0..20).any(|_| cost_model.may_analyse(short)));
    }

    #[test]
    fn what_came_of_predictions_corrects_them() {
        let mut cost_model = CostModel::default();
        let half = costs(500.0, 0.511);
        assert!(cost_model.decide(&half).pays);
        // Nothing was saved.
        cost_model.learn_speedup(&half, 0.9);
        let verdict = cost_model.decide(&half);
        assert!(!verdict.pays);
        assert!((verdict.speedup - 1.0 / 0.875).abs() < 1e-9);
        // More than all was saved.
        (0..20).for_each(|_| cost_model.learn_speedup(&half, 3.0));
        assert!((cost_model.decide(&half).speedup - 2.0).abs() < 1e-3);
        assert!(cost_model.decide(&costs(500.0, 0.3)).pays);
        // Where no gain was predicted, none can be missed.
        cost_model.learn_speedup(&costs(1000.0, 1.0), 0.5);
        assert!(cost_model.decide(&costs(500.0, 0.3)).pays);
    }

    #[test]
    fn learns_what_it_costs() {
        let mut cost_model = CostModel::default();
        for _ in 0..20 {
            cost_model.learn(1000, Duration::from_secs(1));
        }
        let cost = cost_model.decide(&costs(500.0, 1000.0)).cost;
        assert!((cost.as_secs_f64() - 1.0).abs() < 0.01);
        assert!(!cost_model.decide(&costs(500.0, 5.0)).pays);
    }
}
