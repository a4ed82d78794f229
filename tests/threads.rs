//! What commands do where the system starts no threads.

use assert_cmd::assert::Assert;

use crate::common::command::{json, own, propjit_without_threads, stderr};

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

/// What is proved does not depend on threads, nor does what they share out among them.
#[test]
fn the_same_is_found_without_threads() {
    let game = own("ticTacToe");
    let report = |assert: Assert| -> serde_json::Value {
        serde_json::from_slice(&assert.get_output().stdout).unwrap()
    };
    let args = ["solve", &game, "--seconds", "1000", "--threads", "2"];
    let all = [&args[..], &["--format", "json"]].concat();
    let alone = report(propjit_without_threads(&all).success());
    assert_eq!(alone["values"], json(&args)["values"]);
}

#[test]
fn threads_that_were_asked_for_are_an_error() {
    let game = own("ticTacToe");
    for (args, name) in [
        (&["playout", &game, "--threads", "2"][..], "playouts"),
        (&["analyze", &game, "--playouts", "100"], "search"),
        (
            &["match", &game, "--player", "random", "--player", "legal"],
            "job",
        ),
    ] {
        let told = messages(args, 1);
        let error = format!("the thread `{name}` cannot be started");
        assert!(told.contains(&error), "{told}");
        assert!(told.contains("fewer threads"), "{told}");
    }
}

#[test]
fn a_server_says_why_it_cannot_listen() {
    let told = messages(&["serve", "--port", "0"], 1);
    assert!(
        told.contains("the thread `acceptor` cannot be started"),
        "{told}"
    );
    assert!(!told.contains("--port names"), "{told}");
}
