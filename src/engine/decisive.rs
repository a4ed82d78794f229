//! The engine for playouts with decisive moves.

use std::sync::Arc;
use std::time::Instant;

use propjit_jit::code::{Code, CompileError};
use propjit_jit::evaluator::Engine;

use super::compile::{Purpose, obtain};
use super::programs::Programs;
use super::tiers::Tiers;
use crate::background::Background;
use crate::decisive::DecisiveCircuit;
use crate::ground::GoalBounds;

/// An engine for playouts with [decisive moves](crate::decisive), which is made in the
/// background and comes after the best engine for the whole circuit. Not every game has one.
/// Clones share it.
#[derive(Clone, Debug)]
pub struct DecisiveEngine(Background<Option<Engine>>);

impl DecisiveEngine {
    /// Starts to make it, when the engines for the whole circuit are made and the latches that
    /// are to be taken into account are found.
    pub(super) fn start(
        programs: &Arc<Programs>,
        tiers: &Tiers,
        latches: Option<&Background<Option<GoalBounds>>>,
    ) -> DecisiveEngine {
        let (programs, tiers, latches) = (programs.clone(), tiers.clone(), latches.cloned());
        let make = move || {
            tiers.wait();
            let left = latches.as_ref().and_then(|latches| latches.wait().as_ref());
            let start = Instant::now();
            let code = code(&programs, left);
            tracing::debug!(time = ?start.elapsed(), found = code.is_some(), "decisive moves");
            code.map(|code| Engine::Code(Arc::new(code)))
        };
        DecisiveEngine(Background::start("lookahead", || None, make))
    }

    /// The engine, if it is ready.
    pub(super) fn get(&self) -> Option<&Engine> {
        self.0.get()?.as_ref()
    }

    /// Whether it is known that there is no such engine.
    pub(super) fn is_missing(&self) -> bool {
        self.0.get().is_some_and(Option::is_none)
    }

    /// Waits until it is known whether there is such an engine. Whether there is.
    pub fn wait(&self) -> bool {
        self.0.wait().is_some()
    }

    /// Waits until that is known, or until then.
    pub(super) fn wait_until(&self, deadline: Instant) {
        self.0.wait_until(deadline);
    }
}

/// Machine code of the decisive circuit, if there is one.
fn code(programs: &Programs, left: Option<&GoalBounds>) -> Option<Code> {
    let (game, options) = (programs.game(), programs.options());
    let purpose = Purpose::decisive(game.layout(), left);
    let circuit = || {
        let decisive = DecisiveCircuit::new(game, left, &options.config.stop).ok_or(None)?;
        tracing::debug!(decisive.avoids_losing, "there are decisive moves");
        Ok(decisive.circuit)
    };
    let none = |error: Option<CompileError>| {
        let error = error.map(|error| error.to_string());
        tracing::debug!(error, "playouts stay as they are");
    };
    obtain(game, options, &purpose, circuit).map_err(none).ok()
}
