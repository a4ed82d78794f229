//! Choices of moves in games that hide information.

use serde_json::json;

use super::player::Choice;
use super::player_error::PlayerError;
use crate::game::ground::GroundGame;
use crate::game::machine::RoleId;
use crate::search::SearchBudget;
use crate::search::beliefs::Belief;
use crate::search::hidden::HiddenSearch;

/// How many moves are listed in the statistics of a choice at most.
const LISTED: usize = 8;

/// Chooses a move of a role by what it believes.
///
/// # Errors
/// When there is no legal move.
pub(crate) fn choose(
    ground: &GroundGame,
    role: RoleId,
    belief: &mut Belief,
    search: &mut HiddenSearch,
    budget: &SearchBudget,
) -> Result<Choice, PlayerError> {
    let text = |played| ground.move_text(role, played);
    let legal = belief.legal_moves();
    let first = match &legal[..] {
        [] => return Err(PlayerError::NoMove),
        [only] => return Ok(Choice::new(text(*only))),
        [first, ..] => *first,
    };
    let mut report = match search.run(belief, budget) {
        Ok(report) => report,
        Err(error) => {
            tracing::warn!(%error, "the search failed");
            return Ok(Choice::new(text(first)));
        }
    };
    report
        .strategy
        .moves
        .retain(|of| legal.contains(&of.played));
    let population = belief.population();
    let statistics = json!({
        "method": report.method,
        "value": report.strategy.value,
        "iterations": report.strategy.iterations,
        "seconds": report.strategy.time.as_secs_f64(),
        "belief": {
            "states": population.states(),
            "exact": belief.is_exact(),
            "effective_size": population.effective_size(),
        },
        "strategy": report.strategy.moves.iter().take(LISTED).map(|of| json!({
            "move": text(of.played),
            "probability": of.probability,
            "value": of.value,
        })).collect::<Vec<_>>(),
    });
    Ok(Choice {
        text: text(search.draw(&report).unwrap_or(first)),
        statistics: Some(statistics),
    })
}
