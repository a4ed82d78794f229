//! Factors of public games, compared with the whole.

use std::time::Duration;

use propjit::Stop;
use propjit::game::load::{Game, Setup};
use propjit::proof::factors::Factors;

use crate::common::{rulesheets, shared, soak};

/// Small games that fall into several parts.
const FACTORED: [&str; 7] = [
    "asteroidsParallel",
    "blockerParallel",
    "blocksWorldParallel",
    "incredible",
    "lightsOnParallel",
    "nim1",
    "ticTacToeParallel",
];

/// 1,000 steps of small games; with `PROPJIT_SOAK=1` 100,000 steps of each public game, but not longer
/// than 20 s.
#[test]
fn parts_of_public_games_are_what_they_are_said_to_be() {
    let Some(shared) = shared() else {
        return;
    };
    let steps = if soak() { 100_000 } else { 1_000 };
    let mut factored = 0;
    for (name, path) in rulesheets(&shared.join("games")) {
        if !soak() && !FACTORED.contains(&name.as_str()) {
            continue;
        }
        let stop = Stop::new().within(Duration::from_secs(20));
        let setup = Setup::default().with_stop(stop.clone());
        let Ok(game) = Game::load(&path, &setup) else {
            continue;
        };
        let Some(ground) = game.ground_game() else {
            continue;
        };
        let Ok(factors) = Factors::find(ground, &stop) else {
            continue;
        };
        let stop = Stop::new().within(Duration::from_secs(20));
        let checked = factors.check(ground, steps, 1, &stop);
        let checked = checked.unwrap_or_else(|difference| panic!("{name}: {difference}"));
        eprintln!(
            "{name}: {} parts, {} steps",
            factors.parts.len(),
            checked.steps
        );
        let relevant = factors.parts.iter().filter(|part| part.is_relevant());
        factored += usize::from(relevant.count() > 1 && checked.comparisons > 0);
    }
    assert!(factored >= FACTORED.len(), "{factored}");
}
