//! The board: the current state of a match, with moves as text.
//!
//! A move may be spelled as `ggp-base` and other players spell it: with any blanks, `(noop)` for `noop`, and letters in another case if it is clear which
//! move is meant. Text is compared with legal moves only, so that nothing that comes over
//! the network is ever entered in a table.

use std::fmt;

use propjit_gdl::syntax::{Lexer, TokenKind};
use propjit_stop::Stop;

use crate::game::machine::{MachineError, Move, RoleId, State, StateMachine};

/// A match's current state.
pub struct Board {
    machine: Box<dyn StateMachine>,
    state: State,
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Board")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl Board {
    /// The initial state.
    ///
    /// # Errors
    /// When the machine fails.
    pub fn new(mut machine: Box<dyn StateMachine>) -> Result<Board, MachineError> {
        let state = machine.initial_state()?;
        Ok(Board { machine, state })
    }

    /// The names of the roles in rulesheet order.
    pub fn roles(&self) -> &[String] {
        self.machine.roles()
    }

    /// Sets what ends questions from now on: see [`StateMachine::set_stop`].
    pub fn set_stop(&mut self, stop: &Stop) {
        self.machine.set_stop(stop);
    }

    /// The current state, as one of the board's machine.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Goes to a state of the board's machine, as when moves are taken back.
    pub fn set_state(&mut self, state: State) {
        self.state = state;
    }

    /// The canonical texts of the propositions that hold, sorted bytewise.
    pub fn fluents(&self) -> Vec<String> {
        self.machine.fluents(&self.state)
    }

    /// Whether the match is over.
    ///
    /// # Errors
    /// When the machine fails.
    pub fn is_terminal(&mut self) -> Result<bool, MachineError> {
        self.machine.is_terminal(&self.state)
    }

    /// The legal moves of a role, in the same order each time: none when the match is over.
    ///
    /// # Errors
    /// When the machine fails.
    pub fn legal(&mut self, role: RoleId) -> Result<Vec<Move>, MachineError> {
        let mut moves = Vec::new();
        self.machine.legal_moves(&self.state, role, &mut moves)?;
        Ok(moves)
    }

    /// The legal moves of a role, as canonical text: none when the match is over.
    ///
    /// # Errors
    /// When the machine fails.
    pub fn legal_texts(&mut self, role: RoleId) -> Result<Vec<String>, MachineError> {
        let moves = self.legal(role)?;
        let texts = moves.iter().map(|&played| self.text(role, played));
        Ok(texts.collect())
    }

    /// A legal move of a role, if it has one, as canonical text: see
    /// [`StateMachine::any_legal_move`]. There is none when the match is over.
    ///
    /// # Errors
    /// When the machine fails.
    pub fn any_legal_text(&mut self, role: RoleId) -> Result<Option<String>, MachineError> {
        let found = self.machine.any_legal_move(&self.state, role)?;
        Ok(found.map(|played| self.text(role, played)))
    }

    /// The canonical text of a move.
    pub fn text(&self, role: RoleId, played: Move) -> String {
        self.machine.move_text(role, played)
    }

