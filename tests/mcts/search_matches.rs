//! Matches between a search with an evaluation and one without.

use std::time::Duration;

use propjit::Stop;
use propjit::game::engine::MatchEngines;
use propjit::search::learned::{Heuristic, HeuristicConfig, SearchMatch, Trust, TrustedEvaluation};
use propjit::search::mcts::play_search_match;

use crate::common::own_game;

/// The engines of a game, and what is learned in the given number of rounds.
fn learned(name: &str, rounds: u32) -> (MatchEngines, TrustedEvaluation) {
    let game = own_game(name);
    let engines = MatchEngines::new(game.engines().unwrap().clone());
    // What is played depends on how many lanes there are.
    engines.wait();
    let config = HeuristicConfig::default()
        .with_time(Duration::from_secs(600))
        .with_rounds(Some(rounds));
    let learned = Heuristic::learn(&game, &engines, &config, &Stop::new()).unwrap();
    let evaluation = learned.evaluation.expect("the game has one");
    let trust = Trust::Full;
    (engines, TrustedEvaluation { evaluation, trust })
}

/// What comes of a match.
fn play((engines, evaluation): &(MatchEngines, TrustedEvaluation), number: u64) -> f32 {
    let one = SearchMatch {
        engines,
        evaluation,
        number,
        seed: 1,
    };
    let result = play_search_match(&one, &Stop::new()).unwrap();
    result.expect("there was time")
}

/// In breakthrough, searches with what was learned win nearly all matches, whichever role they have.
#[test]
fn a_good_evaluation_wins() {
    let learned = learned("breakthroughSmall", 10);
    let won: f32 = (0..10).map(|number| play(&learned, number)).sum();
    assert!(won >= 8.0, "{won} of 10");
}

/// Games of three and four roles and those with decisions at once are played to the end, too, and the same match
/// ends the same way.
#[test]
fn matches_of_more_roles_and_with_decisions_at_once_end() {
    for name in ["threePlayerTicTacToe", "fourPlayerHalma", "tron"] {
        let learned = learned(name, 1);
        for number in 0..3 {
            let score = play(&learned, number);
            assert!((0.0..=1.0).contains(&score), "{name}: {score}");
            assert_eq!(play(&learned, number), score, "{name}");
        }
    }
}

#[test]
fn a_stop_ends_a_match_without_a_result() {
    let (engines, evaluation) = learned("breakthroughSmall", 1);
    let (engines, evaluation) = (&engines, &evaluation);
    let stop = Stop::new();
    stop.set();
    for (number, seed) in [(0, 0), (1, u64::MAX)] {
        let one = SearchMatch {
            engines,
            evaluation,
            number,
            seed,
        };
        assert_eq!(play_search_match(&one, &stop).unwrap(), None);
    }
}
