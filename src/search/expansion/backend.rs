//! Selection of the evaluator for each backend.

use rand::Rng;

use super::Evaluator;
use super::lanes::LanesEvaluator;
use super::serial::SerialEvaluator;
use crate::game::engine::MatchEngines;
use crate::game::load::Game;
use crate::game::machine::{Backend, MachineError};
use crate::game::playout::SerialPlayouts;
use crate::support::rng::GameRng;

/// An evaluator in lanes, on the best engines of a match.
pub(crate) fn lanes_evaluator(
    engines: &MatchEngines,
    max_steps: u32,
    seed: u64,
) -> Box<dyn Evaluator> {
    Box::new(LanesEvaluator::compiled(engines, max_steps, seed))
}

/// An evaluator with a backend, for matches of at most `max_steps` joint moves. The compiled
/// backend evaluates with the engines of the match; without any, with those of the game.
///
/// # Errors
/// When there is no such machine.
pub fn evaluator(
    game: &Game,
    backend: Backend,
    engines: Option<&MatchEngines>,
    max_steps: u32,
    mut rng: GameRng,
) -> Result<Box<dyn Evaluator>, MachineError> {
    Ok(match (backend, game.engines()) {
        (Backend::Lanes, Some(engines)) => {
            let seed = rng.next_u64();
            Box::new(LanesEvaluator::interpreted(engines, max_steps, seed))
        }
        (Backend::Compiled, Some(of_game)) => {
            let of_game = || MatchEngines::new(of_game.clone());
            let engines = engines.cloned().unwrap_or_else(of_game);
            let seed = rng.next_u64();
            Box::new(LanesEvaluator::compiled(&engines, max_steps, seed))
        }
        _ => {
            let machine = game.machine(backend)?;
            let ranges = match game.ground_game() {
                Some(ground) => ground.goal_ranges(),
                None => vec![game.rules().goal_range(); machine.roles().len()],
            };
            let playouts = SerialPlayouts::new(machine, max_steps, rng);
            Box::new(SerialEvaluator::new(playouts, max_steps, ranges))
        }
    })
}
