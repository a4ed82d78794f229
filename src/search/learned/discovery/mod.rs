//! Discovery of the inputs of an evaluation: combinations that end matches, and lines of places on boards.

mod boards;
mod endings;

use propjit_stop::Stop;

use super::inputs::Inputs;
use super::samples::Samples;
use crate::game::ground::GroundGame;
use crate::game::load::Game;

/// Finds the inputs for a game: by its rules, by samples of matches, and unless a stop comes, by its boards.
pub(super) fn inputs(game: &Game, ground: &GroundGame, samples: &Samples, stop: &Stop) -> Inputs {
    let bases = ground.layout().bases.len();
    let patterns = endings::patterns(ground, samples);
    Inputs::new(bases, patterns, boards::tuples(game, ground, stop))
}
