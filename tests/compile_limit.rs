//! Commands that do without machine code where that takes too long to make.

use serde_json::Value;

use crate::common::command::{file, own, propjit, stderr};

/// The least time that can be given, which nothing is compiled in.
const NO_TIME: &str = "0.000000001";

/// What a command prints as JSON and what it says, when there is no time to compile.
fn interpreted(args: &[&str]) -> (Value, String) {
    let more = ["--compile-limit", NO_TIME, "--format", "json"];
    let done = propjit(&[args, &more].concat()).success();
    let report = serde_json::from_slice(&done.get_output().stdout).unwrap();
    (report, stderr(done))
}

/// It goes on with the interpreter, and says so.
#[test]
fn every_command_goes_on() {
    let game = own("ticTacToe");
    let two = ["--backend", "compiled", "--against", "lanes"];
    let verify = [&["verify", &game, "--matches", "2"][..], &two].concat();
    for args in [
        &["info", &game][..],
        &["perft", &game, "3", "--backend", "compiled"],
        &["verify", &game, "--against", "auto", "--matches", "2"],
        &verify,
        &["playout", &game, "--count", "100", "--wait"],
        &["analyze", &game, "--playouts", "1000", "--wait"],
    ] {
        let (report, told) = interpreted(args);
        let reason = report["not_compiled"].as_str().unwrap_or_default();
        assert!(
            reason.contains("compiling took longer"),
            "{args:?}: {report}"
        );
        assert!(told.contains("interpreted"), "{args:?}: {told}");
    }
    let (report, told) = interpreted(&["info", &game]);
    assert_eq!(report["backend"], "lanes");
    assert!(told.contains("`--compile-limit`"), "{told}");
    // Two interpreters are compared where one of them stands in for machine code.
    let (report, _) = interpreted(&verify);
    assert_eq!(
        (&report["backend"], &report["against"]),
        (&"scalar".into(), &"lanes".into())
    );
    // What needs no machine code says nothing of it.
    let (report, told) = interpreted(&["info", &game, "--backend", "scalar"]);
    assert!(report["not_compiled"].is_null(), "{report}");
    assert_eq!(told, "");
}

/// Games of a suite are replayed by the interpreter.
#[test]
fn suites_go_on() {
    let game = own("ticTacToe");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("played.jsonl").display().to_string();
    let players = ["--player", "random", "--player", "legal", "--output", &path];
    propjit(&[&["match", &game][..], &players].concat()).success();
    let trace = file(
        &folder,
        "played.json",
        &std::fs::read_to_string(&path).unwrap(),
    );
    let args = ["verify", &game, "--trace", &trace, "--backend", "compiled"];
    let (report, _) = interpreted(&args);
    let row = &report["games"][0];
    assert_eq!(
        (&row["status"], &row["backend"]),
        (&"ok".into(), &"lanes".into())
    );
    let note = row["note"].as_str().unwrap_or_default();
    assert!(note.contains("interpreted"), "{report}");
}
