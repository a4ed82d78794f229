//! Shared games with machines for all threads, for bindings to other languages.

use std::fmt;
use std::sync::Arc;

use propjit_stop::Stop;

use super::{Game, LoadError, Setup};
use crate::game::ground::GroundGame;
use crate::game::machine::pool::MachinePool;
use crate::game::machine::{MachineError, Move, RoleId, State, StateMachine};

/// A game with the [`MachinePool`] that answers queries about it, for callers with unchecked
/// numbers. Background work ends when it is dropped.
pub struct SharedGame {
    game: Arc<Game>,
    machines: Arc<MachinePool>,
    stop: Stop,
}

/// The reason why a query about a shared game has no answer.
#[derive(Debug, thiserror::Error)]
pub enum QuestionError {
    /// The game has no role of this number.
    #[error("there is no role {role} of {roles}")]
    Role {
        /// The number.
        role: i64,
        /// The number of roles.
        roles: usize,
    },
    /// No move of the role has this number.
    #[error("there is no move {0}")]
    Move(i64),
    /// No action has this number.
    #[error("there is no action {0}")]
    Action(i64),
    /// The role does not have the move that the action is.
    #[error("{role} does not have the move {text} of action {action}")]
    OthersAction {
        /// The name of the role.
        role: String,
        /// The number of the action.
        action: usize,
        /// The text of the move.
        text: String,
    },
    /// A role that is to play its only legal move does not have exactly one.
    #[error("{role} has {legal} legal moves: pass the action of one of them")]
    NotForced {
        /// The name of the role.
        role: String,
        /// The number of its legal moves.
        legal: usize,
    },
    /// No proposition has this number.
    #[error("there is no proposition {0}")]
    Fluent(i64),
    /// No percept of the role has this number.
    #[error("{role} has no percept {percept}")]
    Percept {
        /// The name of the role.
        role: String,
        /// The number.
        percept: i64,
    },
    /// The role plays at random.
    #[error("{0} plays at random and observes nothing")]
    NoPlayer(String),
    /// Only a ground game has this.
    #[error("{0} need a ground game, and this one could not be grounded")]
    NotGround(&'static str),
    /// The machine failed.
    #[error(transparent)]
    Machine(#[from] MachineError),
}

impl SharedGame {
    /// Creates it with the game that `load` makes from the set-up passed to it.
    ///
    /// # Errors
    /// When it cannot be loaded, or its rules cannot be evaluated.
    pub fn load<E: From<LoadError> + From<MachineError>>(
        load: impl FnOnce(&Setup) -> Result<Game, LoadError>,
    ) -> Result<SharedGame, E> {
        let stop = Stop::new();
        let game = load(&Setup::default().with_stop(stop.clone()))?;
        Ok(SharedGame {
            machines: game.machines()?.clone(),
            game: Arc::new(game),
            stop,
        })
    }

    /// Returns the game.
    pub fn game(&self) -> &Arc<Game> {
        &self.game
    }

    /// Returns the names of the roles.
    pub fn role_names(&self) -> &[String] {
        self.machines.roles()
    }

    /// Queries a machine of the game.
    ///
    /// # Errors
    /// When the query fails.
    pub fn query<T>(
        &self,
        question: impl FnOnce(&mut dyn StateMachine) -> Result<T, MachineError>,
    ) -> Result<T, MachineError> {
        self.machines.query(self.machines.stop(), question)
    }

    /// Returns the role of this number.
    ///
    /// # Errors
    /// If there is none.
    pub fn role(&self, role: impl Into<i64>) -> Result<RoleId, QuestionError> {
        let (role, roles) = (role.into(), self.role_names().len());
        let found = below(roles, role).map(RoleId);
        found.ok_or(QuestionError::Role { role, roles })
    }

    /// Returns the number among the [players](Game::players) of the role of this number.
    ///
    /// # Errors
    /// If there is no such role, or it plays at random.
    pub fn player(&self, role: impl Into<i64>) -> Result<usize, QuestionError> {
        let role = self.role(role)?;
        let player = self.game.players().position(|player| player == role);
        player.ok_or_else(|| QuestionError::NoPlayer(self.role_name(role)))
    }

    fn role_name(&self, role: RoleId) -> String {
        self.role_names()[role.index()].clone()
    }

    /// Returns the game as network and circuit, which `what` needs.
    ///
    /// # Errors
    /// If only the prover can play it.
    pub fn ground(&self, what: &'static str) -> Result<&Arc<GroundGame>, QuestionError> {
        let ground = self.game.ground_game();
        ground.ok_or(QuestionError::NotGround(what))
    }

    /// Returns the role's move of this number.
    ///
    /// # Errors
    /// If [no move](StateMachine::move_count) has it.
    pub fn move_of(&self, role: RoleId, played: impl Into<i64>) -> Result<Move, QuestionError> {
        self.query(|machine| Ok(move_of(machine, role, played.into())))?
    }

    /// Returns the [action](crate::game::ground::Actions) of this number.
    ///
    /// # Errors
    /// If there is none, or only the prover can play the game.
    pub fn action(&self, action: impl Into<i64>) -> Result<usize, QuestionError> {
        let action = action.into();
        let count = self.ground("actions")?.actions().len();
        let found = below(count, action).map(|found| found as usize);
        found.ok_or(QuestionError::Action(action))
    }

    /// Returns the [action](crate::game::ground::Actions) that the role's move of this number is.
    ///
    /// # Errors
    /// If no move has it, or only the prover can play the game.
    pub fn action_of(&self, role: RoleId, played: impl Into<i64>) -> Result<usize, QuestionError> {
        let ground = self.ground("actions")?;
        let played = self.move_of(role, played)?;
        Ok(ground.actions().of(role, played))
    }

    /// Returns the move of the role that an action is.
    ///
    /// # Errors
    /// If there is no such action, the role does not have the move, or only the prover can play the
    /// game.
    pub fn played(&self, role: RoleId, action: impl Into<i64>) -> Result<Move, QuestionError> {
        let action = self.action(action)?;
        let ground = self.ground("actions")?;
        let played = ground.actions().played(role, action);
        played.ok_or_else(|| QuestionError::OthersAction {
            role: self.role_name(role),
            action,
            text: ground.action_text(action),
        })
    }

    /// Returns the proposition of this number.
    ///
    /// # Errors
    /// If [no proposition](StateMachine::fluent_count) has it.
    pub fn fluent(&self, fluent: impl Into<i64>) -> Result<usize, QuestionError> {
        let fluent = fluent.into();
        let count = self.query(|machine| Ok(machine.fluent_count()))?;
        let found = below(count, fluent).map(|found| found as usize);
        found.ok_or(QuestionError::Fluent(fluent))
    }

    /// Returns the canonical text of the role's [percept](propjit_gdl::propnet::Role::percepts) of this number.
    ///
    /// # Errors
    /// If none has it, or only the prover can play the game.
    pub fn percept_text(
        &self,
        role: RoleId,
        percept: impl Into<i64>,
    ) -> Result<String, QuestionError> {
        let percept = percept.into();
        let net = self.ground("numbers of percepts")?.propnet();
        let percepts = &net.roles[role.index()].percepts;
        let found = below(percepts.len(), percept).map(|found| &percepts[found as usize]);
        let found = found.ok_or_else(|| QuestionError::Percept {
            role: self.role_name(role),
            percept,
        })?;
        Ok(net.terms.text(found.name))
    }

    /// Returns the canonical texts of what a role perceives of a joint move in a state.
    ///
    /// # Errors
    /// If the move is [not possible](StateMachine::check_joint_move), or the machine cannot continue.
    pub fn percepts(
        &self,
        state: &State,
        joint: &[Move],
        role: RoleId,
    ) -> Result<Vec<String>, MachineError> {
        self.query(|machine| {
            machine.check_joint_move(state, joint)?;
            machine.percepts(state, joint, role)
        })
    }

    /// Returns the joint move of these [actions](crate::game::ground::Actions) in a state, one of each role. Where the
    /// number is negative, the role plays its only legal move. Whether others are legal is not checked.
    ///
    /// # Errors
    /// If there are more or fewer actions than roles, the match is over, a role does not have the move that its action
    /// is, one without an action has a choice, or only the prover can play the game.
    pub fn joint_of_actions(
        &self,
        state: &State,
        actions: &[i32],
    ) -> Result<Vec<Move>, QuestionError> {
        let (roles, given) = (self.role_names().len(), actions.len());
        if given != roles {
            return Err(MachineError::JointMove { roles, given }.into());
        }
        let mut legal = Vec::new();
        let mut joint = Vec::with_capacity(roles);
        for (role, &action) in RoleId::first(roles).zip(actions) {
            if action >= 0 {
                joint.push(self.played(role, action)?);
                continue;
            }
            self.query(|machine| match machine.is_terminal(state)? {
                true => Err(MachineError::MatchOver),
                false => machine.legal_moves_unchecked(state, role, &mut legal),
            })?;
            match legal[..] {
                [forced] => joint.push(forced),
                _ => {
                    return Err(QuestionError::NotForced {
                        role: self.role_name(role),
                        legal: legal.len(),
                    });
                }
            }
        }
        Ok(joint)
    }

    /// Returns the actions that are a role's legal moves in a state, ascending.
    ///
    /// # Errors
    /// If only the prover can play the game, or the machine cannot continue.
    pub fn legal_actions(&self, state: &State, role: RoleId) -> Result<Vec<u32>, QuestionError> {
        let ground = self.ground("actions")?;
        let mut moves = Vec::new();
        self.query(|machine| machine.legal_moves(state, role, &mut moves))?;
        let actions = moves
            .iter()
            .map(|&played| ground.actions().of(role, played));
        let mut actions: Vec<u32> = actions.map(|action| action as u32).collect();
        actions.sort_unstable();
        Ok(actions)
    }

    /// Returns the joint move of these numbers, one of each role.
    ///
    /// # Errors
    /// If there are more or fewer of them, or [no move](StateMachine::move_count) of a role has its
    /// number.
    pub fn joint_move(&self, moves: &[u32]) -> Result<Vec<Move>, QuestionError> {
        let (roles, given) = (self.role_names().len(), moves.len());
        if given != roles {
            return Err(MachineError::JointMove { roles, given }.into());
        }
        let moves = RoleId::first(roles).zip(moves);
        self.query(|machine| {
            let moves = moves.map(|(role, &played)| move_of(machine, role, played.into()));
            Ok(moves.collect())
        })?
    }
}

impl Drop for SharedGame {
    fn drop(&mut self) {
        self.stop.set();
    }
}

impl fmt::Debug for SharedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedGame")
            .field("game", &self.game)
            .finish_non_exhaustive()
    }
}

/// Returns the role's move of this number, if the machine knows any.
fn move_of(machine: &dyn StateMachine, role: RoleId, played: i64) -> Result<Move, QuestionError> {
    let found = below(machine.move_count(role), played).map(Move);
    found.ok_or(QuestionError::Move(played))
}

/// Returns the number, if it is one of the first `count` from 0.
fn below(count: usize, number: i64) -> Option<u32> {
    let number = u32::try_from(number).ok()?;
    ((number as usize) < count).then_some(number)
}
