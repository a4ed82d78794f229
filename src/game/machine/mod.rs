//! Games as state machines: one trait, and a backend per file.
//!
//! | backend | description | use |
//! |---|---|---|
//! | [`prover`] | derives everything from the rules, without preparation | games that cannot be grounded; the reference |
//! | [`scalar`] | the circuit, one state at a time, only changes | single states |
//! | [`lanes`] | the circuit, bit-sliced: one bit of each word is a game | many states at a time |
//! | [`compiled`] | the same as machine code | many states at a time, faster |
//!
//! These play one state at a time; [`circuit`] is shared by the last three, and [`broadcast`] by
//! the last two. [`batch`] is for searches: many states of a game in one call, such as all children
//! of a state; [`expansion`] finds the successors of many states, and [`random_batch`] plays random matches.
//! [`saved`] holds states as text.

pub mod batch;
pub mod broadcast;
pub mod circuit;
pub mod compiled;
pub mod expansion;
pub mod lanes;
pub mod perft;
pub mod pool;
pub mod prover;
pub mod random_batch;
pub mod saved;
pub mod scalar;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use propjit_gdl::prover::ProverError;
use propjit_jit::code::CompileError;
use propjit_jit::memory::is_available;
use propjit_stop::Stop;

pub use crate::game::vocabulary::moves::{Move, RANDOM_ROLE, RoleId};
pub use crate::game::vocabulary::state::State;
pub use crate::game::vocabulary::terms::UnknownName;
use crate::support::threads::ThreadError;

/// A way to evaluate a game. See the [module](self) for a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Backend {
    /// The [prover].
    Prover,
    /// The [scalar] interpreter.
    Scalar,
    /// The bit-sliced interpreter over [lanes].
    Lanes,
    /// Bit-sliced machine code: see [compiled].
    Compiled,
}

impl Backend {
    /// All backends.
    pub const ALL: [Backend; 4] = [
        Backend::Prover,
        Backend::Scalar,
        Backend::Lanes,
        Backend::Compiled,
    ];

