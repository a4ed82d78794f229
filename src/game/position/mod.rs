//! The current state of a match, and its history.

mod history;
mod text;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use propjit_stop::Stop;

use crate::game::machine::pool::MachinePool;
use crate::game::machine::{MachineError, Move, RoleId, State, StateMachine};

pub use history::History;
pub use text::find_text;

/// The current state of a match.
///
/// A clone costs no more than its [`State`]. Positions of a game, and their clones, may be asked by any number of threads.
///
/// ```
/// use propjit::{Game, RoleId, Setup};
///
/// let rules = propjit::gdl::games::text("ticTacToe").unwrap();
/// let game = Game::from_text("ticTacToe.kif", rules, &Setup::default())?;
/// let mut position = game.start()?;
/// let corner = position.find_move(RoleId(0), "(mark 1 1)")?;
/// let noop = position.legal_moves(RoleId(1))?[0];
/// position.play(&[corner, noop])?;
/// position.play_texts(&["noop", "(mark 2 2)"])?;
/// assert!(!position.is_over()?);
/// assert_eq!(position.legal_moves(RoleId(0))?.len(), 7);
/// assert_eq!(position.to_string(), "(cell 1 1 x)\n(cell 2 2 o)\n(control x)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Questions fail when the machine cannot go on, as when the prover hits a limit; a ground game always answers.
///
/// # Panics
/// If a role or a move is one of another game.
#[derive(Clone)]
pub struct Position {
    machines: Arc<MachinePool>,
    state: State,
    stop: Stop,
}

