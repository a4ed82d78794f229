//! Going over to other engines while matches run.

use propjit_jit::evaluator::LaneEvaluator;

use super::{Playouts, selectors};
use crate::engine::ValidEngine;
use crate::playout::trial::{Trial, Verdict};

impl Playouts {
    /// Evaluates with this engine from now on, and with no other that a subscription may tell of.
    /// Matches that run go on if the engine has as many lanes as the one before. If not, they are
    /// played to their end first, and no other is started meanwhile.
    ///
    /// Nothing changes, and the result is false, if there is a job from a state that the engine
    /// is not valid for.
    pub fn switch(&mut self, engine: impl Into<ValidEngine>) -> bool {
        let engine = engine.into();
        let fits = self.queue.fits(engine.validity());
        if fits {
            self.subscription = None;
            self.go_on_with(engine);
        }
        fits
    }

    /// Goes over to the best engine, if there is a new one.
    pub(super) fn follow(&mut self) {
        let Some(subscription) = &mut self.subscription else {
            return;
        };
        match self.trial.as_ref().and_then(Trial::verdict) {
            Some(Verdict::Rare) => subscription.decline_decisive(),
            Some(Verdict::Frequent) => self.trial = None,
            None => {}
        }
        let queue = &self.queue;
        if let Some(engine) = subscription.poll_for(|validity| queue.fits(validity)) {
            self.go_on_with(engine);
        } else if self.trial.is_none() && subscription.is_over() {
            self.subscription = None;
        }
    }

    /// Goes over to this engine, which is valid for the states of all jobs.
    fn go_on_with(&mut self, engine: ValidEngine) {
        self.trial = Trial::of(&engine).filter(|_| self.subscription.is_some());
        let (engine, validity) = engine.into_parts();
        self.queue.set_validity(validity);
        let mut evaluator = LaneEvaluator::new(engine);
        if evaluator.width() != self.evaluator.width() {
            self.successor = Some(evaluator);
            return;
        }
        let bases = &self.game.layout().bases;
        let state = self.evaluator.inputs(bases.clone());
        evaluator.inputs_mut(bases.clone()).copy_from_slice(state);
        self.successor = None;
        self.evaluate_with(evaluator);
    }

    /// Goes on with this evaluator at once.
    pub(super) fn evaluate_with(&mut self, evaluator: LaneEvaluator) {
        self.selectors = selectors(&self.game, &evaluator);
        self.evaluator = evaluator;
    }
}
