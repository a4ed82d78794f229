//! Engines together with the states that they are valid for.

use std::sync::Arc;

use propjit_jit::evaluator::Engine;

use super::steps::StepEngine;
use super::validity::Validity;

/// The set of moves that playouts on an engine choose from.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub enum PlayoutPolicy {
    /// All legal moves, uniformly.
    #[default]
    Uniform,
    /// The [decisive moves](crate::game::circuits::decisive) where there are some, or else all legal
    /// moves, uniformly. The legal moves that the engine computes are right for playouts only.
    Decisive,
}

/// An engine, the states that it is valid for, and its policy for playouts.
///
/// The engine is only accessible to code that respects its validity.
#[derive(Clone, Debug)]
pub struct ValidEngine {
    engine: Engine,
    validity: Arc<Validity>,
    policy: PlayoutPolicy,
    /// The engine for random steps from the same states, with the same policy, if it was made together with this one.
    steps: Option<Arc<StepEngine>>,
}

impl ValidEngine {
    /// Creates an engine that was made for these states and those that follow from them.
    pub(super) fn new(engine: Engine, validity: Validity) -> ValidEngine {
        ValidEngine {
            engine,
            validity: Arc::new(validity),
            policy: PlayoutPolicy::Uniform,
            steps: None,
        }
    }

    /// Creates an engine for playouts with decisive moves, from all states.
    pub(super) fn decisive(engine: Engine) -> ValidEngine {
        ValidEngine {
            policy: PlayoutPolicy::Decisive,
            ..ValidEngine::from(engine)
        }
    }

    /// Adds the engine for random steps from the same states, with the same policy.
    #[must_use]
    pub(super) fn with_steps(mut self, steps: Option<Arc<StepEngine>>) -> ValidEngine {
        self.steps = steps;
        self
    }

    /// Changes the policy to that of the circuit that the engine was made from.
    #[must_use]
    pub(super) fn with_policy(mut self, policy: PlayoutPolicy) -> ValidEngine {
        self.policy = policy;
        self
    }

    /// Returns the engine for random steps that was made together with this one, if there is one.
    pub(crate) fn steps(&self) -> Option<&Arc<StepEngine>> {
        self.steps.as_ref()
    }

    /// Returns the states that the engine is valid for.
    pub fn validity(&self) -> &Arc<Validity> {
        &self.validity
    }

    /// Returns the set of moves that playouts choose from.
    pub fn policy(&self) -> PlayoutPolicy {
        self.policy
    }

    /// Returns whether it interprets the circuit, for which there is no machine code yet, or never
    /// will be.
    pub(crate) fn is_interpreted(&self) -> bool {
        matches!(self.engine, Engine::Interpreter(..))
    }

    /// Returns the engine and the states that it is valid for, for callers that respect these.
    pub(crate) fn into_parts(self) -> (Engine, Arc<Validity>) {
        (self.engine, self.validity)
    }
}

impl From<Engine> for ValidEngine {
    /// Wraps an engine that was made from a game's whole circuit.
    fn from(engine: Engine) -> ValidEngine {
        ValidEngine::new(engine, Validity::all())
    }
}
