//! Best responses to a strategy.

use super::sequence_form::{Player, SequenceForm};

/// The best that a player can get by a pure strategy.
#[derive(Debug)]
pub(super) struct Response {
    /// The expected gain.
    pub(super) value: f64,
    /// The probability of each sequence by the player's own moves: 0 or 1.
    pub(super) plan: Vec<f64>,
}

/// Returns the best response of a player to the plan of the other one.
pub(super) fn best_response(form: &SequenceForm, player: usize, other: &[f64]) -> Response {
    let mut gains = form.gains(player, other);
    let player: &Player = &form.players[player];
    let mut strategy = vec![0.0; player.sequences()];
    for set in player.sets.iter().rev() {
        let sequences = set.sequences();
        let best = sequences.max_by(|&a, &b| gains[a].total_cmp(&gains[b]));
        let best = best.expect("there are several moves");
        strategy[best] = 1.0;
        gains[set.parent as usize] += gains[best];
    }
    Response {
        value: gains[0],
        plan: player.plan(&strategy),
    }
}
