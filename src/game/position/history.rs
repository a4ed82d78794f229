//! History of a match up to its current state, with undo.

use super::Position;
use crate::game::machine::{MachineError, RoleId, State};

/// A match from its first state to the current one.
#[derive(Clone, Debug)]
pub struct History {
    position: Position,
    /// The states before the current one, the first one first.
    past: Vec<State>,
    /// The joint moves, as canonical text.
    moves: Vec<Vec<String>>,
}

impl History {
    /// Creates a match that starts here.
    pub fn new(start: Position) -> History {
        History {
            position: start,
            past: Vec::new(),
            moves: Vec::new(),
        }
    }

    /// Returns the current position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the names of the roles in rulesheet order.
    pub fn roles(&self) -> &[String] {
        self.position.roles()
    }

    /// Returns the number of joint moves that were played.
    pub fn depth(&self) -> usize {
        self.past.len()
    }

    /// Returns the joint moves that were played, one move for each role in role order, as canonical
    /// text.
    pub fn joint_moves(&self) -> &[Vec<String>] {
        &self.moves
    }

    /// Returns the states, from the first to the current one.
    pub fn states(&self) -> impl Iterator<Item = &State> {
        self.past.iter().chain([self.position.state()])
    }

    /// Returns the canonical texts of the propositions that hold now, sorted bytewise.
    pub fn fluents(&self) -> Vec<String> {
        self.position.fluents()
    }

    /// Returns whether the match is over.
    ///
    /// # Errors
    /// When the machine fails.
    pub fn is_over(&self) -> Result<bool, MachineError> {
        self.position.is_over()
    }

    /// Returns the goal of each role in the current state; `None` where it does not have exactly
    /// one value.
    ///
    /// # Errors
    /// When the machine fails.
    pub fn goals(&self) -> Result<Vec<Option<i32>>, MachineError> {
        self.position.goals()
    }

    /// Returns the legal moves of each role, as canonical text: none when the match is over.
    ///
    /// # Errors
    /// When the machine fails.
    pub fn legal(&self) -> Result<Vec<Vec<String>>, MachineError> {
        let roles = RoleId::first(self.roles().len());
        roles.map(|role| self.position.legal_texts(role)).collect()
    }

    /// Plays one move for each role, spelled in any form that [`find_text`](super::find_text)
    /// accepts.
    ///
    /// # Errors
    /// [`MachineError::MatchOver`] in a terminal state, [`MachineError::IllegalMove`] for the first
    /// role with an illegal move, [`MachineError::JointMove`] if there is not one move for each
    /// role, or when the machine fails.
    pub fn play(&mut self, joint: &[impl AsRef<str>]) -> Result<(), MachineError> {
        let moves = self.position.find_joint_move(joint)?;
        let roles = RoleId::first(moves.len()).zip(&moves);
        let canonical = roles.map(|(role, &played)| self.position.move_text(role, played));
        let canonical: Vec<String> = canonical.collect();
        let before = self.position.state().clone();
        self.position.play_found(&moves)?;
        self.past.push(before);
        self.moves.push(canonical);
        Ok(())
    }

    /// Goes back to the state after `depth` joint moves, unless fewer were played.
    pub fn go_back(&mut self, depth: usize) {
        self.moves.truncate(depth);
        self.past.truncate(depth + 1);
        if self.past.len() > depth
            && let Some(state) = self.past.pop()
        {
            self.position = self.position.with_state(state);
        }
    }
}
