//! Games as state machines: one trait, and a backend per file.
//!
//! | backend | what it is | when |
//! |---|---|---|
//! | [`prover`] | derives everything from the rules, nothing prepared | games that cannot be grounded; the reference |
//! | [`scalar`] | the circuit, one state at a time, only what changed | single states |
//! | [`lanes`] | the circuit, bit-sliced: one bit of each word is a game | many states at a time |
//! | [`compiled`] | the same as machine code | many states at a time, faster |
//!
//! These play one state at a time; [`circuit`] is what the last three share, and [`broadcast`]
//! what the last two do. [`batch`] is for searches: many states of a game in one call, such as
//! all children of a state; `expander` finds those of many, and `expander_team` on several threads.
//! [`saved`] holds states as text.

pub mod batch;
pub mod broadcast;
pub mod circuit;
pub mod compiled;
pub(crate) mod expander;
pub(crate) mod expander_team;
pub mod lanes;
pub mod perft;
pub mod pool;
pub mod prover;
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

/// A way to evaluate a game. See the [module](self) for which is for what.
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

    /// The backend's name on the command line.
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

/// What can go wrong while a game is played.
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
        /// The role that was to play it.
        role: String,
        /// The move.
        text: String,
    },
    /// The state is terminal, so that nobody makes a move there.
    #[error("the match is over: no move is made in a terminal state")]
    MatchOver,
    /// The text is not a move, or not a proposition, of the game.
    #[error(transparent)]
    UnknownName(#[from] UnknownName),
    /// The goal of a role is undefined: it does not have exactly one value.
    #[error("the goal of {role} is undefined: {}", values_text(.values))]
    Goal {
        /// Whose goal it is.
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
    /// The system does not give the memory that was asked for.
    #[error(
        "{what} cannot have {} MiB, as the system does not give that much: ask for less memory or fewer threads",
        .bytes >> 20
    )]
    Memory {
        /// What it is for.
        what: &'static str,
        /// How many bytes it was to be.
        bytes: usize,
    },
    /// A thread that was asked for could not be started.
    #[error(transparent)]
    Thread(#[from] ThreadError),
    /// An [evaluation from outside](crate::search::external) failed.
    #[error("the evaluation of positions failed: {0}")]
    Evaluation(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl MachineError {
    /// Whether there is no answer because the question was [stopped](StateMachine::set_stop).
    pub fn is_stopped(&self) -> bool {
        matches!(self, MachineError::Prover(ProverError::Stopped { .. }))
    }
}

/// Whether the system can provide this many bytes for this.
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
        [] => "no value holds".to_string(),
        _ => format!("the values {values:?} hold together"),
    }
}

/// A game that can be played: what follows from a state, and from moves in it.
///
/// States and moves are numbers of one machine. Machines of the circuit backends
/// agree on them for the same game; a prover numbers what it meets, so its
/// numbers are its own. Between machines they travel as text
/// ([`fluents`](StateMachine::fluents), [`move_text`](StateMachine::move_text)).
///
/// In a terminal state the match is over: nobody has a legal move, though rules often go on to
/// derive some. This is decided here for all backends, by
/// [`legal_moves`](StateMachine::legal_moves) and [`next_state`](StateMachine::next_state); what the
/// rules derive is told by methods whose names end in `_unchecked`, which backends implement.
///
/// Methods take `&mut self` because evaluation needs working memory. Each thread has a machine
/// of its own.
///
/// # Panics
/// Methods may panic when given roles, moves or states of another game.
pub trait StateMachine: Send {
    /// The names of the roles in rulesheet order.
    fn roles(&self) -> &[String];

    /// Sets what ends questions from now on, with an error that
    /// [says so](MachineError::is_stopped). Only the prover's can take long.
    fn set_stop(&mut self, stop: &Stop) {
        let _ = stop;
    }

    /// A legal move of the role, if it has one: the first in their order, unless all of them
    /// take longer to find than one. In a terminal state there is none.
    ///
    /// # Errors
    /// When the machine cannot go on, as when the prover hits a limit.
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

