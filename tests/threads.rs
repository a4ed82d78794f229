//! What commands do where the system starts no threads.

use crate::common::command::{own, propjit_without_threads, stderr};

/// What a command says that has not died.
fn messages(args: &[&str], code: i32) -> String {
    let told = stderr(propjit_without_threads(args).code(code));
    assert!(!told.contains("panicked"), "{args:?}: {told}");
    told
}

#[test]
fn what_needs_no_threads_goes_on() {
    let game = own("ticTacToe");
    for args in [
        &["info", &game][..],
        &["validate", "--play", "--seconds", "0.1", &game],
        &["perft", &game, "3"],
        &["verify", &game, "--against", "prover", "--matches", "2"],
        &["similarity", &game],
        &["stats", "--seconds", "0.1", &game],
    ] {
        messages(args, 0);
    }
}

/// Where a time limit cannot be kept, nothing is begun.
#[test]
fn time_limits_need_a_thread() {
    let game = own("ticTacToe");
    for command in ["solve", "prove", "facts"] {
        let told = messages(&[command, &game, "--seconds", "1"], 1);
        assert!(
            told.contains("thread for the time limit"),
            "{command}: {told}"
        );
    }
}

#[test]
fn threads_that_were_asked_for_are_an_error() {
    let game = own("ticTacToe");
    for (args, name) in [
        (&["playout", &game, "--threads", "2"][..], "playouts"),
        (&["analyze", &game, "--playouts", "100"], "search"),
        (
            &[
                "tournament",
                &game,
                "--player",
                "random",
                "--player",
                "legal",
            ],
            "job",
        ),
    ] {
        let told = messages(args, 1);
        let error = format!("cannot start the thread `{name}`");
        assert!(told.contains(&error), "{told}");
        assert!(told.contains("fewer threads"), "{told}");
    }
}

#[test]
fn players_without_threads_fail() {
    let game = own("ticTacToe");
    let args = ["match", &game, "--player", "random", "--player", "legal"];
    let told = messages(&args, 1);
    assert!(told.contains("could not be started"), "{told}");
}

#[test]
fn a_server_says_why_it_cannot_listen() {
    let told = messages(&["serve", "--port", "0"], 1);
    assert!(
        told.contains("cannot start the thread `acceptor`"),
        "{told}"
    );
    assert!(!told.contains("with --port"), "{told}");
}
