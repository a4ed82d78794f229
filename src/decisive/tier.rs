//! The engine for playouts with decisive moves.

use std::sync::Arc;
use std::time::Instant;

use propjit_jit::code::{Code, CompileError};
use propjit_jit::evaluator::Engine;

use super::DecisiveCircuit;
use crate::analysis::{GoalBounds, GoalBoundsTask};
use crate::background::Background;
use crate::machine::GroundGame;
use crate::machine::code_options::Form;
use crate::machine::compiled::for_decisive_playouts;

/// An engine for playouts with decisive moves, which comes after the best one of the
/// [`Tiers`](crate::machine::Tiers), if at all. Clones share it.
#[derive(Clone, Debug)]
pub struct DecisiveTier(Background<Option<Engine>>);

impl DecisiveTier {
    /// Starts to make it, when other engines need nothing more, and the latches are found that
    /// are to be known.
    pub fn start(game: &Arc<GroundGame>, latches: Option<&GoalBoundsTask>) -> DecisiveTier {
        let (game, latches) = (game.clone(), latches.cloned());
        DecisiveTier(Background::start(
            "lookahead",
            || None,
            move || {
                game.tiers().wait();
                let left = latches.as_ref().and_then(GoalBoundsTask::wait);
                let start = Instant::now();
                let code = code(&game, left);
                tracing::debug!(time = ?start.elapsed(), found = code.is_some(), "decisive moves");
                code.map(|code| Engine::Code(Arc::new(code)))
            },
        ))
    }

    /// Whether it is known if there is one, and then the engine.
    pub fn get(&self) -> Option<Option<&Engine>> {
        self.0.get().map(Option::as_ref)
    }

    /// Waits until it is there; none if there is none.
    pub fn wait(&self) -> Option<&Engine> {
        self.0.wait().as_ref()
    }
}

/// Machine code of the decisive circuit, if there is one.
fn code(game: &GroundGame, left: Option<&GoalBounds>) -> Option<Code> {
    let form = Form::Decisive {
        latches: format!("{left:?}"),
    };
    let code = game.code_options().obtain(game, form, |config| {
        let decisive = DecisiveCircuit::new(game, left).ok_or(None)?;
        tracing::debug!(decisive.avoids_losing, "there are decisive moves");
        Ok(for_decisive_playouts(game, &decisive.circuit, config)?)
    });
    let none = |error: Option<CompileError>| {
        let error = error.map(|error| error.to_string());
        tracing::debug!(error, "playouts stay as they are");
    };
    code.map_err(none).ok()
}
