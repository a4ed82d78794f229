//! Similarity of positions.

mod dynamics;
mod figures;
mod positions;

use propjit::Stop;
use propjit::game::load::Game;
use propjit::game::machine::State;
use propjit::lab::similarity::{Comparison, Measure, SimilarityConfig};

use crate::common::game;

fn assert_near(found: Option<f64>, expected: f64) {
    let found = found.unwrap();
    assert!((found - expected).abs() < 5e-4, "{found} for {expected}");
}

fn comparison(game: &Game, measure: Measure, depth: usize) -> Comparison {
    let config = SimilarityConfig::default()
        .with_measure(measure)
        .with_depth(depth);
    Comparison::new(game, config, &Stop::new()).unwrap()
}

fn state(game: &Game, fluents: &[&str]) -> State {
    game.ground_game().unwrap().parse_state(fluents).unwrap()
}

/// A counter, and moves that can be made as long as it runs.
fn counting(legal: &str) -> Game {
    game(&format!(
        "(role a) (init (step 0)) (init (at 1))
        (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
        (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
        (<= (next (at ?n)) (does a (go ?n)))
        {legal}
        (<= terminal (true (step 8))) (<= (goal a ?n) (true (at ?n)))"
    ))
}
