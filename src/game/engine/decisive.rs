//! Engines for playouts with decisive moves.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use propjit_jit::circuit::Circuit;
use propjit_jit::code::{Code, CompileError};
use propjit_jit::evaluator::Engine;
use propjit_stop::Stop;

use super::compile::{Purpose, obtain};
use super::programs::Programs;
use super::steps::{StepEngine, Steps};
use super::tiers::Tiers;
use crate::game::circuits::decisive::DecisiveCircuit;
use crate::game::ground::GoalBounds;
use crate::support::background::Background;

/// An engine for playouts with [decisive moves](crate::game::circuits::decisive), which is made in the
/// background and comes after the best engine for the whole circuit. Not every game has one.
/// Clones share it.
#[derive(Clone, Debug)]
pub struct DecisiveEngine {
    engine: Background<Option<Engine>>,
    steps: Arc<OnceLock<Steps>>,
    source: Arc<Source>,
}

/// The data that the engines are made from.
#[derive(Debug)]
struct Source {
    programs: Arc<Programs>,
    /// The latches, which are taken into account.
    latches: Background<Option<GoalBounds>>,
    /// The circuit, if it was requested; `None` inside if there is none.
    circuit: OnceLock<Option<DecisiveCircuit>>,
}

impl DecisiveEngine {
    /// Starts to make it, once the engines for the whole circuit are made and the latches are
    /// found.
    pub(super) fn start(
        programs: &Arc<Programs>,
        tiers: &Tiers,
        latches: &Background<Option<GoalBounds>>,
    ) -> DecisiveEngine {
        let source = Arc::new(Source {
            programs: programs.clone(),
            latches: latches.clone(),
            circuit: OnceLock::new(),
        });
        let (shared, tiers) = (source.clone(), tiers.clone());
        let make = move || {
            tiers.wait();
            shared.latches();
            let start = Instant::now();
            let code = shared.code();
            tracing::debug!(time = ?start.elapsed(), found = code.is_some(), "decisive moves");
            code.map(|code| Engine::Code(Arc::new(code)))
        };
        DecisiveEngine {
            engine: Background::start("lookahead", || None, make),
            steps: Arc::default(),
            source,
        }
    }

    /// Returns the engine for random steps with decisive moves, which the first call starts to make. There is
    /// one only if there is an engine for decisive moves.
    pub(super) fn steps(&self) -> &Steps {
        self.steps.get_or_init(|| {
            let source = self.source.clone();
            let game = source.programs.game().clone();
            Steps::start_making(game, move || source.steps())
        })
    }

    /// Returns the circuit with decisive moves, if there is one; it is made again if the code was in the cache.
    pub(super) fn circuit(&self) -> Option<&Circuit> {
        self.source.circuit().ok()
    }

    /// Returns the engine, if it is ready.
    pub(super) fn get(&self) -> Option<&Engine> {
        self.engine.get()?.as_ref()
    }

    /// Returns whether it is known that there is no such engine.
    pub(super) fn is_missing(&self) -> bool {
        self.engine.get().is_some_and(Option::is_none)
    }

    /// Waits until it is known whether there is such an engine. Returns whether there is.
    pub fn wait(&self) -> bool {
        self.engine.wait().is_some()
    }

    /// Waits until it is known whether there is such an engine, or until stopped. Returns whether it is known.
    pub fn wait_or_stop(&self, stop: &Stop) -> bool {
        self.engine.wait_or_stop(stop).is_some()
    }

    /// Waits until that is known, or until the deadline.
    pub(super) fn wait_until(&self, deadline: Instant) {
        self.engine.wait_until(deadline);
    }
}

impl Source {
    /// Waits for the goals that latches leave, and returns them if they are found.
    fn latches(&self) -> Option<&GoalBounds> {
        self.latches.wait().as_ref()
    }

    /// Returns the decisive circuit; an error if there is none.
    fn circuit(&self) -> Result<&Circuit, Option<CompileError>> {
        let circuit = self.circuit.get_or_init(|| {
            let stop = &self.programs.options().config.stop;
            let decisive = DecisiveCircuit::new(self.programs.game(), self.latches(), stop)?;
            tracing::debug!(decisive.avoids_losing, "decisive moves found");
            Some(decisive)
        });
        let circuit = circuit.as_ref().ok_or(None)?;
        Ok(&circuit.circuit)
    }

    /// Returns machine code of the decisive circuit, if there is one.
    fn code(&self) -> Option<Code> {
        let (game, options) = (self.programs.game(), self.programs.options());
        let purpose = Purpose::decisive(game.layout(), self.latches());
        let code = obtain(game, options, &purpose, || self.circuit());
        code.map_err(|error| warn_without_code(error, "playouts unchanged"))
            .ok()
    }

    /// Returns machine code of its random steps.
    fn steps(&self) -> Option<StepEngine> {
        let purpose = |layout: &_| Purpose::decisive_steps(layout, self.latches());
        let steps = StepEngine::obtain(&self.programs, purpose, || self.circuit());
        steps
            .map_err(|error| warn_without_code(error, "moves are selected outside the circuit"))
            .ok()
    }
}

fn warn_without_code(error: Option<CompileError>, consequence: &str) {
    let error = error.map(|error| error.to_string());
    tracing::debug!(error, "{consequence}");
}
