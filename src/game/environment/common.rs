//! Data shared by the environments of a game.

use std::sync::Arc;

use super::packed::{insert, words};
use super::shape::Shape;
use super::worker::Worker;
use crate::game::ground::GroundGame;

/// Data shared by the environments of a game.
pub(super) struct Common {
    pub(super) game: Arc<GroundGame>,
    pub(super) shape: Shape,
    pub(super) max_steps: u32,
    /// For each player, its legal actions in the initial state, packed.
    pub(super) fresh_legal: Vec<Vec<u64>>,
}

impl Common {
    /// Evaluates the initial state.
    pub(super) fn new(shape: Shape, max_steps: u32, worker: &mut Worker) -> Common {
        let (legal, game) = (worker.first_legal(), worker.game().clone());
        let players = shape.players.iter();
        let fresh_legal = players.map(|&role| {
            let mut packed = vec![0; words(shape.actions)];
            for &legal in &legal[role.index()] {
                insert(&mut packed, game.actions().of(role, legal));
            }
            packed
        });
        Common {
            fresh_legal: fresh_legal.collect(),
            game,
            shape,
            max_steps,
        }
    }
}
