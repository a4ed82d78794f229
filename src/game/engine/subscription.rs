//! Subscriptions, by which threads receive better engines.

use std::sync::Arc;

use super::sources::{Offer, Sources};
use super::steps::Steps;
use super::valid_engine::{PlayoutPolicy, ValidEngine};
use super::validity::Validity;
use crate::game::ground::GroundGame;

/// Informs one thread which engine is the best, and when there is a better one.
///
/// The engines are, best first: the engine for playouts with decisive moves, which are worth more
/// than faster ones; machine code for the whole circuit; the engine that was available at once. The newest engine for the
/// rest of the match comes before the one of the same policy that it was made instead of.
#[derive(Debug)]
pub struct EngineSubscription {
    sources: Sources,
    /// The policy, which decides whether the engine for decisive moves is requested.
    policy: PlayoutPolicy,
    /// The engine that was last reported to the thread.
    told: Option<Offer>,
}

impl EngineSubscription {
    pub(super) fn new(sources: Sources, policy: PlayoutPolicy) -> EngineSubscription {
        EngineSubscription {
            sources,
            policy,
            told: None,
        }
    }

    /// Returns the game.
    pub fn game(&self) -> &Arc<GroundGame> {
        self.sources.engines.game()
    }

    /// Returns the engine for random steps of the whole circuit, with the policy of the engine that was last reported.
    /// It is made from the first call on. There is none as long as a better engine for the whole circuit, or one for
    /// decisive moves, is still to come.
    pub(crate) fn steps(&self) -> Option<&Steps> {
        match self.told? {
            Offer::Whole { is_best: true } if self.sources.is_uniform(self.policy) => {
                Some(self.sources.engines.steps())
            }
            Offer::Decisive => Some(self.sources.decisive.as_ref()?.steps()),
            Offer::Whole { .. } | Offer::Darkened { .. } => None,
        }
    }

    /// Returns the currently best engine.
    pub fn current(&mut self) -> ValidEngine {
        let offer = self.sources.best(self.policy);
        self.told = Some(offer);
        self.sources.engine(offer, |_| true)
    }

    /// Returns the currently best engine, if it has changed since the last call. Costs next to
    /// nothing if it has not.
    pub fn poll(&mut self) -> Option<ValidEngine> {
        self.poll_for(|_| true)
    }

    /// Does the same as [`poll`](EngineSubscription::poll) for a thread that already has states:
    /// the validity of the engine `suits` them.
    pub fn poll_for(&mut self, suits: impl FnOnce(&Validity) -> bool) -> Option<ValidEngine> {
        let offer = self.sources.best(self.policy);
        if self.told.replace(offer) == Some(offer) {
            return None;
        }
        Some(self.sources.engine(offer, suits))
    }

    /// Returns whether no better engine than the last one will come, unless decisive moves are
    /// [declined](EngineSubscription::decline_decisive).
    pub fn is_over(&self) -> bool {
        let told = self.told;
        told.is_some_and(|offer| self.sources.is_last(offer, self.policy))
    }

    /// Declines the engine for decisive moves from now on: the next call returns the best other
    /// engine.
    pub fn decline_decisive(&mut self) {
        self.policy = PlayoutPolicy::Uniform;
        if let Some(darkening) = &self.sources.darkening {
            darkening.decline_decisive();
        }
    }
}
