//! Data shared by the environments of a game.

use super::shape::Shape;
use super::worker::Worker;
use crate::game::vocabulary::lane_mask::LaneMask;

/// Data shared by the environments of a game.
pub(super) struct Common {
    pub(super) shape: Shape,
    pub(super) max_steps: u32,
    /// For each player, its legal moves in the initial state, packed.
    pub(super) fresh_legal: Vec<Vec<u64>>,
}

impl Common {
    /// Evaluates the initial state.
    pub(super) fn new(shape: Shape, max_steps: u32, worker: &mut Worker) -> Common {
        let width = worker.width();
        let mut bases = vec![0; shape.propositions * width.words()];
        worker.restart(LaneMask::all(width), &mut bases);
        worker.observe(0, &bases);
        let players = shape.players.iter();
        Common {
            fresh_legal: players.map(|&role| worker.first_legal(role)).collect(),
            shape,
            max_steps,
        }
    }
}
