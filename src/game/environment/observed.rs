//! The contents of observations.

use std::sync::Arc;

use super::features::Features;
use crate::game::ground::GroundGame;
use crate::game::machine::RoleId;

/// The contents of observations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Observed {
    /// The state: whether each base proposition holds.
    State,
    /// The state in another arrangement, perhaps as the observing player sees it.
    Features(Arc<Features>),
    /// What the observing player can know where information is hidden: its percepts since it last chose, its percepts
    /// since the match began, and the moves that it has chosen. The first two have an element for each
    /// [percept](propjit_gdl::propnet::Role::percepts) of the player, and are as long for all players as for the one
    /// with the most; the last one has an element for each [action](crate::game::ground::Actions) that may be a choice.
    /// Each is a set: how often something was perceived, and in which order, is not in it.
    Percepts,
}

impl Observed {
    /// Returns the number of elements.
    pub(super) fn elements(&self, game: &GroundGame, players: &[RoleId]) -> usize {
        match self {
            Observed::State => game.layout().bases.len(),
            Observed::Features(features) => features.len(),
            Observed::Percepts => 2 * percepts(game, players) + game.actions().choices(),
        }
    }

    /// Returns whether observations depend on the player who observes.
    pub(super) fn is_relative(&self) -> bool {
        match self {
            Observed::State => false,
            Observed::Features(features) => features.are_relative(),
            Observed::Percepts => true,
        }
    }
}

/// Returns the number of percepts of the player that has the most.
pub(super) fn percepts(game: &GroundGame, players: &[RoleId]) -> usize {
    let percepts = &game.layout().percepts;
    let counts = players.iter().map(|role| percepts[role.index()].len());
    counts.max().unwrap_or(0)
}
