//! The sizes of the inputs and outputs of batched environments.

use super::observed::Observed;
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
    /// The contents of observations.
    pub observed: Observed,
    /// The number, among the players, of the one who observes, if it is always the same one.
    pub observer: Option<usize>,
    /// The number of elements of an observation.
    pub elements: usize,
    /// The number of [actions](GroundGame::actions) that players have.
    pub actions: usize,
    /// The number of them that may be a choice, which come first.
    pub choices: usize,
    /// Whether a step takes an action of each player.
    pub joint: bool,
}

impl Shape {
    /// Returns the sizes for a number of environments. `joint` says whether a step takes an action of each player.
    pub fn new(game: &GroundGame, environments: usize, joint: bool, observed: Observed) -> Shape {
        let roles = RoleId::first(game.roles().len()).zip(game.roles());
        let (random, players): (Vec<_>, Vec<_>) = roles.partition(|(_, name)| *name == RANDOM_ROLE);
        let players: Vec<RoleId> = players.into_iter().map(|(role, _)| role).collect();
        Shape {
            environments,
            random: random.first().map(|&(role, _)| role),
            elements: observed.elements(game, &players),
            actions: game.actions().of_players(),
            choices: game.actions().choices(),
            joint,
            players,
            observed,
            observer: None,
        }
    }

    /// Returns the sizes with this observer.
    #[must_use]
    pub fn with_observer(self, observer: Option<usize>) -> Shape {
        Shape { observer, ..self }
    }

    /// Returns the number of actions that a step takes in each environment.
    pub fn actors(&self) -> usize {
        match self.joint {
            true => self.players.len(),
            false => 1,
        }
    }

    /// Returns the number of observations of each environment: one, unless several players act, to whom it does not
    /// look alike.
    pub fn observers(&self) -> usize {
        match self.observed.is_relative() && self.observer.is_none() {
            true => self.actors(),
            false => 1,
        }
    }

    /// Returns whether observations depend on what came before the state.
    pub(super) fn has_memory(&self) -> bool {
        self.observed == Observed::Percepts
    }

    /// Returns whether the greatest [arrays](super::Outputs) of these sizes can be addressed.
    pub(super) fn is_addressable(&self) -> bool {
        let floats = self.observers() * self.elements + self.players.len();
        let integers = self.actors() + 1;
        let flags = self.actors() * self.actions + 2;
        let bytes = floats * size_of::<f32>() + integers * size_of::<i32>() + flags;
        let all = self.environments.checked_mul(bytes);
        all.is_some_and(|all| isize::try_from(all).is_ok())
    }
}
