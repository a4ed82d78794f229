//! A match in which the person does not see all.

use std::sync::Arc;

use propjit::Stop;
use propjit::game::load::Game;
use propjit::game::machine::RoleId;
use propjit::game::position::History;
use propjit::play::matches::{HiddenRoles, PlayerError};
use propjit::search::SearchBudget;
use propjit::search::chooser::SearchConfig;

use crate::cli::hidden::{Believed, MixedTable, mixed};
use crate::cli::output::{Failure, counted};
use crate::cli::picture::Pictures;

/// What each role knows of the match, and how it chooses.
pub(super) struct Hidden {
    game: Arc<Game>,
    roles: HiddenRoles,
}

impl Hidden {
    pub(super) fn new(game: Arc<Game>, config: SearchConfig) -> Hidden {
        Hidden {
            roles: HiddenRoles::new(game.clone(), config),
            game,
        }
    }

    /// Describes what a role knows.
    pub(super) fn state(
        &mut self,
        history: &History,
        role: RoleId,
        pictures: &Pictures,
    ) -> Result<String, Failure> {
        let belief = self.roles.follow(role, history, &Stop::new());
        let belief = belief.map_err(failure)?;
        let Some(ground) = self.game.ground_game() else {
            return Err(failure(PlayerError::NotGround));
        };
        let known = Believed::new(ground, belief).draw(pictures);
        let moves = counted(history.depth(), "joint move", "joint moves");
        Ok(format!("\nafter {moves} you know:\n{known}"))
    }

    /// Chooses a move for a role of the machine.
    pub(super) fn choose(
        &mut self,
        history: &History,
        role: RoleId,
        budget: &SearchBudget,
    ) -> Result<String, Failure> {
        let followed = self.roles.follow(role, history, &budget.stop).map(drop);
        let chosen = followed.and_then(|()| self.roles.choose(role, budget));
        Ok(chosen.map_err(failure)?.text)
    }

    /// The moves of a role that a search likes, as a table.
    pub(super) fn hint(
        &mut self,
        history: &History,
        role: RoleId,
        budget: &SearchBudget,
        most: usize,
    ) -> Result<String, Failure> {
        let followed = self.roles.follow(role, history, &budget.stop).map(drop);
        let report = followed.and_then(|()| self.roles.search(role, budget));
        let report = report.map_err(failure)?;
        let Some(ground) = self.game.ground_game() else {
            return Err(failure(PlayerError::NotGround));
        };
        let moves = mixed(ground, role, &report.strategy);
        let moves = &moves[..moves.len().min(most)];
        Ok(MixedTable { moves, most }.to_string())
    }
}

fn failure(error: PlayerError) -> Failure {
    Failure::Work(error.to_string())
}
