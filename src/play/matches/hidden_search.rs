//! Play in games that hide information: by a belief, and information-set search.

use std::sync::Arc;

use propjit_stop::Stop;
use serde_json::json;

use super::player::Choice;
use super::player_error::PlayerError;
use crate::game::load::Game;
use crate::game::machine::RoleId;
use crate::search::SearchBudget;
use crate::search::beliefs::Belief;
use crate::search::ismcts::{InformationSetReport, InformationSetSearch};
use crate::support::rng::{GameRng, streams};

/// A search for the moves of a role in a match.
#[derive(Debug)]
pub struct HiddenSearch {
    game: Arc<Game>,
    role: RoleId,
    search: InformationSetSearch,
    /// Draws moves by mixed strategies.
    rng: GameRng,
}

impl HiddenSearch {
    /// A search for a role.
    ///
    /// # Errors
    /// [`PlayerError::NotGround`].
    pub fn new(game: Arc<Game>, role: RoleId, seed: u64) -> Result<HiddenSearch, PlayerError> {
        let engines = game.engines().ok_or(PlayerError::NotGround)?;
        // Playouts use decisive moves as soon as there is code for them.
        game.decisive();
        Ok(HiddenSearch {
            role,
            search: InformationSetSearch::new(engines, role, seed),
            rng: streams(!seed).next().expect("streams do not end"),
            game,
        })
    }

    /// Waits until machine code is ready, or stopped.
    pub fn prepare(&self, stop: &Stop) {
        if let Some(engines) = self.game.engines() {
            engines.wait_or_stop(stop);
        }
    }

    /// Searches by what the role believes.
    pub fn search(&mut self, belief: &Belief, budget: &SearchBudget) -> InformationSetReport {
        if let Err(error) = self.search.run(belief.population(), budget) {
            // There may be a result all the same.
            tracing::warn!(%error, "the search failed");
        }
        self.search.report()
    }

    /// Chooses a move by what the role believes.
    ///
    /// # Errors
    /// When there is no legal move.
    pub fn choose(
        &mut self,
        belief: &mut Belief,
        budget: &SearchBudget,
    ) -> Result<Choice, PlayerError> {
        let (game, role) = (self.game.clone(), self.role);
        let ground = game.ground_game().ok_or(PlayerError::NotGround)?;
        let text = |played| ground.move_text(role, played);
        let legal = belief.legal_moves();
        let first = match &legal[..] {
            [] => return Err(PlayerError::NoMove),
            [only] => return Ok(Choice::new(text(*only))),
            [first, ..] => *first,
        };
        let mut report = self.search(belief, budget);
        report.moves.retain(|of| legal.contains(&of.played));
        let population = belief.population();
        let statistics = json!({
            "value": report.value,
            "iterations": report.iterations,
            "seconds": report.time.as_secs_f64(),
            "belief": {
                "states": population.states(),
                "exact": belief.is_exact(),
                "effective_size": population.effective_size(),
            },
            "strategy": report.moves.iter().take(LISTED).map(|of| json!({
                "move": text(of.played),
                "probability": of.probability,
                "value": of.value,
            })).collect::<Vec<_>>(),
        });
        Ok(Choice {
            text: text(report.draw(&mut self.rng).unwrap_or(first)),
            statistics: Some(statistics),
        })
    }
}

/// How many moves are listed in the statistics of a choice at most.
const LISTED: usize = 8;
