//! How a thread learns of better engines.

use super::{MatchEngines, PlayoutPolicy, ValidEngine, Validity};

/// Tells one thread which engine is the best, and when there is a better one.
///
/// These are, best first: the engine for playouts with decisive moves, which are worth more
/// than faster ones; the newest engine for the rest of the match; machine code for the whole
/// circuit; the engine that was there at once.
#[derive(Debug)]
pub struct EngineSubscription {
    engines: MatchEngines,
    /// Whether the engine for decisive moves is wanted.
    policy: PlayoutPolicy,
    /// The engine that the thread was told of last.
    told: Option<Offer>,
}

/// Which engine it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Offer {
    /// The one for the whole circuit, and whether it is machine code or as good as it gets.
    Whole { is_best: bool },
    /// The one with this number for the rest of the match.
    Darkened { number: u64 },
    /// The one for playouts with decisive moves.
    Decisive,
}

impl EngineSubscription {
    pub(super) fn new(engines: MatchEngines, policy: PlayoutPolicy) -> EngineSubscription {
        EngineSubscription {
            engines,
            policy,
            told: None,
        }
    }

    /// The engines that this is about.
    pub fn engines(&self) -> &MatchEngines {
        &self.engines
    }

    /// The best engine now.
    pub fn current(&mut self) -> ValidEngine {
        let offer = self.offer();
        self.told = Some(offer);
        self.engine(offer, |_| true)
    }

    /// The best engine now, if it is another one than at the last call. Costs next to nothing if
    /// it is not.
    pub fn poll(&mut self) -> Option<ValidEngine> {
        self.poll_for(|_| true)
    }

    /// As [`poll`](EngineSubscription::poll), for a thread that has states already: the engine
    /// is one with a validity that `suits` them.
    #[inline]
    pub fn poll_for(&mut self, suits: impl FnOnce(&Validity) -> bool) -> Option<ValidEngine> {
        let offer = Some(self.offer());
        if std::mem::replace(&mut self.told, offer) == offer {
            return None;
        }
        offer.map(|offer| self.engine(offer, suits))
    }

    /// The engine for decisive moves is not wanted any more: what is best without it comes with
    /// the next call.
    pub fn decline_decisive(&mut self) {
        self.policy = PlayoutPolicy::Uniform;
    }

    /// Which engine is the best one.
    #[inline]
    fn offer(&self) -> Offer {
        let MatchEngines {
            engines,
            darkening,
            decisive,
        } = &self.engines;
        if self.policy == PlayoutPolicy::Decisive
            && decisive
                .as_ref()
                .is_some_and(|engine| engine.get().is_some())
        {
            return Offer::Decisive;
        }
        match darkening.as_ref().map_or(0, |darkening| darkening.number()) {
            0 => Offer::Whole {
                is_best: engines.tiers().is_ready(),
            },
            number => Offer::Darkened { number },
        }
    }

    /// The engine that was offered; or if that does not suit or is gone, the one for the whole
    /// circuit, which always does.
    fn engine(&self, offer: Offer, suits: impl FnOnce(&Validity) -> bool) -> ValidEngine {
        let MatchEngines {
            engines,
            darkening,
            decisive,
        } = &self.engines;
        let special = match offer {
            Offer::Whole { .. } => None,
            Offer::Darkened { .. } => (darkening.as_ref())
                .and_then(|darkening| darkening.newest())
                .map(|newest| newest.engine.clone()),
            Offer::Decisive => (decisive.as_ref())
                .and_then(|decisive| decisive.get())
                .map(|engine| ValidEngine::decisive(engine.clone())),
        };
        special
            .filter(|engine| suits(engine.validity()))
            .unwrap_or_else(|| engines.best())
    }
}
