//! Rulesheets with random damage: whatever they mean, nothing panics or hangs, and
//! the backends agree on it.

mod common;

use std::time::Duration;

use propjit::game::{Game, Setup};
use propjit::machine::Backend;
use propjit::playout::{Config, Progress, run};
use propjit::rng::{GameRng, streams};
use propjit::stop::Stop;
use propjit::verify::against;
use rand::RngExt;
use rand::seq::IndexedRandom;

/// Small games: damage makes enough of them already.
const GAMES: [&str; 7] = [
    "captureGo",
    "pegTriangle",
    "piglet",
    "pipes",
    "ticTacToe",
    "twistyCorridor",
    "untwistyCorridor",
];

/// Parentheses, names and variables of the text.
fn tokens(text: &str) -> Vec<String> {
    let lines = text
        .lines()
        .map(|line| line.split(';').next().unwrap_or(""));
    let spaced = lines
        .collect::<Vec<_>>()
        .join(" ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    spaced.split_whitespace().map(str::to_string).collect()
}

/// The end of the list or name that starts at a token.
fn end_of(tokens: &[String], start: usize) -> usize {
    let mut depth = 0i64;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        depth += i64::from(token == "(") - i64::from(token == ")");
        if depth <= 0 {
            return at + 1;
        }
    }
    tokens.len()
}

/// Removes, copies or replaces a part of the rules; mostly so that parentheses still match.
fn mutate(tokens: &mut Vec<String>, rng: &mut GameRng) {
    let mut part = |tokens: &[String]| {
        let start = rng.random_range(0..tokens.len());
        start..end_of(tokens, start)
    };
    let (first, second) = (part(tokens), part(tokens));
    let copy = tokens[second.clone()].to_vec();
    match rng.random_range(0..10) {
        0 => drop(tokens.remove(first.start)),
        1..4 => drop(tokens.drain(first)),
        4..6 => drop(tokens.splice(first.start..first.start, copy)),
        _ => drop(tokens.splice(first, copy)),
    }
}

/// Loads and plays the rules as far as they let themselves.
fn exercise(rules: &str, rng: &mut GameRng) {
    let mut setup = Setup::default();
    setup.ground.time = Some(Duration::from_secs(1));
    setup.ground.ground_rules = 20_000;
    setup.prover.steps = 100_000;
    let Ok(game) = Game::from_text("mutated.kif", rules, &setup) else {
        return;
    };
    let stop = Stop::new();
    let config = Config {
        threads: 1,
        seed: rng.random(),
        max_steps: 20,
        time: None,
        rollouts: Some(70),
    };
    let progress = Progress::default();
    if game.ground_game().is_none() {
        // The prover may hit its limits.
        let _ = run(
            &game,
            Backend::Prover,
            &Config {
                rollouts: Some(2),
                ..config
            },
            &stop,
            &progress,
        );
        return;
    }
    run(&game, Backend::Lanes, &config, &stop, &progress).unwrap();
    for backend in [Backend::Scalar, Backend::Lanes] {
        let mut machine = game.machine(backend).unwrap();
        let mut prover = game.machine(Backend::Prover).unwrap();
        if let Ok(compared) = against(&mut *machine, &mut *prover, 3, 20, rng, &stop) {
            assert_eq!(compared.difference, None, "{backend}");
        }
    }
}

#[test]
fn damaged_rulesheets_do_no_damage() {
    let cases = if common::soak() { 20_000 } else { 300 };
    let sheets = GAMES.map(|name| {
        let (_, path) = common::own_games()
            .into_iter()
            .find(|(own, _)| own == name)
            .unwrap();
        tokens(&std::fs::read_to_string(path).unwrap())
    });
    for (case, mut rng) in streams(1).take(cases).enumerate() {
        let mut tokens = sheets.choose(&mut rng).unwrap().clone();
        for _ in 0..rng.random_range(1..6) {
            mutate(&mut tokens, &mut rng);
            if tokens.is_empty() {
                break;
            }
        }
        let rules = tokens.join(" ");
        let result = std::panic::catch_unwind(|| exercise(&rules, &mut rng.clone()));
        assert!(result.is_ok(), "case {case}: {rules}");
    }
}
