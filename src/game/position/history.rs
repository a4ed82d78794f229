//! The history of a match up to its current state, with the way back.

use super::board::Board;
use crate::game::machine::{MachineError, RoleId, State, StateMachine};

/// A match from its first state to the current one.
#[derive(Debug)]
pub struct History {
    board: Board,
    /// The states before the current one, the first one first.
    past: Vec<State>,
    /// The joint moves, as canonical text.
    moves: Vec<Vec<String>>,
}

impl History {
    /// A match in which nothing was played.
    ///
    /// # Errors
    /// When the machine fails.
    pub fn new(machine: Box<dyn StateMachine>) -> Result<History, MachineError> {
        Ok(History {
            board: Board::new(machine)?,
            past: Vec::new(),
            moves: Vec::new(),
        })
    }

    /// The names of the roles in rulesheet order.
    pub fn roles(&self) -> &[String] {
        self.board.roles()
    }

    /// How many joint moves were played.
    pub fn depth(&self) -> usize {
        self.past.len()
    }

    /// The joint moves that were played, one move for each role in role order, as canonical text.
    pub fn joint_moves(&self) -> &[Vec<String>] {
        &self.moves
    }

    /// The states, from the first to the current one.
    pub fn states(&self) -> impl Iterator<Item = &State> {
        self.past.iter().chain([self.board.state()])
    }

    /// The canonical texts of the propositions that hold now, sorted bytewise.
    pub fn fluents(&self) -> Vec<String> {
        self.board.fluents()
    }

    /// Whether the match is over.
    ///
    /// # Errors
    /// When the machine fails.
    pub fn is_over(&mut self) -> Result<bool, MachineError> {
        self.board.is_terminal()
    }

    /// The goal of each role in the current state; none where it does not have exactly one value.
    ///
    /// # Errors
    /// When the machine fails.
    pub fn goals(&mut self) -> Result<Vec<Option<i32>>, MachineError> {
        let roles = RoleId::first(self.roles().len());
        roles.map(|role| self.board.goal(role)).collect()
    }

    /// The legal moves of each role, as canonical text: none when the match is over.
    ///
    /// # Errors
    /// When the machine fails.
    pub fn legal(&mut self) -> Result<Vec<Vec<String>>, MachineError> {
        let roles = RoleId::first(self.roles().len());
        roles.map(|role| self.board.legal_texts(role)).collect()
    }

    /// Plays one move for each role, spelled as [`find_text`](super::board::find_text)
    /// understands it.
    ///
    /// # Errors
    /// [`MachineError::MatchOver`] in a terminal state, [`MachineError::IllegalMove`] for the first
    /// role whose move is not legal, [`MachineError::JointMove`] if there is not one move for each
    /// role, or when the machine fails.
    pub fn play(&mut self, joint: &[impl AsRef<str>]) -> Result<(), MachineError> {
        let before = self.board.state().clone();
        let mut canonical = Vec::new();
        for (role, text) in RoleId::first(self.roles().len()).zip(joint) {
            let played = self.board.find(role, text.as_ref())?;
            canonical.push(self.board.text(role, played));
        }
        // What is canonical is found at once.
        match canonical.len() == joint.len() {
            true => self.board.advance(&canonical)?,
            false => self.board.advance(joint)?,
        }
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
            self.board.set_state(state);
        }
    }
}
