//! The beginning of matches, up to the first choice.

use super::shape::Shape;
use super::worker::Worker;
use crate::game::machine::{Move, State};

/// The state in which environments start matches: the initial one, after the joint moves in which no role has a choice.
#[derive(Clone, Debug)]
pub(super) struct Start {
    pub(super) state: State,
    /// The number of joint moves before it.
    pub(super) age: u32,
    /// Whether a player has a choice in it. If none has, forced moves and chance come first.
    pub(super) has_choice: bool,
}

impl Start {
    /// Plays forced moves from the initial state on, `max_steps` at most. None if the match ends without a choice of
    /// any role.
    pub(super) fn find(shape: &Shape, max_steps: u32, worker: &mut Worker) -> Option<Start> {
        let mut start = Start {
            state: worker.game().initial().clone(),
            age: 0,
            has_choice: false,
        };
        let batch = worker.free_batch();
        while start.age < max_steps {
            let legal = batch.legal_moves(&start.state);
            if legal.iter().any(Vec::is_empty) {
                // It is terminal, or a role has no legal move.
                return None;
            }
            start.has_choice = (shape.players.iter()).any(|role| legal[role.index()].len() > 1);
            if start.has_choice || shape.has_memory() || legal.iter().any(|moves| moves.len() > 1) {
                return Some(start);
            }
            let joint: Vec<Move> = legal.iter().map(|moves| moves[0]).collect();
            batch.enter_children(&start.state, &joint);
            start.state = batch.state(0);
            start.age += 1;
        }
        None
    }
}
