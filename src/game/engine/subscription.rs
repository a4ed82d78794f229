//! How a thread learns of better engines.

use std::sync::Arc;

use super::programs::Programs;
use super::sources::{Offer, Sources};
use super::steps::Steps;
use super::valid_engine::{PlayoutPolicy, ValidEngine};
use super::validity::Validity;
use crate::game::ground::GroundGame;

/// Tells one thread which engine is the best, and when there is a better one.
///
/// These are, best first: the engine for playouts with decisive moves, which are worth more
/// than faster ones; the newest engine for the rest of the match; machine code for the whole
/// circuit; the engine that was there at once.
#[derive(Debug)]
pub struct EngineSubscription {
    sources: Sources,
    /// Whether the engine for decisive moves is wanted.
    policy: PlayoutPolicy,
    /// The engine that the thread was told of last.
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

    /// The game.
    pub fn game(&self) -> &Arc<GroundGame> {
        self.sources.engines.game()
    }

    /// The programs for the whole circuit of the game.
    pub(crate) fn programs(&self) -> &Programs {
        self.sources.engines.programs()
    }

    /// The engine for random steps with the policy of the engine that was told of last, of the whole circuit, which is
    /// made from the first call on. There is none as long as a better engine for the whole circuit will come, or one for
    /// decisive moves.
    pub(crate) fn steps(&self) -> Option<&Steps> {
        match self.told? {
            Offer::Whole { is_best: true } if self.sources.is_uniform(self.policy) => {
                Some(self.sources.engines.steps())
            }
            Offer::Decisive => Some(self.sources.decisive.as_ref()?.steps()),
            Offer::Whole { .. } | Offer::Darkened { .. } => None,
        }
    }

    /// The best engine now.
    pub fn current(&mut self) -> ValidEngine {
        let offer = self.sources.best(self.policy);
        self.told = Some(offer);
        self.sources.engine(offer, |_| true)
    }

    /// The best engine now, if it is another one than at the last call. Costs next to nothing if
    /// it is not.
    pub fn poll(&mut self) -> Option<ValidEngine> {
        self.poll_for(|_| true)
    }

    /// As [`poll`](EngineSubscription::poll), for a thread that has states already: the engine
    /// is one with a validity that `suits` them.
    pub fn poll_for(&mut self, suits: impl FnOnce(&Validity) -> bool) -> Option<ValidEngine> {
        let offer = self.sources.best(self.policy);
        if self.told.replace(offer) == Some(offer) {
            return None;
        }
        Some(self.sources.engine(offer, suits))
    }

    /// Whether no better engine than the last one will come, unless decisive moves are
    /// [declined](EngineSubscription::decline_decisive).
    pub fn is_over(&self) -> bool {
        let told = self.told;
        told.is_some_and(|offer| self.sources.is_last(offer, self.policy))
    }

    /// The engine for decisive moves is not wanted any more: what is best without it comes with
    /// the next call.
    pub fn decline_decisive(&mut self) {
        self.policy = PlayoutPolicy::Uniform;
    }
}
