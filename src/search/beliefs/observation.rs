//! Observations: what a role knows of a joint move.

use crate::game::ground::GroundGame;
use crate::game::machine::{MachineError, Move, RoleId, UnknownName};
use crate::game::position::Position;

/// What a role knows of a joint move.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Observation {
    /// Its own move.
    pub own: Move,
    /// Which of its [percepts](propjit_gdl::propnet::Role::percepts) it had, a bit for each, 64 in a word.
    pub percepts: Box<[u64]>,
    /// Whether the match was over then. A role that is asked for another move knows that it was not.
    pub is_over: bool,
}

impl Observation {
    /// The observation of percepts that are given as texts.
    ///
    /// # Errors
    /// [`UnknownName::Percept`] if the role can never perceive one of them.
    pub fn from_texts(
        game: &GroundGame,
        role: RoleId,
        own: Move,
        percepts: &[impl AsRef<str>],
        is_over: bool,
    ) -> Result<Observation, UnknownName> {
        let known = &game.propnet().roles[role.index()].percepts;
        let mut words = vec![0; known.len().div_ceil(64)];
        for text in percepts {
            let place = game.find_percept(role, text.as_ref())?;
            words[place / 64] |= 1 << (place % 64);
        }
        Ok(Observation {
            own,
            percepts: words.into(),
            is_over,
        })
    }

    /// The observation of a move and percepts that are given as texts. The match is not over then.
    ///
    /// # Errors
    /// If the role can never make the move, or never perceive one of the percepts.
    pub fn parse(
        game: &GroundGame,
        role: RoleId,
        own: &str,
        percepts: &[impl AsRef<str>],
    ) -> Result<Observation, UnknownName> {
        let own = game.parse_move(role, own)?;
        Observation::from_texts(game, role, own, percepts, false)
    }

    /// What a role observes when the roles make these moves in a position of the game. The match is not over then.
    ///
    /// # Errors
    /// When the machine cannot continue.
    pub fn of_joint_move(
        game: &GroundGame,
        position: &Position,
        role: RoleId,
        joint: &[Move],
    ) -> Result<Observation, MachineError> {
        let percepts = position.percepts(joint, role)?;
        let own = joint[role.index()];
        Observation::from_texts(game, role, own, &percepts, false)
            .map_err(MachineError::UnknownName)
    }

    /// Whether the role had a percept.
    pub fn has(&self, percept: usize) -> bool {
        self.percepts[percept / 64] >> (percept % 64) & 1 != 0
    }
}
