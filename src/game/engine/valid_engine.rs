//! An engine together with what it is right for.

use std::sync::Arc;

use propjit_jit::evaluator::Engine;

use super::validity::Validity;

/// Which moves playouts on an engine choose from.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub enum PlayoutPolicy {
    /// All legal moves, with equal chances.
    #[default]
    Uniform,
    /// The [decisive moves](crate::game::circuits::decisive) where there are some, with equal chances; or
    /// else all legal moves. What the engine says about legal moves is right for playouts
    /// only.
    Decisive,
}

/// An engine, the states that it is right for, and the policy that it has for playouts.
///
/// There is no way to the engine but through those who heed its validity.
#[derive(Clone, Debug)]
pub struct ValidEngine {
    engine: Engine,
    validity: Arc<Validity>,
    policy: PlayoutPolicy,
}

impl ValidEngine {
    /// An engine that was made for these states and those that follow from them.
    pub(super) fn new(engine: Engine, validity: Validity) -> ValidEngine {
        ValidEngine {
            engine,
            validity: Arc::new(validity),
            policy: PlayoutPolicy::Uniform,
        }
    }

    /// An engine for playouts with decisive moves, from all states.
    pub(super) fn decisive(engine: Engine) -> ValidEngine {
        ValidEngine {
            policy: PlayoutPolicy::Decisive,
            ..ValidEngine::from(engine)
        }
    }

    /// The states that the engine is right for.
    pub fn validity(&self) -> &Arc<Validity> {
        &self.validity
    }

    /// Which moves playouts choose from.
    pub fn policy(&self) -> PlayoutPolicy {
        self.policy
    }

    /// Whether it was made for all states.
    pub(crate) fn is_whole(&self) -> bool {
        self.validity.given() == 0
    }

    /// Whether it interprets the circuit, for which there is no machine code yet, or never will be.
    pub(crate) fn is_interpreted(&self) -> bool {
        matches!(self.engine, Engine::Interpreter(..))
    }

    /// The engine and the states that it is right for, for those who heed these.
    pub(crate) fn into_parts(self) -> (Engine, Arc<Validity>) {
        (self.engine, self.validity)
    }
}

impl From<Engine> for ValidEngine {
    /// An engine that was made from a game's whole circuit.
    fn from(engine: Engine) -> ValidEngine {
        ValidEngine::new(engine, Validity::all())
    }
}
