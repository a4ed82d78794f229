//! How much of a game is hidden: the number of states that roles hold possible in random matches.

use std::sync::Arc;

use propjit_stop::Stop;
use rand::RngExt;

use crate::game::load::Game;
use crate::game::machine::{MachineError, Move, RoleId};
use crate::search::beliefs::{Belief, BeliefConfig, Observation};
use crate::support::rng::streams;

/// The number of random matches, and the most joint moves of each.
const MATCHES: usize = 6;
const STEPS: usize = 60;

/// The number of hypotheses of a belief. A role that has had more in a match counts as having this many from then on: what
/// is left of a sample is costly to follow.
const HYPOTHESES: usize = 1024;

/// Returns the median of the effective numbers of states that are possible for a role, over the joint moves of random matches and
/// the roles that do not play at random; 1 in a game that hides nothing. If a stop comes, it is that so far, if anything.
///
/// # Errors
/// When a machine cannot go on.
pub(super) fn typical_uncertainty(
    game: &Arc<Game>,
    seed: u64,
    stop: &Stop,
) -> Result<Option<f64>, MachineError> {
    let backend = game.bulk_backend();
    let engines = game.engines().ok_or(MachineError::NotGround { backend })?;
    let ground = engines.game();
    let roles = || RoleId::first(ground.roles().len());
    let config = BeliefConfig::default()
        .with_hypotheses(HYPOTHESES)
        .with_seed(seed);
    let players: Vec<RoleId> = ground.players().collect();
    let mut sizes = Vec::new();
    for mut rng in streams(seed).take(MATCHES) {
        let mut position = game.start()?;
        let belief = |&role: &RoleId| (role, Belief::new(engines, role, config.clone()));
        let mut beliefs: Vec<(RoleId, Belief)> = players.iter().map(belief).collect();
        for _ in 0..STEPS {
            if stop.is_set() || position.is_over()? {
                break;
            }
            let legal = roles().map(|role| position.legal_moves(role));
            let legal: Vec<Vec<Move>> = legal.collect::<Result<_, _>>()?;
            if legal.iter().any(Vec::is_empty) {
                break;
            }
            let random = |legal: &Vec<Move>| legal[rng.random_range(0..legal.len())];
            let joint: Vec<Move> = legal.iter().map(random).collect();
            for (role, belief) in &mut beliefs {
                if !belief.is_exact() {
                    sizes.push(HYPOTHESES as f64);
                    continue;
                }
                let observed = Observation::of_joint_move(ground, &position, *role, &joint)?;
                // What happens in a match is possible, unless a stop comes.
                if belief.observe(&observed, stop).is_ok() && !stop.is_set() {
                    sizes.push(belief.population().effective_size());
                }
            }
            position.play(&joint)?;
        }
    }
    sizes.sort_by(f64::total_cmp);
    Ok(sizes.get(sizes.len() / 2).copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::load::Setup;

    /// Of dark breakthrough, roles see most; of phantom connect four, next to nothing.
    #[test]
    fn some_games_hide_little() {
        let size = |name: &str| {
            let rules = propjit_gdl::games::text(name).unwrap();
            let game = Game::from_text(name, rules, &Setup::default()).unwrap();
            let found = typical_uncertainty(&Arc::new(game), 1, &Stop::new());
            found.unwrap().unwrap()
        };
        let [little, much] = ["darkBreakthrough", "phantomConnectFour"].map(size);
        assert!(little < 64.0 && much > 500.0, "{little} {much}");
    }
}
