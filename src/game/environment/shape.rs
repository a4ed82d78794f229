//! The sizes of the inputs and outputs of batched environments.

use crate::game::ground::GroundGame;
use crate::game::machine::{RANDOM_ROLE, RoleId};

/// The sizes of the inputs and outputs of batched environments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The number of environments.
    pub environments: usize,
    /// The players: all roles but the one that plays at random.
    pub players: Vec<RoleId>,
    /// The role that plays at random, if there is one: its moves are part of the environment.
    pub random: Option<RoleId>,
    /// The number of base propositions, which are the observation.
    pub propositions: usize,
    /// The number of [actions](GroundGame::actions) that players have.
    pub actions: usize,
    /// The number of them that may be a choice, which come first.
    pub choices: usize,
    /// Whether a step takes an action of each player, which is also the case without players.
    pub joint: bool,
}

impl Shape {
    pub(super) fn new(game: &GroundGame, environments: usize, joint: bool) -> Shape {
        let roles = RoleId::first(game.roles().len()).zip(game.roles());
        let (random, players): (Vec<_>, Vec<_>) = roles.partition(|(_, name)| *name == RANDOM_ROLE);
        let players: Vec<RoleId> = players.into_iter().map(|(role, _)| role).collect();
        Shape {
            environments,
            random: random.first().map(|&(role, _)| role),
            propositions: game.layout().bases.len(),
            actions: game.actions().of_players(),
            choices: game.actions().choices(),
            joint: joint || players.is_empty(),
            players,
        }
    }

    /// Returns the number of actions that a step takes in each environment.
    pub fn actors(&self) -> usize {
        match self.joint {
            true => self.players.len(),
            false => 1,
        }
    }

    /// Returns whether the greatest [arrays](super::Outputs) of these sizes can be addressed.
    pub(super) fn is_addressable(&self) -> bool {
        let floats = self.propositions + self.players.len();
        let integers = self.actors() + 1;
        let flags = self.actors() * self.actions + 2;
        let bytes = floats * size_of::<f32>() + integers * size_of::<i32>() + flags;
        let all = self.environments.checked_mul(bytes);
        all.is_some_and(|all| isize::try_from(all).is_ok())
    }
}
