//! Move ordering by goal distance, for joint moves of which nothing is known yet.

use propjit_stop::Stop;

use super::steps::Steps;
use crate::game::ground::GroundGame;
use crate::game::vocabulary::moves::RoleId;
use crate::proof::influence::Influence;

/// The number of bits that an order takes.
pub(super) const ORDER_BITS: u32 = 8;

/// The number of propositions times that of moves up to which the distances of a game are found: it
/// takes some tenths of a second.
const MAX_PAIRS: usize = 1 << 20;

/// The distances of a game, unless that takes too long or a stop comes.
pub(super) fn influence(game: &GroundGame, stop: &Stop) -> Option<Influence> {
    let layout = game.layout();
    let pairs = layout.bases.len() * (layout.inputs() - layout.bases.len());
    match pairs <= MAX_PAIRS {
        true => Influence::new(game, stop).ok(),
        false => None,
    }
}

/// By phase and joint move, how early it is tried: the greater, the earlier. It is the move in it
/// that is nearest to its own role's goal that counts, by its [static
/// distance](Influence::to_goal).
pub(super) fn first_order(influence: Option<&Influence>, steps: &Steps) -> Vec<Vec<u64>> {
    let phases = 0..steps.phases();
    let orders = phases.map(|phase| {
        let joints = steps.joints(phase);
        let order = |joint: usize| {
            let joint = joints.joint(joint);
            let moves = (0..).map(RoleId).zip(joint);
            let distances = moves.filter_map(|(role, played)| {
                influence.and_then(|influence| influence.to_goal(role, (role, played)))
            });
            let most = (1 << ORDER_BITS) - 1;
            distances
                .min()
                .map_or(0, |distance| most - u64::from(distance).min(most))
        };
        (0..joints.len()).map(order).collect()
    });
    orders.collect()
}
