//! The legal moves of a role with their names.

use super::text::find_text;
use crate::game::machine::{MachineError, Move, RoleId, State, StateMachine};

/// The legal moves of a role in a position, and their canonical texts.
#[derive(Clone, Default, Debug)]
pub struct NamedMoves {
    moves: Vec<Move>,
    texts: Vec<String>,
}

impl NamedMoves {
    /// Returns those that the rules derive in a state that is not terminal.
    pub(super) fn of(
        machine: &mut dyn StateMachine,
        state: &State,
        role: RoleId,
    ) -> Result<NamedMoves, MachineError> {
        let mut moves = Vec::new();
        machine.legal_moves_unchecked(state, role, &mut moves)?;
        let texts = moves.iter().map(|&played| machine.move_text(role, played));
        let texts = texts.collect();
        Ok(NamedMoves { moves, texts })
    }

    /// Returns the moves.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Returns their texts, in the same order.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Returns the texts alone.
    pub fn into_texts(self) -> Vec<String> {
        self.texts
    }

    /// Returns the place of the move that `text` spells, in any form that [`find_text`] accepts.
    pub fn find(&self, text: &str) -> Option<usize> {
        find_text(&self.texts, text)
    }
}