    /// As [`any_legal_move`](StateMachine::any_legal_move), but whether the state is terminal is not
    /// checked.
    ///
    /// # Errors
    /// When the machine cannot go on, as when the prover hits a limit.
    fn any_legal_move_unchecked(
        &mut self,
        state: &State,
        role: RoleId,
    ) -> Result<Option<Move>, MachineError> {
        let mut moves = Vec::new();
        self.legal_moves_unchecked(state, role, &mut moves)?;
        Ok(moves.first().copied())
    }

    /// The state in which every match starts.
    ///
    /// # Errors
    /// When the machine cannot go on, as when the prover hits a limit.
    fn initial_state(&mut self) -> Result<State, MachineError>;

    /// Whether a match ends in the state.
    ///
    /// # Errors
    /// When the machine cannot go on, as when the prover hits a limit.
    fn is_terminal(&mut self, state: &State) -> Result<bool, MachineError>;

    /// Fills `moves` with what the role may play in the state, in the same order each time: nothing
    /// in a terminal state.
    ///
    /// # Errors
    /// When the machine cannot go on, as when the prover hits a limit.
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

    /// Fills `moves` with what the rules derive as legal for the role, in the same order each time.
    /// Whether the state is terminal is not checked; what is derived in a terminal one means nothing.
    ///
    /// # Errors
    /// When the machine cannot go on, as when the prover hits a limit.
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
    /// When the machine cannot go on, as when the prover hits a limit.
    fn goals(
        &mut self,
        state: &State,
        role: RoleId,
        values: &mut Vec<i32>,
    ) -> Result<(), MachineError>;

    /// Makes `next` the state that follows when each role plays its move of
    /// `joint`, in role order. Whether they are legal is not checked; after illegal moves, and
    /// after a terminal state, the next state means nothing.
    ///
    /// # Errors
    /// When the machine cannot go on, as when the prover hits a limit.
    fn next_state_unchecked(
        &mut self,
        state: &State,
        joint: &[Move],
        next: &mut State,
    ) -> Result<(), MachineError>;

    /// How many moves of the role have numbers: all that it ever has, or, where the prover plays,
    /// those that it has met.
    fn move_count(&self, role: RoleId) -> usize;

    /// How many propositions have numbers: all of the game's, or, where the prover plays, those that
    /// it has met.
    fn fluent_count(&self) -> usize;

    /// The canonical text of a move.
    fn move_text(&self, role: RoleId, played: Move) -> String;

    /// The move that `text` spells, with any blanks.
    ///
    /// # Errors
    /// [`UnknownName::Move`] if it spells none. The prover takes any term for a move.
    fn parse_move(&mut self, role: RoleId, text: &str) -> Result<Move, MachineError>;

    /// The canonical texts of the propositions that hold, sorted bytewise.
    fn fluents(&self, state: &State) -> Vec<String>;

    /// The state in which exactly these propositions hold.
    ///
    /// # Errors
    /// [`UnknownName::Fluent`] if one is no proposition of the game. The
    /// prover takes any term for one.
    fn parse_state(&mut self, fluents: &[&str]) -> Result<State, MachineError>;

    /// The state that follows when each role plays its move of `joint`, in role order.
    ///
    /// # Errors
    /// [`MachineError::JointMove`] if there is not one move per role,
    /// [`MachineError::MatchOver`] if the state is terminal, [`MachineError::IllegalMove`] for the
    /// first role whose move is not legal, or when the machine cannot go on.
    fn next_state(&mut self, state: &State, joint: &[Move]) -> Result<State, MachineError> {
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
        let mut next = State::new();
        self.next_state_unchecked(state, joint, &mut next)?;
        Ok(next)
    }

    /// The goal of a role.
    ///
    /// # Errors
    /// [`MachineError::Goal`] unless exactly one value holds, or when the machine cannot go on.
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

    /// The role that plays at random, if the game has one.
    fn random_role(&self) -> Option<RoleId> {
        let at = self.roles().iter().position(|role| role == RANDOM_ROLE)?;
        Some(RoleId(at as u32))
    }
}
