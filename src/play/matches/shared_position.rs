//! Positions of a match that all its followers in this process share.

use std::fmt;
use std::sync::{Arc, OnceLock};

use propjit_stop::Stop;

use crate::game::machine::{MachineError, RoleId};
use crate::game::position::{NamedMoves, Position};

/// A position of a match. Its clones share the legal moves, which are found and named when they are
/// first wanted.
#[derive(Clone)]
pub struct SharedPosition(Arc<Shared>);

struct Shared {
    position: Position,
    depth: u32,
    /// Those of each role.
    legal: Vec<OnceLock<NamedMoves>>,
}

impl SharedPosition {
    /// Shares a position after this number of joint moves.
    pub fn new(position: Position, depth: u32) -> SharedPosition {
        let legal = position.roles().iter().map(|_| OnceLock::new()).collect();
        SharedPosition(Arc::new(Shared {
            position,
            depth,
            legal,
        }))
    }

    /// Returns the position.
    pub fn position(&self) -> &Position {
        &self.0.position
    }

    /// Returns how many joint moves were made before.
    pub fn depth(&self) -> u32 {
        self.0.depth
    }

    /// Returns the legal moves of a role, none when the match is over; `stop` ends the query.
    ///
    /// # Errors
    /// When the machine cannot continue, or is stopped.
    pub fn legal(&self, role: RoleId, stop: &Stop) -> Result<&NamedMoves, MachineError> {
        let known = &self.0.legal[role.index()];
        if let Some(legal) = known.get() {
            return Ok(legal);
        }
        let mut asked = self.position().clone();
        asked.set_stop(stop);
        let legal = asked.named_moves(role)?;
        Ok(known.get_or_init(|| legal))
    }

    /// Returns the position after a joint move in text: see [`Position::play_texts`].
    ///
    /// # Errors
    /// When a move is not legal, or the machine cannot continue.
    pub fn after(&self, joint: &[String]) -> Result<SharedPosition, MachineError> {
        let mut next = self.position().clone();
        next.play_texts(joint)?;
        Ok(SharedPosition::new(next, self.depth() + 1))
    }
}

impl fmt::Debug for SharedPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedPosition")
            .field("position", self.position())
            .field("depth", &self.depth())
            .finish_non_exhaustive()
    }
}
