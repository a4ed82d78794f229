//! The current state of a match, and its history.

mod history;
mod named_moves;
mod text;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use propjit_stop::Stop;

use crate::game::machine::pool::MachinePool;
use crate::game::machine::{MachineError, Move, RoleId, State, StateMachine};

pub use history::History;
pub use named_moves::NamedMoves;
pub use text::find_text;

/// The current state of a match.
///
/// Cloning costs only the clone of its [`State`]. Positions of a game, and their clones, may be queried by any
/// number of threads.
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
/// Queries fail when the machine cannot continue, as when the prover hits a limit; a ground game always
/// answers.
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
    /// Returns the position in which every match starts.
    ///
    /// # Errors
    /// When the machine cannot continue.
    pub fn start(machines: &Arc<MachinePool>) -> Result<Position, MachineError> {
        let stop = machines.stop().clone();
        let state = machines.query(&stop, |machine| machine.initial_state())?;
        Ok(Position {
            machines: machines.clone(),
            state,
            stop,
        })
    }

    /// Returns the same for a machine that has no other users; `stop` ends queries.
    ///
    /// # Errors
    /// When the machine cannot continue.
    pub fn of_machine(
        machine: Box<dyn StateMachine>,
        stop: &Stop,
    ) -> Result<Position, MachineError> {
        Position::start(&Arc::new(MachinePool::of_one(machine, stop)))
    }

    /// Returns the position of the same game in which exactly these propositions hold.
    ///
    /// # Errors
    /// [`MachineError::UnknownName`] if one is not a proposition of the game. The prover takes any term for one.
    pub fn with_fluents(&self, fluents: &[&str]) -> Result<Position, MachineError> {
        let state = self.query(|machine, _| machine.parse_state(fluents))?;
        Ok(self.with_state(state))
    }

    /// Returns the position of the same game with this state of its machines.
    #[must_use]
    pub fn with_state(&self, state: State) -> Position {
        Position {
            state,
            ..self.clone()
        }
    }

    /// Queries one of the game's machines about the state.
    pub fn query<T>(&self, question: impl FnOnce(&mut dyn StateMachine, &State) -> T) -> T {
        (self.machines).query(&self.stop, |machine| question(machine, &self.state))
    }

    /// Sets the token that stops queries from now on, with an error that [says so](MachineError::is_stopped). Only
    /// queries to the prover can take long.
    pub fn set_stop(&mut self, stop: &Stop) {
        self.stop = stop.clone();
    }

    /// Returns the token that stops queries.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Returns the names of the roles in rulesheet order.
    pub fn roles(&self) -> &[String] {
        self.machines.roles()
    }

    /// Returns the state, as one of the game's machines.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the state with the numbers of the ground game, unless only the prover can play it.
    pub fn ground_state(&self) -> Option<&State> {
        self.machines.is_ground().then_some(&self.state)
    }

    /// Returns the canonical texts of the propositions that hold, sorted bytewise.
    pub fn fluents(&self) -> Vec<String> {
        self.query(|machine, state| machine.fluents(state))
    }

    /// Returns whether the match is over.
    ///
    /// # Errors
    /// When the machine cannot continue.
    pub fn is_over(&self) -> Result<bool, MachineError> {
        self.query(|machine, state| machine.is_terminal(state))
    }

    /// Returns the legal moves of a role, in the same order each time: none when the match is over.
    ///
    /// # Errors
    /// When the machine cannot continue.
    pub fn legal_moves(&self, role: RoleId) -> Result<Vec<Move>, MachineError> {
        let mut moves = Vec::new();
        self.query(|machine, state| machine.legal_moves(state, role, &mut moves))?;
        Ok(moves)
    }

    /// Returns the legal moves of a role with their names: none when the match is over.
    ///
    /// # Errors
    /// When the machine cannot continue.
    pub fn named_moves(&self, role: RoleId) -> Result<NamedMoves, MachineError> {
        self.query(|machine, state| match machine.is_terminal(state)? {
            true => Ok(NamedMoves::default()),
            false => NamedMoves::of(machine, state, role),
        })
    }

    /// Returns the legal moves of a role, as canonical text: none when the match is over.
    ///
    /// # Errors
    /// When the machine cannot continue.
    pub fn legal_texts(&self, role: RoleId) -> Result<Vec<String>, MachineError> {
        self.named_moves(role).map(NamedMoves::into_texts)
    }

    /// Returns a legal move of a role, if it has one, as canonical text: see
    /// [`StateMachine::any_legal_move`]. There is none when the match is over.
    ///
    /// # Errors
    /// When the machine cannot continue.
    pub fn any_legal_text(&self, role: RoleId) -> Result<Option<String>, MachineError> {
        self.query(|machine, state| {
            let found = machine.any_legal_move(state, role)?;
            Ok(found.map(|played| machine.move_text(role, played)))
        })
    }

    /// Returns the canonical text of a move.
    pub fn move_text(&self, role: RoleId, played: Move) -> String {
        self.query(|machine, _| machine.move_text(role, played))
    }

    /// Returns the legal move of the role that `text` spells, in any form that [`find_text`]
    /// accepts.
    ///
    /// # Errors
    /// [`MachineError::MatchOver`] in a terminal state, [`MachineError::IllegalMove`] if it spells
    /// none, or if the machine cannot continue.
    pub fn find_move(&self, role: RoleId, text: &str) -> Result<Move, MachineError> {
        self.query(|machine, state| {
            if machine.is_terminal(state)? {
                return Err(MachineError::MatchOver);
            }
            let legal = NamedMoves::of(machine, state, role)?;
            match legal.find(text) {
                Some(at) => Ok(legal.moves()[at]),
                None => Err(MachineError::IllegalMove {
                    role: machine.roles()[role.index()].clone(),
                    text: text.to_string(),
                }),
            }
        })
    }

    /// Returns the legal moves that these texts spell, one for each role in role order.
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

    /// Advances to the position after these moves, one for each role in role order.
    ///
    /// # Errors
    /// [`MachineError::JointMove`], [`MachineError::MatchOver`] or [`MachineError::IllegalMove`], or
    /// if the machine cannot continue; the position is then unchanged.
    pub fn play(&mut self, joint: &[Move]) -> Result<(), MachineError> {
        self.state = self.query(|machine, state| machine.next_state(state, joint))?;
        Ok(())
    }

    /// Does the same for moves as text, in any form that [`find_text`] accepts.
    ///
    /// # Errors
    /// As for [`play`](Position::play); the position is unchanged in that case.
    pub fn play_texts(&mut self, joint: &[impl AsRef<str>]) -> Result<(), MachineError> {
        let joint = self.find_joint_move(joint)?;
        self.play_found(&joint)
    }

    /// Advances by a joint move that was [found](Position::find_joint_move) here, so that it is legal.
    pub(crate) fn play_found(&mut self, joint: &[Move]) -> Result<(), MachineError> {
        let mut next = State::new();
        self.query(|machine, state| machine.next_state_unchecked(state, joint, &mut next))?;
        self.state = next;
        Ok(())
    }

    /// Returns what a role perceives of a joint move here: see [`StateMachine::percepts`].
    ///
    /// # Errors
    /// When the machine cannot continue.
    pub fn percepts(&self, joint: &[Move], role: RoleId) -> Result<Vec<String>, MachineError> {
        self.query(|machine, state| machine.percepts(state, joint, role))
    }

    /// Returns the goal of a role; `None` unless it has exactly one value.
    ///
    /// # Errors
    /// When the machine cannot continue.
    pub fn goal(&self, role: RoleId) -> Result<Option<i32>, MachineError> {
        match self.defined_goal(role) {
            Ok(value) => Ok(Some(value)),
            Err(MachineError::Goal { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the goal of a role, which has to have one.
    ///
    /// # Errors
    /// [`MachineError::Goal`] unless it has exactly one value, or when the machine cannot continue.
    pub fn defined_goal(&self, role: RoleId) -> Result<i32, MachineError> {
        self.query(|machine, state| machine.goal(state, role))
    }

    /// Returns the goal of each role; `None` where it does not have exactly one value.
    ///
    /// # Errors
    /// When the machine cannot continue.
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
