//! The form of the engines that playouts use, of which those for the rest of a match are made.

use std::sync::Arc;

use propjit_jit::circuit::Circuit;
use propjit_jit::evaluator::Engine;

use crate::game::engine::decisive::DecisiveEngine;
use crate::game::engine::engines::Engines;
use crate::game::engine::programs::Programs;
use crate::game::engine::steps::StepEngine;
use crate::game::engine::valid_engine::{PlayoutPolicy, ValidEngine};

/// What playouts of a match use as long as nothing is specialised: an engine with or without decisive moves, and one for
/// random steps if that pays off. An engine for the rest of the match takes the place of one of these.
#[derive(Clone, Debug)]
pub struct PlayoutForm {
    engine: ValidEngine,
    programs: Arc<Programs>,
    /// The source of the circuit, if it has decisive moves.
    decisive: Option<DecisiveEngine>,
}

impl PlayoutForm {
    /// The form that playouts have in the end, for which this waits: with decisive moves if there is an engine for them.
    pub(super) fn in_use(engines: &Engines, decisive: Option<&DecisiveEngine>) -> PlayoutForm {
        let ready = decisive.filter(|decisive| decisive.wait());
        let (engine, steps) = match ready.and_then(|decisive| Some((decisive, decisive.get()?))) {
            Some((decisive, engine)) => (ValidEngine::decisive(engine.clone()), decisive.steps()),
            None => {
                engines.tiers().wait();
                (engines.best(), engines.steps())
            }
        };
        steps.wait();
        PlayoutForm {
            engine: engine.with_steps(steps.get().cloned()),
            programs: engines.programs().clone(),
            decisive: ready.cloned(),
        }
    }

    /// The form without decisive moves or an engine for random steps.
    pub fn plain(engines: &Engines) -> PlayoutForm {
        engines.tiers().wait();
        PlayoutForm {
            engine: engines.best(),
            programs: engines.programs().clone(),
            decisive: None,
        }
    }

    /// The engine, with that for random steps.
    pub fn engine(&self) -> &ValidEngine {
        &self.engine
    }

    /// The programs of the game.
    pub fn programs(&self) -> &Arc<Programs> {
        &self.programs
    }

    /// The set of moves that playouts choose from.
    pub(super) fn policy(&self) -> PlayoutPolicy {
        self.engine.policy()
    }

    /// The circuit that the engine evaluates.
    pub fn circuit(&self) -> &Circuit {
        let decisive = self.decisive.as_ref().and_then(|of| of.circuit());
        decisive.unwrap_or(&self.programs.game().min_gates().circuit)
    }

    /// The engine for random steps, if there is one.
    pub fn steps(&self) -> Option<&Arc<StepEngine>> {
        self.engine.steps()
    }

    /// The number of playouts at a time.
    pub fn lanes(&self) -> usize {
        self.without_steps().width().lanes()
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match (self.policy(), self.steps()) {
            (PlayoutPolicy::Uniform, None) => "plain",
            (PlayoutPolicy::Uniform, Some(_)) => "steps",
            (PlayoutPolicy::Decisive, None) => "decisive",
            (PlayoutPolicy::Decisive, Some(_)) => "decisive steps",
        }
    }

    /// The engine alone.
    pub(super) fn without_steps(&self) -> Engine {
        self.engine.clone().into_parts().0
    }
}
