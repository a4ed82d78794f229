//! Engines shared by the threads of a search.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::darkening::Darkening;
use super::decisive::DecisiveEngine;
use super::engines::Engines;
use super::sources::Sources;
use super::subscription::EngineSubscription;
use super::valid_engine::PlayoutPolicy;
use crate::game::vocabulary::state::State;

/// The engines for one match at a time: those of the game; those that are specialised for the rest
/// of the match, if requested; and one for playouts with decisive moves, if requested.
///
/// Threads [subscribe](MatchEngines::subscribe) to them.
#[derive(Clone, Debug)]
pub struct MatchEngines {
    sources: Sources,
}

impl MatchEngines {
    /// Creates it with the engines of the game for the whole circuit.
    pub fn new(engines: Arc<Engines>) -> MatchEngines {
        MatchEngines {
            sources: Sources {
                engines,
                darkening: None,
                decisive: None,
            },
        }
    }

    /// Adds engines that are made for the rest of the match, whenever the root advances: in the form that playouts have with
    /// what was added before.
    #[must_use]
    pub fn with_darkening(mut self) -> MatchEngines {
        let (engines, decisive) = (&self.sources.engines, &self.sources.decisive);
        let darkening = Darkening::new(engines.clone(), decisive.clone());
        self.sources.darkening = Some(Arc::new(darkening));
        self
    }

    /// Adds the engine for playouts with decisive moves, as soon as it is ready.
    #[must_use]
    pub fn with_decisive(mut self, engine: DecisiveEngine) -> MatchEngines {
        self.sources.decisive = Some(engine);
        self
    }

    /// Returns the engines that do not depend on the match.
    pub fn engines(&self) -> &Arc<Engines> {
        &self.sources.engines
    }

    /// Waits until there will be no better engines that do not depend on the match.
    pub fn wait(&self) {
        self.sources.engines.wait();
        if let Some(decisive) = &self.sources.decisive {
            decisive.wait();
        }
    }

    /// Waits until it is known whether there is an engine for decisive moves, if that is requested, or until
    /// the deadline.
    pub fn wait_for_decisive(&self, deadline: Instant) {
        if let Some(decisive) = &self.sources.decisive {
            decisive.wait_until(deadline);
        }
    }

    /// Returns the engines for the rest of the match, if requested.
    pub fn darkening(&self) -> Option<&Darkening> {
        self.sources.darkening.as_deref()
    }

    /// Announces that states that follow from this root may be evaluated from now on: when this
    /// returns, an engine that is not valid for them is no longer offered.
    pub fn enter(&self, root: &State) {
        if let Some(darkening) = self.darkening() {
            darkening.enter(root);
        }
    }

    /// Announces that states that follow from this root are evaluated from now on, until the given
    /// time or without limit. Returns at once. If it pays off, a better engine follows.
    pub fn advance(&self, root: &State, until: Option<Instant>) {
        if let Some(darkening) = self.darkening() {
            darkening.advance(root, until);
        }
    }

    /// Notes for how long playouts ran since the root was announced, in all threads together. What was needed for earlier
    /// roots says how much an engine for the rest of the match can gain.
    pub fn note_playouts(&self, time: Duration) {
        if let Some(darkening) = self.darkening() {
            darkening.note_playouts(time);
        }
    }

    /// Creates a subscription for one thread. With [`PlayoutPolicy::Decisive`], it is for playouts,
    /// and the engine for decisive moves is the best one as soon as it is ready; with
    /// [`PlayoutPolicy::Uniform`], it is never offered.
    pub fn subscribe(&self, policy: PlayoutPolicy) -> EngineSubscription {
        EngineSubscription::new(self.sources.clone(), policy)
    }
}
