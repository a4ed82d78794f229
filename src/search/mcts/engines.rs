//! The engines of a search, and waiting for them.

use propjit_stop::Stop;

use super::config::MctsConfig;
use crate::game::engine::MatchEngines;
use crate::game::load::Game;
use crate::game::machine::Backend;

/// The engines of a search, unless only the prover can play the game.
pub(super) fn match_engines(game: &Game, config: &MctsConfig) -> Option<MatchEngines> {
    let mut engines = MatchEngines::new(game.engines()?.clone());
    if config.decisive
        && let Some(decisive) = game.decisive()
    {
        engines = engines.with_decisive(decisive.clone());
    }
    if config.darkening {
        engines = engines.with_darkening();
    }
    Some(engines)
}

/// Waits for everything that a search otherwise takes up as it comes, machine code, goal latches and
/// decisive moves, unless a stop comes before. When they are ready depends on the machine, and the result
/// of a counted budget should not. If time is up before they are ready, that is logged: a search takes them
/// up as they come.
pub fn wait_for_engines(game: &Game, backend: Backend, config: &MctsConfig, stop: &Stop) {
    let are_ready = wait_or_stop(game, backend, config, stop);
    if !are_ready && stop.remaining().is_some_and(|left| left.is_zero()) {
        tracing::warn!(
            "machine code and goal bounds are not ready in time: the search starts without them, so its results depend on the speed of this machine"
        );
    }
}

/// Waits for the same. Returns whether all are there.
fn wait_or_stop(game: &Game, backend: Backend, config: &MctsConfig, stop: &Stop) -> bool {
    let bounds = game.goal_bounds();
    if !bounds.is_none_or(|bounds| bounds.wait_or_stop(stop)) {
        return false;
    }
    if backend != Backend::Compiled {
        return true;
    }
    let decisive = game.decisive();
    match decisive.filter(|_| config.decisive) {
        Some(decisive) => decisive.wait_or_stop(stop),
        None => game
            .engines()
            .is_none_or(|engines| engines.wait_or_stop(stop)),
    }
}
