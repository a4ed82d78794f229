//! What commands do when Ctrl-C comes.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::thread;

use serde_json::{Value, json};

use crate::common;
use rustix::process::Signal;

use crate::common::command::{file, own, send};

/// A command that was interrupted.
struct Interrupted {
    /// Its exit code.
    code: i32,
    stdout: Vec<u8>,
    /// The lines of its log after the one that was waited for.
    messages: Vec<String>,
}

impl Interrupted {
    /// What it printed as JSON.
    fn report(&self) -> Value {
        let report = serde_json::from_slice(&self.stdout);
        report.unwrap_or_else(|error| panic!("{error}: {:?}", self.messages))
    }
}

/// Interrupts a command after a line of its log that says all of this.
fn interrupted(args: &[&str], says: &[&str]) -> Interrupted {
    signalled(Signal::INT, args, says)
}

/// As [`interrupted`], with a signal.
fn signalled(signal: Signal, args: &[&str], says: &[&str]) -> Interrupted {
    // `tune` writes a profile.
    let settings = tempfile::tempdir().unwrap();
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("propjit"))
        .args(args)
        .arg("-vv")
        .env("PROPJIT_CACHE", "off")
        .env("PROPJIT_CONFIG", settings.path())
        .env_remove("PROPJIT_LOG")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let messages = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut messages = messages.map(Result::unwrap);
    let is_waited_for = |line: String| says.iter().all(|part| line.contains(part));
    assert!(messages.any(is_waited_for), "{args:?}");
    send(child.id(), signal);
    let rest = thread::spawn(move || messages.collect());
    let output = child.wait_with_output().unwrap();
    Interrupted {
        code: output.status.code().unwrap(),
        stdout: output.stdout,
        messages: rest.join().unwrap(),
    }
}

/// Once the rules are parsed, they are ground.
const IS_PARSED: &[&str] = &["set-up stage", "parse"];

const IS_GROUND: &[&str] = &["set-up stage", "circuit"];

/// While a game is ground, which without it would take as long as there is memory.
#[test]
fn grounding_ends() {
    let folder = tempfile::tempdir().unwrap();
    let huge = file(&folder, "huge.kif", common::HUGE);
    let players = ["--player", "mcts"];
    let commands: [(&str, &[&str]); 6] = [
        ("info", &[]),
        ("playout", &[]),
        ("perft", &["3"]),
        ("analyze", &[]),
        ("match", &players),
        ("verify", &["--against", "prover"]),
    ];
    for (command, args) in commands {
        let args = [&[command, &huge, "--setup-limit", "100000"], args].concat();
        let done = interrupted(&args, IS_PARSED);
        assert_eq!(done.code, 1, "{command}: {:?}", done.messages);
        let error = "error: stopped before the game was loaded";
        assert!(
            done.messages.iter().any(|line| line == error),
            "{command}: {:?}",
            done.messages
        );
    }
}

#[test]
fn play_ends_with_the_result_so_far() {
    let game = own("ticTacToe");
    let verify = ["verify", "--against", "prover", "--matches", "100000000"];
    for (command, has_begun) in [
        (&["playout", "--seconds", "1000"][..], "playing"),
        (&["stats", "--seconds", "1000"], "the first match is over"),
        (&["validate", "--play", "--seconds", "1000"], "circuit"),
        (&verify, "comparing"),
    ] {
        let args = [command, &[&game, "--format", "json"]].concat();
        let done = interrupted(&args, &[has_begun]);
        let report = done.report();
        assert_eq!(report["interrupted"], true, "{command:?}: {report}");
        // What is not verified to the end is not verified.
        assert_eq!(done.code == 0, command[0] != "verify", "{command:?}");
    }
}

#[test]
fn an_analysis_tells_what_it_found() {
    let game = own("connectFour");
    let args = ["analyze", &game, "--seconds=1000", "--format=json"];
    let done = interrupted(&args, &["thinking"]);
    let report = done.report();
    assert_eq!(done.code, 0);
    assert_eq!(report["role"], "red");
    assert_eq!(report["moves"].as_array().unwrap().len(), 7);
}

/// All signals that ask for an end are answered in the same way.
#[test]
fn the_end_of_a_terminal_ends_the_work_as_well() {
    let game = own("connectFour");
    for signal in [Signal::TERM, Signal::HUP] {
        let args = ["analyze", &game, "--seconds=1000", "--format=json"];
        let done = signalled(signal, &args, &["thinking"]);
        assert_eq!(done.code, 0, "{signal:?}");
        assert_eq!(done.report()["interrupted"], true, "{signal:?}");
        let args = ["serve", "--port=0"];
        let done = signalled(signal, &args, &["waits for signals"]);
        assert_eq!(done.code, 0, "{signal:?}");
        assert_eq!(done.messages.last().map(String::as_str), Some("stopped"));
    }
}

#[test]
fn solving_gives_bounds_so_far() {
    let game = own("breakthrough");
    let args = ["solve", &game, "--format=json", "--seconds=1000"];
    let done = interrupted(&args, &["solving"]);
    assert_eq!(done.code, 0, "{:?}", done.messages);
    assert_eq!(done.report()["interrupted"], true);
}

#[test]
fn tuning_keeps_the_best_so_far() {
    let game = own("ticTacToe");
    let args = ["tune", &game, "--seconds=1000", "--format=json"];
    // The defaults are ready to be played with: from here on there is a best setting.
    let done = interrupted(&args, &["tuning"]);
    let report = done.report();
    assert_eq!(done.code, 0, "{:?}", done.messages);
    assert_eq!(report["interrupted"], true);
    assert_eq!(report["checks"], json!([]));
    assert_eq!(
        report["written"].is_string(),
        report["best"] != report["defaults"]
    );
}

#[test]
fn first_moves_that_were_counted_are_kept() {
    // After the first move all is over, and after the second one there is no end.
    let folder = tempfile::tempdir().unwrap();
    let rules = "(role a) (init (at 1)) (legal a 1) (legal a 2)
        (<= (next (at 2)) (true (at 1)) (does a 2)) (<= (next (at 2)) (true (at 2)))
        (<= (next (at 3)) (true (at 1)) (does a 1)) (<= terminal (true (at 3))) (goal a 0)";
    let path = file(&folder, "long.kif", rules);
    let args = ["perft", &path, "60", "--divide", "--format", "json"];
    let done = interrupted(&args, &["counted a first move"]);
    assert_eq!(done.code, 0, "{:?}", done.messages);
    let report = done.report();
    assert_eq!(report["interrupted"], true);
    assert_eq!(report["divide"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&report["sequences"], &report["ended"]),
        (&json!(0), &json!(1))
    );
}

/// What was named and not looked at is no success.
#[test]
fn files_that_are_left_out_are_named() {
    let [first, second] = ["breakthrough", "ticTacToe"].map(own);
    for command in [
        &["validate", "--play", "--seconds=1000", "--format=json"][..],
        &["solve", "--seconds=1000"],
    ] {
        let args = [command, &[&first, &second]].concat();
        let done = interrupted(&args, IS_GROUND);
        assert_eq!(done.code, 1, "{command:?}");
        let note = "note: interrupted before these files were processed: ";
        let mut messages = done.messages.iter();
        let named = messages.find_map(|line| line.strip_prefix(note));
        assert_eq!(named, Some(&*second), "{:?}", done.messages);
        if command[0] == "validate" {
            assert_eq!(done.report()["not_checked"], json!([second]));
        }
    }
}
