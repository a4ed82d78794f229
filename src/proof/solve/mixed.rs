//! Mixed strategies where roles see all, but move at the same time.

use propjit_stop::Stop;

use crate::game::ground::GroundGame;
use crate::game::load::Game;
use crate::proof::regret::{Equilibrium, RegretConfig, RegretError, RegretProgress, minimise};

use super::expectation::is_in_turns;
use super::graph::{Edge, Graph};

/// Returns whether all states are known, and several roles but chance decide at the same time in some.
pub(super) fn are_useful(game: &GroundGame, graph: &Graph) -> bool {
    graph.is_complete() && !is_in_turns(game, graph)
}

/// Returns mixed strategies for a game with these states, by [regret minimisation](crate::proof::regret).
pub(super) fn search(
    game: &Game,
    graph: &Graph,
    config: &RegretConfig,
    stop: &Stop,
    progress: &RegretProgress,
) -> Result<Equilibrium, RegretError> {
    // There may be far more histories than states: their number is known before they are enumerated.
    let histories = histories(graph);
    match histories > config.max_histories(game) {
        true => Err(RegretError::TooMany {
            histories,
            memory: config.memory,
        }),
        false => minimise(game, config, stop, progress),
    }
}

/// Returns how many histories lead to states that are not terminal; 0 if that does not follow from the order of the states.
fn histories(graph: &Graph) -> f64 {
    if !graph.is_graded() {
        return 0.0;
    }
    let mut counts = vec![0.0; graph.len()];
    counts[0] = 1.0;
    for at in 0..graph.len() {
        for edge in graph.edges(at) {
            if let Edge::State(next) = edge {
                counts[next] += counts[at];
            }
        }
    }
    counts.iter().sum()
}