    /// The role's goal; `None` unless it has exactly one value.
    ///
    /// # Errors
    /// When the machine fails.
    pub fn goal(&mut self, role: RoleId) -> Result<Option<i32>, MachineError> {
        match self.machine.goal(&self.state, role) {
            Ok(value) => Ok(Some(value)),
            Err(MachineError::Goal { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The legal move of the role that `text` spells.
    ///
    /// # Errors
    /// [`MachineError::MatchOver`] in a terminal state, [`MachineError::IllegalMove`] if it spells
    /// none, or if the machine fails.
    pub fn find(&mut self, role: RoleId, text: &str) -> Result<Move, MachineError> {
        if self.is_terminal()? {
            return Err(MachineError::MatchOver);
        }
        let legal = self.legal(role)?;
        let texts: Vec<String> = legal
            .iter()
            .map(|&played| self.text(role, played))
            .collect();
        match find_text(&texts, text) {
            Some(at) => Ok(legal[at]),
            None => Err(MachineError::IllegalMove {
                role: self.roles()[role.index()].clone(),
                text: text.to_string(),
            }),
        }
    }

    /// Goes on to the state after these moves, one per role in role order.
    ///
    /// # Errors
    /// [`MachineError::JointMove`], [`MachineError::MatchOver`] or [`MachineError::IllegalMove`], or
    /// if the machine fails; the state is then unchanged.
    pub fn advance(&mut self, joint: &[impl AsRef<str>]) -> Result<(), MachineError> {
        let roles = self.roles().len();
        if joint.len() != roles {
            let given = joint.len();
            return Err(MachineError::JointMove { roles, given });
        }
        let moves = RoleId::first(roles)
            .zip(joint)
            .map(|(role, text)| self.find(role, text.as_ref()))
            .collect::<Result<Vec<Move>, _>>()?;
        let mut next = State::new();
        self.machine
            .next_state_unchecked(&self.state, &moves, &mut next)?;
        self.state = next;
        Ok(())
    }
}

/// The place of the move that `text` spells among moves in canonical text.
pub fn find_text(moves: &[String], text: &str) -> Option<usize> {
    // What comes from this process is canonical.
    if let Some(at) = moves.iter().position(|played| played == text) {
        return Some(at);
    }
    let wanted = plain(text)?;
    let plain: Vec<Option<String>> = moves.iter().map(|played| plain(played)).collect();
    let same = |other: &Option<String>| other.as_ref() == Some(&wanted);
    if let Some(at) = plain.iter().position(same) {
        return Some(at);
    }
    let wanted = wanted.to_lowercase();
    let similar = |other: &Option<String>| {
        let other = other.as_ref();
        other.is_some_and(|other| other.to_lowercase() == wanted)
    };
    let mut found = plain.iter().enumerate().filter(|(_, other)| similar(other));
    match (found.next(), found.next()) {
        (Some((at, _)), None) => Some(at),
        _ => None,
    }
}

/// The one term in `text` with single blanks, and constants without parentheses;
/// `None` if it is not one term.
fn plain(text: &str) -> Option<String> {
    let mut plain: Vec<&str> = Vec::new();
    // Where each open list starts, and how many forms are in it.
    let mut open: Vec<(usize, usize)> = Vec::new();
    for token in Lexer::new(text) {
        let name = &text[token.span.start as usize..token.span.end as usize];
        if token.kind == TokenKind::Close {
            match open.pop()? {
                (_, 0) => return None,
                (start, 1) => plain[start] = "",
                _ => plain.push(")"),
            }
            continue;
        }
        match open.last_mut() {
            Some((_, forms)) => {
                if *forms > 0 {
                    plain.push(" ");
                }
                *forms += 1;
            }
            None if plain.is_empty() => {}
            None => return None,
        }
        if token.kind == TokenKind::Open {
            open.push((plain.len(), 0));
        }
        plain.push(name);
    }
    (open.is_empty() && !plain.is_empty()).then(|| plain.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_moves() {
        let moves = ["noop", "(mark 1 2)", "(Mark 1 3)", "(mark 1 3)", "(go (a))"];
        let moves = moves.map(String::from);
        for (text, found) in [
            ("noop", Some(0)),
            (" ( NOOP ) ", Some(0)),
            ("((noop))", Some(0)),
            ("(mark(1)2) ; a comment", Some(1)),
            ("( MARK\n1\t2 )", Some(1)),
            ("( Mark 1 3 )", Some(2)),
            ("(mark 1  3)", Some(3)),
            // It is not clear which.
            ("(MARK 1 3)", None),
            ("(go a)", Some(4)),
            ("(go ((a)))", Some(4)),
            ("(mark 1)", None),
            ("(mark 12)", None),
            ("", None),
            ("()", None),
            ("(noop", None),
            ("noop)", None),
            ("noop noop", None),
            ("(mark 1 2) x", None),
        ] {
            assert_eq!(find_text(&moves, text), found, "{text:?}");
        }
    }

    #[test]
    fn depth_is_not_limited() {
        let deep = format!("{}0{}", "(s ".repeat(100_000), ")".repeat(100_000));
        let spaced = deep.replace('(', "( ");
        assert_eq!(find_text(&[deep], &spaced), Some(0));
        let wrapped = format!("{}noop{}", "(".repeat(500_000), ")".repeat(500_000));
        assert_eq!(find_text(&["noop".to_string()], &wrapped), Some(0));
    }
}
