//! Sources of the engines that are offered, in order of preference.

use std::sync::Arc;

use propjit_jit::evaluator::Engine;

use super::darkening::Darkening;
use super::decisive::DecisiveEngine;
use super::engines::Engines;
use super::valid_engine::{PlayoutPolicy, ValidEngine};
use super::validity::Validity;

/// The sources of the engines for a match.
#[derive(Clone, Debug)]
pub(super) struct Sources {
    /// The engines for the whole circuit.
    pub(super) engines: Arc<Engines>,
    /// Those for the rest of the match, if requested.
    pub(super) darkening: Option<Arc<Darkening>>,
    /// The one for playouts with decisive moves, if requested.
    pub(super) decisive: Option<DecisiveEngine>,
}

/// The identity of an engine, which shows whether it has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Offer {
    /// The one for the whole circuit, and whether a better one will come.
    Whole { is_best: bool },
    /// The one with this number for the rest of the match.
    Darkened { number: u64 },
    /// The one for playouts with decisive moves.
    Decisive,
}

impl Sources {
    /// Returns the best available engine. Costs a few reads of atomic values.
    pub(super) fn best(&self, policy: PlayoutPolicy) -> Offer {
        let darkening = self.darkening.as_ref();
        let number = darkening.map_or(0, |darkening| darkening.number());
        let is_decisive = policy == PlayoutPolicy::Decisive && self.decisive_engine().is_some();
        if number != 0 && is_decisive == has_decisive_moves(number) {
            return Offer::Darkened { number };
        }
        match is_decisive {
            true => Offer::Decisive,
            false => Offer::Whole {
                is_best: self.engines.is_best(),
            },
        }
    }

    /// Returns whether no other engine will be offered after this one.
    pub(super) fn is_last(&self, offer: Offer, policy: PlayoutPolicy) -> bool {
        match offer {
            Offer::Decisive => self.darkening.is_none(),
            Offer::Darkened { .. } => false,
            Offer::Whole { is_best } => {
                is_best && self.darkening.is_none() && self.is_uniform(policy)
            }
        }
    }

    /// Returns whether there will be no engine for decisive moves, or none is requested.
    pub(super) fn is_uniform(&self, policy: PlayoutPolicy) -> bool {
        let decisive = self.decisive.as_ref();
        policy == PlayoutPolicy::Uniform || decisive.is_none_or(DecisiveEngine::is_missing)
    }

    /// Returns the engine that was offered. If its validity does not suit or if it is gone, it is
    /// the one that it was made instead of, which is valid for all states.
    pub(super) fn engine(
        &self,
        offer: Offer,
        suits: impl FnOnce(&Validity) -> bool,
    ) -> ValidEngine {
        let (darkened, is_decisive) = match offer {
            Offer::Whole { .. } => (None, false),
            Offer::Darkened { number } => {
                let newest = self.darkening.as_ref().and_then(|all| all.newest());
                let engine = newest.map(|newest| newest.engine.clone());
                (engine, has_decisive_moves(number))
            }
            Offer::Decisive => (None, true),
        };
        let whole = || match self.decisive_engine().filter(|_| is_decisive) {
            Some(engine) => ValidEngine::decisive(engine.clone()),
            None => self.engines.best(),
        };
        darkened
            .filter(|engine| suits(engine.validity()))
            .unwrap_or_else(whole)
    }

    fn decisive_engine(&self) -> Option<&Engine> {
        self.decisive.as_ref()?.get()
    }
}

/// Returns whether the engine for the rest of the match with this number has decisive moves.
fn has_decisive_moves(number: u64) -> bool {
    number % 2 == 1
}
