//! Trial of decisive moves: playouts abandon them if they turn out to be rare.

use propjit_jit::evaluator::LaneEvaluator;

use crate::game::engine::{PlayoutPolicy, ValidEngine};
use crate::game::ground::{Layout, section};
use crate::game::vocabulary::lane_mask::LaneMask;

/// The number of matches after which the trial ends.
const MATCHES: u64 = 1000;

/// For this number of matches, at least one step must have been decisive.
const RARE: u64 = 10;

/// The counts on an engine with decisive moves.
#[derive(Default, Debug)]
pub(super) struct Trial {
    /// The number of matches that have ended.
    matches: u64,
    /// The number of steps of all matches in which moves of some role were left out.
    steps: u64,
}

/// The result of a trial.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// Decisive moves are worth their cost.
    Frequent,
    /// They are not worth their cost.
    Rare,
}

impl Trial {
    /// Starts a trial with this engine, if it has decisive moves.
    pub(super) fn of(engine: &ValidEngine) -> Option<Trial> {
        (engine.policy() == PlayoutPolicy::Decisive).then(Trial::default)
    }

    /// Counts the lanes in which moves of some role are left out.
    pub(super) fn count_steps(
        &mut self,
        evaluator: &mut LaneEvaluator,
        layout: &Layout,
        going: LaneMask,
    ) {
        evaluator.evaluate(section::DECISIVE);
        let rows = evaluator.outputs(layout.decisive());
        let rows = rows.chunks_exact(evaluator.width().words());
        let rows = rows.map(LaneMask::from_words);
        let some = rows.fold(LaneMask::default(), LaneMask::or);
        self.steps += some.and(going).count();
    }

    /// Counts matches that have ended.
    pub(super) fn count_ends(&mut self, ended: u64) {
        self.matches += ended;
    }

    /// Returns the result of the trial, if it is over.
    pub(super) fn verdict(&self) -> Option<Verdict> {
        (self.matches >= MATCHES).then(|| match self.steps * RARE < self.matches {
            true => Verdict::Rare,
            false => Verdict::Frequent,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_decisive_moves_are_given_up() {
        for (matches, steps, verdict) in [
            (999, 0, None),
            (1000, 100, Some(Verdict::Frequent)),
            (1024, 102, Some(Verdict::Rare)),
        ] {
            assert_eq!(Trial { matches, steps }.verdict(), verdict);
        }
    }
}