    /// Returns the backend's name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Prover => "prover",
            Backend::Scalar => "scalar",
            Backend::Lanes => "lanes",
            Backend::Compiled => "compiled",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no backend of this name.
#[derive(Clone, Debug, thiserror::Error)]
#[error("there is no backend `{0}`; there are auto, prover, scalar, lanes and compiled")]
pub struct UnknownBackend(String);

impl FromStr for Backend {
    type Err = UnknownBackend;
    fn from_str(name: &str) -> Result<Backend, UnknownBackend> {
        let mut all = Backend::ALL.into_iter();
        all.find(|backend| backend.name() == name)
            .ok_or_else(|| UnknownBackend(name.to_string()))
    }
}

/// An error while a game is played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MachineError {
    /// A joint move needs one move per role.
    #[error("{given} moves were given for {roles} roles")]
    JointMove {
        /// The number of roles.
        roles: usize,
        /// The number of moves that were given.
        given: usize,
    },
    /// The move is not legal in the state.
    #[error("{role} may not play {text} here")]
    IllegalMove {
        /// The role that should play it.
        role: String,
        /// The move.
        text: String,
    },
    /// The state is terminal, so that no role makes a move there.
    #[error("the match is over: no moves are possible in a terminal state")]
    MatchOver,
    /// The text is not a move, or not a proposition, of the game.
    #[error(transparent)]
    UnknownName(#[from] UnknownName),
    /// The goal of a role is undefined: it does not have exactly one value.
    #[error("the goal of {role} is undefined: {}", values_text(.values))]
    Goal {
        /// The role that has the goal.
        role: String,
        /// The values that hold, ascending: none, or more than one.
        values: Vec<i32>,
    },
    /// The backend needs a ground game, and only the prover can play this game.
    #[error("the {backend} backend needs a ground game, and this one could not be grounded")]
    NotGround {
        /// The backend.
        backend: Backend,
    },
    /// There is no machine code.
    #[error(transparent)]
    Compile(#[from] Arc<CompileError>),
    /// The prover gave up.
    #[error(transparent)]
    Prover(#[from] ProverError),
    /// The system does not provide the requested memory.
    #[error(
        "cannot allocate {} MiB for {what}: use less memory or fewer threads",
        .bytes >> 20
    )]
    Memory {
        /// The purpose of the memory.
        what: &'static str,
        /// The number of bytes.
        bytes: usize,
    },
    /// A requested thread could not be started.
    #[error(transparent)]
    Thread(#[from] ThreadError),
    /// An [external evaluation](crate::search::external) failed.
    #[error("the evaluation of positions failed: {0}")]
    Evaluation(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl MachineError {
    /// Returns whether there is no answer because the query was [stopped](StateMachine::set_stop).
    pub fn is_stopped(&self) -> bool {
        matches!(self, MachineError::Prover(ProverError::Stopped { .. }))
    }
}

/// Checks that the system can provide this many bytes for this purpose.
///
/// # Errors
/// [`MachineError::Memory`] if it does not.
pub(crate) fn check_memory(what: &'static str, bytes: usize) -> Result<(), MachineError> {
    match is_available(bytes) {
        true => Ok(()),
        false => Err(MachineError::Memory { what, bytes }),
    }
}

fn values_text(values: &[i32]) -> String {
    match values {
        [] => "no goal holds".to_string(),
        _ => format!("the goals {values:?} hold together"),
    }
}

/// A playable game: computes legal moves, goals and ends of states, and successors by joint moves.
///
/// States and moves are numbers of one machine. Machines of the circuit backends
/// agree on them for the same game; a prover numbers propositions and moves as it meets them, so
/// its numbers are its own. Between machines they are passed as text
/// ([`fluents`](StateMachine::fluents), [`move_text`](StateMachine::move_text)).
///
/// In a terminal state the match is over: no role has a legal move, though rules often still derive
/// some. This is decided here for all backends, by [`legal_moves`](StateMachine::legal_moves) and
/// [`next_state`](StateMachine::next_state); methods with names that end in `_unchecked`, which
/// backends implement, return what the rules derive.
///
/// Methods take `&mut self` because evaluation needs working memory. Each thread has a machine
/// of its own.
///
/// # Panics
/// Methods may panic when given roles, moves or states of another game.
pub trait StateMachine: Send {
    /// Returns the names of the roles in rulesheet order.
    fn roles(&self) -> &[String];

    /// Sets the token that stops queries from now on, with an error that [says
    /// so](MachineError::is_stopped). Only queries to the prover can take long.
    fn set_stop(&mut self, stop: &Stop) {
        let _ = stop;
    }

    /// Returns a legal move of the role, if it has one: the first in their order, unless finding
    /// all of them takes longer than finding one. In a terminal state there is none.
    ///
    /// # Errors
    /// When the machine cannot continue, as when the prover hits a limit.
    fn any_legal_move(
        &mut self,
        state: &State,
        role: RoleId,
    ) -> Result<Option<Move>, MachineError> {
        match self.is_terminal(state)? {
            true => Ok(None),
            false => self.any_legal_move_unchecked(state, role),
        }
    }

    /// Does the same as [`any_legal_move`](StateMachine::any_legal_move), without checking whether
    /// the state is terminal.
    ///
    /// # Errors
    /// When the machine cannot continue, as when the prover hits a limit.
    fn any_legal_move_unchecked(
        &mut self,
        state: &State,
        role: RoleId,
    ) -> Result<Option<Move>, MachineError> {
        let mut moves = Vec::new();
        self.legal_moves_unchecked(state, role, &mut moves)?;
        Ok(moves.first().copied())
    }

    /// Returns the state in which every match starts.
    ///
    /// # Errors
    /// When the machine cannot continue, as when the prover hits a limit.
    fn initial_state(&mut self) -> Result<State, MachineError>;

    /// Returns whether a match ends in the state.
    ///
    /// # Errors
    /// When the machine cannot continue, as when the prover hits a limit.
    fn is_terminal(&mut self, state: &State) -> Result<bool, MachineError>;

    /// Fills `moves` with the legal moves of the role in the state, in the same order each time:
    /// none in a terminal state.
    ///
    /// # Errors
    /// When the machine cannot continue, as when the prover hits a limit.
    fn legal_moves(
        &mut self,
        state: &State,
        role: RoleId,
        moves: &mut Vec<Move>,
    ) -> Result<(), MachineError> {
        if self.is_terminal(state)? {
            moves.clear();
            return Ok(());
        }
        self.legal_moves_unchecked(state, role, moves)
    }

    /// Fills `moves` with the moves that the rules derive as legal for the role, in the same order
    /// each time. Whether the state is terminal is not checked; in a terminal state the result is
    /// meaningless.
    ///
    /// # Errors
    /// When the machine cannot continue, as when the prover hits a limit.
    fn legal_moves_unchecked(
        &mut self,
        state: &State,
        role: RoleId,
        moves: &mut Vec<Move>,
    ) -> Result<(), MachineError>;

    /// Fills `values` with every goal value of the role that holds in the state, ascending.
    ///
    /// Values that are not 32-bit integers are left out.
    ///
    /// # Errors
    /// When the machine cannot continue, as when the prover hits a limit.
    fn goals(
        &mut self,
        state: &State,
        role: RoleId,
        values: &mut Vec<i32>,
    ) -> Result<(), MachineError>;

    /// Sets `next` to the state that follows when each role plays its move of `joint`, in role
    /// order. Whether they are legal is not checked; after illegal moves, and after a terminal
    /// state, the next state is meaningless.
    ///
    /// # Errors
    /// When the machine cannot continue, as when the prover hits a limit.
    fn next_state_unchecked(
        &mut self,
        state: &State,
        joint: &[Move],
        next: &mut State,
    ) -> Result<(), MachineError>;

    /// Returns the canonical texts of what the role perceives, by `sees` rules, when each role plays its move of `joint` in
    /// the state, sorted bytewise: nothing in games without such rules, in which roles see all. Whether the moves are legal is
    /// not checked.
    ///
    /// # Errors
    /// When the machine cannot continue, as when the prover hits a limit.
    fn percepts(
        &mut self,
        state: &State,
        joint: &[Move],
        role: RoleId,
    ) -> Result<Vec<String>, MachineError> {
        let _ = (state, joint, role);
        Ok(Vec::new())
    }

    /// Returns how many moves of the role have numbers: all that it ever has, or, where the prover
    /// plays, those that it has met.
    fn move_count(&self, role: RoleId) -> usize;

    /// Returns how many propositions have numbers: all of the game's, or, where the prover plays,
    /// those that it has met.
    fn fluent_count(&self) -> usize;

    /// Returns the canonical text of a move.
    fn move_text(&self, role: RoleId, played: Move) -> String;

    /// Returns the move that `text` spells, with any blanks.
    ///
    /// # Errors
    /// [`UnknownName::Move`] if it spells none. The prover takes any term for a move.
    fn parse_move(&mut self, role: RoleId, text: &str) -> Result<Move, MachineError>;

    /// Returns the canonical texts of the propositions that hold, sorted bytewise.
    fn fluents(&self, state: &State) -> Vec<String>;

    /// Returns the state in which exactly these propositions hold.
    ///
    /// # Errors
    /// [`UnknownName::Fluent`] if one is not a proposition of the game. The
    /// prover takes any term for one.
    fn parse_state(&mut self, fluents: &[&str]) -> Result<State, MachineError>;

    /// Checks that the roles can play these moves in the state, one of each in role order.
    ///
    /// # Errors
    /// [`MachineError::JointMove`] if there is not one move per role,
    /// [`MachineError::MatchOver`] if the state is terminal, [`MachineError::IllegalMove`] for the
    /// first role with an illegal move, or when the machine cannot continue.
    fn check_joint_move(&mut self, state: &State, joint: &[Move]) -> Result<(), MachineError> {
        let roles = self.roles().len();
        if joint.len() != roles {
            let given = joint.len();
            return Err(MachineError::JointMove { roles, given });
        }
        if self.is_terminal(state)? {
            return Err(MachineError::MatchOver);
        }
        let mut legal = Vec::new();
        for (role, &played) in RoleId::first(roles).zip(joint) {
            self.legal_moves_unchecked(state, role, &mut legal)?;
            if !legal.contains(&played) {
                return Err(MachineError::IllegalMove {
                    role: self.roles()[role.index()].clone(),
                    text: self.move_text(role, played),
                });
            }
        }
        Ok(())
    }

    /// Returns the state that follows when each role plays its move of `joint`, in role order.
    ///
    /// # Errors
    /// If that is [not possible](StateMachine::check_joint_move), or the machine cannot continue.
    fn next_state(&mut self, state: &State, joint: &[Move]) -> Result<State, MachineError> {
        self.check_joint_move(state, joint)?;
        let mut next = State::new();
        self.next_state_unchecked(state, joint, &mut next)?;
        Ok(next)
    }

    /// Returns the goal of a role.
    ///
    /// # Errors
    /// [`MachineError::Goal`] unless exactly one value holds, or when the machine cannot continue.
    fn goal(&mut self, state: &State, role: RoleId) -> Result<i32, MachineError> {
        let mut values = Vec::new();
        self.goals(state, role, &mut values)?;
        match *values {
            [value] => Ok(value),
            _ => Err(MachineError::Goal {
                role: self.roles()[role.index()].clone(),
                values,
            }),
        }
    }

    /// Returns the role that plays at random, if the game has one.
    fn random_role(&self) -> Option<RoleId> {
        let at = self.roles().iter().position(|role| role == RANDOM_ROLE)?;
        Some(RoleId(at as u32))
    }
}
