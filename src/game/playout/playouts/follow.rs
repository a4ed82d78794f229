//! Switching to other engines while matches run.

use super::{Form, Playouts};
use crate::game::engine::{StepEngine, Steps, ValidEngine, Validity};
use crate::game::playout::trial::{Trial, Verdict};

impl Playouts {
    /// Evaluates with this engine from now on, and ignores others that a subscription may offer.
    /// Running matches continue if the engine has as many lanes as the one before. If not, they are
    /// played to their end first, and no other is started meanwhile.
    ///
    /// Nothing changes, and the result is false, if there is a job from a state that the engine
    /// is not valid for.
    pub fn switch(&mut self, engine: impl Into<ValidEngine>) -> bool {
        let engine = engine.into();
        let fits = self.queue.fits(engine.validity());
        if fits {
            self.subscription = None;
            self.continue_with(engine);
        }
        fits
    }

    /// Switches to the best engine, if there is a new one.
    pub(super) fn follow(&mut self) {
        self.follow_subscription();
        self.settle();
    }

    fn follow_subscription(&mut self) {
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
            self.continue_with(engine);
        } else if self.steps.is_none()
            && self.other.is_none()
            && self.trial.is_none()
            && let Some(steps) = subscription.steps()
        {
            self.steps = Some(steps.clone());
        } else if self.trial.is_none() && subscription.is_over() {
            self.subscription = None;
        }
    }

    /// Switches to this engine, which is valid for the states of all jobs.
    fn continue_with(&mut self, engine: ValidEngine) {
        let policy = std::mem::replace(&mut self.policy, engine.policy());
        let is_same_policy = policy == self.policy;
        if !is_same_policy {
            self.trial = Trial::of(&engine).filter(|_| self.subscription.is_some());
        }
        let own_steps = engine.steps().cloned();
        let keeps_steps = is_same_policy && !self.has_own_steps && own_steps.is_none();
        if !keeps_steps {
            (self.steps, self.other) = (None, None);
        }
        self.has_own_steps = own_steps.is_some();
        let (engine, validity) = engine.into_parts();
        self.queue.set_validity(validity);
        let mut form = Form::select(&self.game, engine);
        if form.evaluator.width() != self.form.evaluator.width() {
            self.successor = Some(form);
            return;
        }
        self.successor = None;
        form.take_states(&self.form, self.now);
        let before = std::mem::replace(&mut self.form, form);
        if before.is_draw() && keeps_steps {
            self.other = Some(before);
        }
        if let Some(steps) = own_steps {
            self.add_steps(&steps);
        }
    }

    /// Uses the engine for random steps if it is ready, and switches to the form that steps can
    /// have now.
    pub(super) fn settle(&mut self) {
        if let Some(steps) = self.steps.as_ref().and_then(Steps::get).cloned() {
            self.add_steps(&steps);
        }
        if self.other.is_some() && self.form.is_draw() != self.can_draw() {
            self.swap_forms();
        }
    }

    /// Uses this engine for random steps.
    pub(super) fn add_steps(&mut self, steps: &StepEngine) {
        self.steps = None;
        if self.other.is_none() && steps.engine.width() == self.form.evaluator.width() {
            let constants = steps.layout.phases.iter();
            let constants = constants.map(|phase| Validity::new(&phase.constants));
            let ordinary = constants.collect();
            self.queue.set_ordinary(ordinary, steps.layout.code.clone());
            self.other = Some(Form::steps(&self.game, steps));
        }
    }

    /// Returns whether the circuit for random steps is valid for all matches, and reports enough
    /// about them.
    fn can_draw(&self) -> bool {
        let are_told = self.lines.is_none()
            && self.moves.as_ref().is_none_or(|_| {
                let mut forms = self.other.iter().chain([&self.form]);
                forms.all(|form| form.marks(&self.game).is_some())
            });
        self.trial.is_none() && are_told && self.queue.are_ordinary()
    }

    fn swap_forms(&mut self) {
        if let Some(other) = &mut self.other {
            other.take_states(&self.form, self.now);
            std::mem::swap(other, &mut self.form);
        }
    }
}
