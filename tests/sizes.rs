//! Sizes that users ask for and the system does not give.

use std::fmt::Write as _;

use propjit::game::load::{Game, Setup};
use propjit::search::mcts::{Mcts, MctsConfig};
use propjit::{Backend, MachineError};

use crate::common::command::{file, own, propjit, propjit_in_memory, stderr};

/// As much memory as options take, and no system gives.
const MUCH: &str = "1073741824";

#[test]
fn memory_that_there_is_not_is_an_error() {
    let game = own("ticTacToe");
    let player = format!("mcts:memory={MUCH}");
    for args in [
        &["analyze", &game, "--memory", MUCH][..],
        &["play", &game, "--memory", MUCH],
        &["solve", &game, "--memory", MUCH],
        &["engine", "--memory", MUCH],
        &["serve", "--port", "0", "--memory", MUCH],
        &["match", &game, "--player", &player, "--player", "random"],
        &["serve", "--port", "0", "--player", &player],
    ] {
        let told = stderr(propjit(args).code(2));
        assert!(told.contains("memory"), "{args:?}: {told}");
        assert!(told.contains(MUCH), "{args:?}: {told}");
        assert!(told.contains("ask for less"), "{args:?}: {told}");
    }
    // Too large for a number of bytes.
    let told = stderr(propjit(&["analyze", &game, "--memory", &u64::MAX.to_string()]).code(2));
    assert!(told.contains("from 1 to"), "{told}");
}

#[test]
fn a_search_tree_that_is_too_large_is_an_error() {
    let game = Game::from_text(
        "t.kif",
        propjit_gdl::games::text("ticTacToe").unwrap(),
        &Setup::default(),
    );
    let config = MctsConfig::default().with_memory(usize::MAX);
    let error = Mcts::new(&game.unwrap(), Backend::Scalar, config).unwrap_err();
    assert!(matches!(error, MachineError::Memory { .. }), "{error}");
}

/// More threads than there is memory for are refused before they are started.
#[cfg(unix)]
#[test]
fn threads_without_memory_for_their_rows_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    // 160,000 propositions, each with rows of 32 bytes at least for now and for the next state.
    let mut rules = String::from("(role r) (init s) (goal r 0) (<= terminal (true e))");
    for number in 0..400 {
        write!(rules, "(n {number}) (legal r {number}) ").unwrap();
    }
    rules += "(<= (next (p ?x)) (does r ?x)) (<= (next (q ?x ?y)) (true (p ?x)) (true (p ?y)) (n ?x) (n ?y)
        (true s)) (<= (next s) (true s)) (<= (next e) (true (q ?x ?x)))";
    let path = file(&folder, "wide.kif", &rules);
    let args = ["playout", &path, "--count", "1", "--threads", "1000"];
    let told = stderr(propjit_in_memory(&args, 4_000_000).code(1));
    assert!(told.contains("for all threads"), "{told}");
    assert!(told.contains("fewer threads"), "{told}");
}

/// Grounding ends before the memory does, and the prover plays.
#[cfg(unix)]
#[test]
fn grounding_ends_where_memory_does() {
    let folder = tempfile::tempdir().unwrap();
    // 27 million ground rules, for which the default limit has room.
    let mut rules = String::from(
        "(role r) (legal r a) (<= (next (p ?x ?y ?z)) (n ?x) (n ?y) (n ?z) (does r a))
        (init s) (<= terminal (not (true s))) (goal r 0)",
    );
    for number in 0..300 {
        write!(rules, "(n {number})").unwrap();
    }
    let path = file(&folder, "large.kif", &rules);
    let args = ["perft", &path, "0", "--setup-limit", "100000"];
    let told = stderr(propjit_in_memory(&args, 250_000).success());
    assert!(told.contains("end of the system's memory"), "{told}");
}
