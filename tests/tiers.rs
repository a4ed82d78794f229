//! Playing before machine code is ready, and starting with code from the cache.

use std::sync::Arc;
use std::time::Duration;

use crate::common;
use propjit::Stop;
use propjit::game::engine::{CodeOptions, Engines};
use propjit::game::load::{Game, Setup};
use propjit::game::machine::Backend;
use propjit::game::playout::{self, PlayoutConfig, PlayoutProgress};
use propjit_jit::code::CodeConfig;
use propjit_jit::code::cache::Cache;
use propjit_jit::lanes::Width;

/// One of the project's games, with code options.
fn load(name: &str, code: CodeOptions) -> (Game, Arc<Engines>) {
    let games = common::own_games();
    let (_, path) = games.iter().find(|(own, _)| own == name).unwrap();
    let setup = Setup::default().with_code(code);
    let game = Game::load(path, &setup).unwrap();
    let engines = game.engines().unwrap().clone();
    (game, engines)
}

fn play(game: &Game, rollouts: u64) -> playout::Tally {
    let config = PlayoutConfig::default()
        .with_seed(5)
        .with_max_steps(1000)
        .with_rollouts(Some(rollouts));
    let outcome = playout::run(
        game,
        Backend::Compiled,
        &config,
        &Stop::new(),
        &PlayoutProgress::default(),
    );
    outcome.unwrap().tally
}

/// Which matches are played does not depend on when machine code takes over: never, in
/// the middle, or from the start.
#[test]
fn the_same_matches_before_and_after_compiling() {
    for name in ["connectFour", "reversi"] {
        let never =
            CodeOptions::default().with_config(CodeConfig::best().with_time(Duration::ZERO));
        let (interpreted, engines) = load(name, never);
        let expected = play(&interpreted, 3000);
        engines.for_playouts().wait();
        assert_eq!(engines.for_playouts().code_time(), None);

        let (meanwhile, engines) = load(name, CodeOptions::default());
        assert_eq!(play(&meanwhile, 3000), expected);
        engines.for_playouts().wait();
        assert!(engines.for_playouts().code_time().is_some());
        assert_eq!(play(&meanwhile, 3000), expected);
    }
}

/// Random matches have all lanes that the configuration has, and whatever else there is 256 at
/// most, of the same configuration where that has no more.
#[test]
fn only_random_matches_have_more_than_256_lanes() {
    for config in CodeConfig::supported() {
        let options = CodeOptions::default().with_config(config.clone());
        let (_, engines) = load("ticTacToe", options);
        let width = |engines: &Engines| engines.programs().playout_code().unwrap().width();
        assert_eq!(width(engines.for_playouts()), config.width);
        assert_eq!(width(&engines), config.width.min(Width::X256));
    }
}

/// A game that is loaded again finds its code: other games, and other forms of code, do not.
#[test]
fn code_is_kept_for_the_next_time() {
    let directory = tempfile::tempdir().unwrap();
    let cached = || {
        CodeOptions::default()
            .with_cache(Some(
                Cache::open(directory.path().join("code"), 1 << 20).unwrap(),
            ))
            .with_name("a game".to_string())
    };
    // Code of random steps is made and kept whenever there is time for it.
    let entries = || {
        let listed = cached().cache.unwrap().list().unwrap();
        let mut labels: Vec<String> = listed
            .into_iter()
            .map(|entry| entry.label.unwrap())
            .filter(|label| !label.contains(", steps, "))
            .collect();
        labels.sort();
        labels
    };
    let (game, engines) = load("ticTacToe", cached());
    let compiled = engines.for_playouts().programs().playout_code().unwrap();
    let lanes = compiled.width().lanes();
    assert_eq!(entries(), [format!("a game, playouts, {lanes} lanes")]);
    let expected = play(&game, 1000);

    let (game, engines) = load("ticTacToe", cached());
    let loaded = engines.for_playouts().programs().playout_code().unwrap();
    assert_eq!(loaded.bytes(), compiled.bytes());
    assert_eq!(entries().len(), 1);
    assert_eq!(play(&game, 1000), expected);

    engines.programs().state_code().unwrap();
    load("connectFour", cached())
        .1
        .programs()
        .playout_code()
        .unwrap();
    assert_eq!(entries().len(), 3);
}

/// A damaged entry is replaced silently.
#[test]
fn damaged_code_is_compiled_afresh() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("code");
    // Matches may be over before the code is kept, so ask for the code first.
    let load_compiled = || {
        let code = CodeOptions::default().with_cache(Some(Cache::open(&folder, 1 << 20).unwrap()));
        let (game, engines) = load("ticTacToe", code);
        engines.for_playouts().programs().playout_code().unwrap();
        game
    };
    let game = load_compiled();
    // Before matches are played, for which other code is made.
    let mut entries = std::fs::read_dir(&folder).unwrap();
    let entry = entries.next().unwrap().unwrap().path();
    let expected = play(&game, 1000);
    let good = std::fs::read(&entry).unwrap();
    let mut bad = good.clone();
    *bad.last_mut().unwrap() ^= 1;
    std::fs::write(&entry, &bad).unwrap();
    assert_eq!(play(&load_compiled(), 1000), expected);
    assert_eq!(std::fs::read(&entry).unwrap()[..64], good[..64]);
    assert_ne!(std::fs::read(&entry).unwrap(), bad);
}