impl Position {
    /// The position in which every match starts.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub fn start(machines: &Arc<MachinePool>) -> Result<Position, MachineError> {
        let stop = machines.stop().clone();
        let state = machines.ask(&stop, |machine| machine.initial_state())?;
        Ok(Position {
            machines: machines.clone(),
            state,
            stop,
        })
    }

    /// The same for a machine that nobody else asks; `stop` ends questions.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub fn of_machine(
        machine: Box<dyn StateMachine>,
        stop: &Stop,
    ) -> Result<Position, MachineError> {
        Position::start(&Arc::new(MachinePool::of_one(machine, false, stop)))
    }

    /// The position of the same game in which exactly these propositions hold.
    ///
    /// # Errors
    /// [`MachineError::UnknownName`] if one is not a proposition of the game. The prover takes any term for one.
    pub fn with_fluents(&self, fluents: &[&str]) -> Result<Position, MachineError> {
        let state = self.ask(|machine, _| machine.parse_state(fluents))?;
        Ok(self.with_state(state))
    }

    /// The position of the same game with this state of its machines.
    #[must_use]
    pub fn with_state(&self, state: State) -> Position {
        Position {
            state,
            ..self.clone()
        }
    }

    /// Asks a machine about the state.
    fn ask<T>(
        &self,
        question: impl FnOnce(&mut dyn StateMachine, &State) -> Result<T, MachineError>,
    ) -> Result<T, MachineError> {
        (self.machines).ask(&self.stop, |machine| question(machine, &self.state))
    }

    /// Sets what ends questions from now on, with an error that [says so](MachineError::is_stopped). Only those to the
    /// prover can take long.
    pub fn set_stop(&mut self, stop: &Stop) {
        self.stop = stop.clone();
    }

    /// The names of the roles in rulesheet order.
    pub fn roles(&self) -> &[String] {
        self.machines.roles()
    }

    /// The state, as one of the game's machines.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The state with the numbers of the ground game, unless only the prover can play it.
    pub fn ground_state(&self) -> Option<&State> {
        self.machines.is_ground().then_some(&self.state)
    }

    /// The canonical texts of the propositions that hold, sorted bytewise.
    pub fn fluents(&self) -> Vec<String> {
        let texts = |machine: &mut dyn StateMachine, state: &State| Ok(machine.fluents(state));
        // There is a machine, and it knows the names of its own state.
        self.ask(texts).unwrap_or_default()
    }

    /// Whether the match is over.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub fn is_over(&self) -> Result<bool, MachineError> {
        self.ask(|machine, state| machine.is_terminal(state))
    }

    /// The legal moves of a role, in the same order each time: none when the match is over.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub fn legal_moves(&self, role: RoleId) -> Result<Vec<Move>, MachineError> {
        let mut moves = Vec::new();
        self.ask(|machine, state| machine.legal_moves(state, role, &mut moves))?;
        Ok(moves)
    }

    /// The legal moves of a role, as canonical text: none when the match is over.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub fn legal_texts(&self, role: RoleId) -> Result<Vec<String>, MachineError> {
        let mut moves = Vec::new();
        self.ask(|machine, state| {
            machine.legal_moves(state, role, &mut moves)?;
            let texts = moves.iter().map(|&played| machine.move_text(role, played));
            Ok(texts.collect())
        })
    }

    /// A legal move of a role, if it has one, as canonical text: see
    /// [`StateMachine::any_legal_move`]. There is none when the match is over.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub fn any_legal_text(&self, role: RoleId) -> Result<Option<String>, MachineError> {
        self.ask(|machine, state| {
            let found = machine.any_legal_move(state, role)?;
            Ok(found.map(|played| machine.move_text(role, played)))
        })
    }

    /// The canonical text of a move.
    pub fn move_text(&self, role: RoleId, played: Move) -> String {
        let text = |machine: &mut dyn StateMachine, _: &State| Ok(machine.move_text(role, played));
        // There is a machine, and it knows the names of its own moves.
        self.ask(text).unwrap_or_default()
    }

    /// The legal move of the role that `text` spells, as [`find_text`] understands it.
    ///
    /// # Errors
    /// [`MachineError::MatchOver`] in a terminal state, [`MachineError::IllegalMove`] if it spells
    /// none, or if the machine cannot go on.
    pub fn find_move(&self, role: RoleId, text: &str) -> Result<Move, MachineError> {
        if self.is_over()? {
            return Err(MachineError::MatchOver);
        }
        let legal = self.legal_moves(role)?;
        let texts = legal.iter().map(|&played| self.move_text(role, played));
        match find_text(&texts.collect::<Vec<_>>(), text) {
            Some(at) => Ok(legal[at]),
            None => Err(MachineError::IllegalMove {
                role: self.roles()[role.index()].clone(),
                text: text.to_string(),
            }),
        }
    }

    /// The legal moves that these texts spell, one for each role in role order.
    ///
    /// # Errors
    /// [`MachineError::JointMove`], and as for [`find_move`](Position::find_move).
    pub fn find_joint_move(&self, texts: &[impl AsRef<str>]) -> Result<Vec<Move>, MachineError> {
        let (roles, given) = (self.roles().len(), texts.len());
        if given != roles {
            return Err(MachineError::JointMove { roles, given });
        }
        let found = RoleId::first(roles).zip(texts);
        let found = found.map(|(role, text)| self.find_move(role, text.as_ref()));
        found.collect()
    }

    /// Goes on to the position after these moves, one for each role in role order.
    ///
    /// # Errors
    /// [`MachineError::JointMove`], [`MachineError::MatchOver`] or [`MachineError::IllegalMove`], or
    /// if the machine cannot go on; the position is then unchanged.
    pub fn play(&mut self, joint: &[Move]) -> Result<(), MachineError> {
        self.state = self.ask(|machine, state| machine.next_state(state, joint))?;
        Ok(())
    }

    /// The same for moves as text, as [`find_text`] understands it.
    ///
    /// # Errors
    /// As for [`play`](Position::play); the position is then unchanged.
    pub fn play_texts(&mut self, joint: &[impl AsRef<str>]) -> Result<(), MachineError> {
        let joint = self.find_joint_move(joint)?;
        let mut next = State::new();
        self.ask(|machine, state| machine.next_state_unchecked(state, &joint, &mut next))?;
        self.state = next;
        Ok(())
    }

    /// The goal of a role; `None` unless it has exactly one value.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub fn goal(&self, role: RoleId) -> Result<Option<i32>, MachineError> {
        match self.defined_goal(role) {
            Ok(value) => Ok(Some(value)),
            Err(MachineError::Goal { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The goal of a role, which has to have one.
    ///
    /// # Errors
    /// [`MachineError::Goal`] unless it has exactly one value, or when the machine cannot go on.
    pub fn defined_goal(&self, role: RoleId) -> Result<i32, MachineError> {
        self.ask(|machine, state| machine.goal(state, role))
    }

    /// The goal of each role; `None` where it does not have exactly one value.
    ///
    /// # Errors
    /// When the machine cannot go on.
    pub fn goals(&self) -> Result<Vec<Option<i32>>, MachineError> {
        let roles = RoleId::first(self.roles().len());
        roles.map(|role| self.goal(role)).collect()
    }
}

/// The propositions that hold, one in each line.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fluents().join("\n"))
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Position").field(&self.fluents()).finish()
    }
}

/// Positions are equal if their states are, and come from the same machines.
impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        Arc::ptr_eq(&self.machines, &other.machines) && self.state == other.state
    }
}

impl Eq for Position {}

impl Hash for Position {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.state.hash(hasher);
    }
}
