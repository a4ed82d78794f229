//! Cost model for specialisation, which decides whether it pays off to compile.
//!
//! The gain is the time that searches save: a share of the time that is left. The cost is the
//! time that compiling takes, on a CPU that searches could use, and during which they do not have
//! the new engine. Both are predicted: the gain from the work of a step before and after, the
//! cost from the gates that are left and the time that a gate took so far.
//!
//! The darkness analysis takes time as well: in hex 50 ms. It is skipped if that is a large part of the
//! remaining time.
//!
//! Predictions are rough: `propjit darkening` measures what comes of them, in the form that plays. Small circuits gain less
//! than predicted, but cost next to nothing.

use std::time::Duration;

/// The factor by which the gain has to exceed the cost: predictions are rough, and most games spend
/// a part of a step on code that darkening does not change.
const MARGIN: f64 = 4.0;

/// The time for a gate before anything was compiled, in seconds: passes take at most 5, and code
/// 1 to 4 microseconds in tic-tac-toe, connect four, breakthrough, hex and amazons.
const FIRST: f64 = 8e-6;

/// The remaining time is divided by this for the time that the darkness analysis may take: threads that wait for
/// a better engine share the CPU with it.
const ANALYSIS_PART: u32 = 20;

/// The factor by which the time of the last analysis is reduced each time that the analysis is skipped, since it may
/// have been measured in a busy moment.
const FADING: f64 = 0.9;

/// A cost model, with the measurements so far.
#[derive(Clone, Copy, Debug)]
pub struct CostModel {
    /// Seconds for each gate that is compiled.
    gate: f64,
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
    /// The time that compiling is predicted to take.
    pub cost: Duration,
}

impl Default for CostModel {
    fn default() -> CostModel {
        CostModel {
            gate: FIRST,
            analysis: Duration::ZERO,
        }
    }
}

impl CostModel {
    /// Decides whether the darkness analysis pays off, given the remaining time.
    pub fn may_analyse(&mut self, left: Duration) -> bool {
        let may = self.analysis <= left / ANALYSIS_PART;
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
        let cost = self.gate * costs.gates as f64;
        let share = (1.0 - costs.after / costs.before).max(0.0);
        let left = costs.left.as_secs_f64();
        Verdict {
            // A hundredth is still worth it if there is time enough.
            pays: share > 0.01 && share * (left - cost) > MARGIN * cost,
            speedup: costs.before / costs.after,
            cost: Duration::try_from_secs_f64(cost).unwrap_or(Duration::MAX),
        }
    }

    /// Learns from the time that compiling `gates` gates took.
    pub fn learn(&mut self, gates: usize, took: Duration) {
        let gate = took.as_secs_f64() / gates.max(1) as f64;
        self.gate = (self.gate + gate) / 2.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(after: f64, left: f64) -> SpecialisationCosts {
        SpecialisationCosts {
            before: 1000.0,
            after,
            gates: 1000,
            left: Duration::from_secs_f64(left),
        }
    }

    #[test]
    fn pays_where_enough_is_gained_in_time() {
        let cost_model = CostModel::default();
        let pays = |after, left| cost_model.decide(&costs(after, left)).pays;
        // A cost of 8 ms, four times, is half of 72 ms less the cost itself.
        assert!(pays(500.0, 0.073));
        assert!(!pays(500.0, 0.071));
        assert!(!pays(900.0, 0.073));
        assert!(!pays(500.0, 0.0));
        assert!(pays(980.0, 1000.0));
        assert!(!pays(1000.0, 1000.0));
        assert!(!pays(1100.0, 1000.0));
    }

    #[test]
    fn what_takes_too_long_is_left_out_for_a_while() {
        let mut cost_model = CostModel::default();
        let short = Duration::from_millis(100);
        assert!(cost_model.may_analyse(short));
        cost_model.learn_analysis(Duration::from_millis(20));
        assert!(!cost_model.may_analyse(short));
        assert!(cost_model.may_analyse(Duration::from_secs(1)));
        assert!((0..20).any(|_| cost_model.may_analyse(short)));
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
