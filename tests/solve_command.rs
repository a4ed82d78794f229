//! The command that solves games and checks certificates.

#[cfg(unix)]
use std::io::Read as _;
#[cfg(unix)]
use std::process::{Command, Stdio};

#[cfg(unix)]
use serde_json::Value;

use crate::common::TALK;
use crate::common::command::{file, json, own, propjit, stderr, stdout};
use crate::common::solvable::{PENNIES, nim};

#[test]
fn the_command_writes_and_checks_certificates() {
    let folder = tempfile::tempdir().unwrap();
    let certificate = folder.path().join("ticTacToe.json").display().to_string();
    let report = json(&[
        "solve",
        &own("ticTacToe"),
        "--threads",
        "1",
        "--certificate",
        &certificate,
    ]);
    assert_eq!(report["verdict"], "proved");
    assert_eq!(report["roles"][0]["least"], 50);
    assert_eq!(report["roles"][1]["most"], 50);
    assert_eq!(report["complete"], true);
    assert_eq!(report["line"].as_array().unwrap().len(), 9);
    assert_eq!(report["certificate"][0]["least"], 50);

    let right = json(&["solve", &own("ticTacToe"), "--check", &certificate]);
    assert_eq!(right["values"], report["certificate"]);

    let text = std::fs::read_to_string(&certificate).unwrap();
    let changed = text.replacen(r#""least":50"#, r#""least":100"#, 1);
    assert_ne!(text, changed);
    let changed = file(&folder, "changed.json", &changed);
    let refused = propjit(&["solve", &own("ticTacToe"), "--check", &changed])
        .failure()
        .code(1);
    assert!(stderr(refused).contains("refused"));
    // It is about another game.
    let refused = propjit(&["solve", &own("connectFour"), "--check", &certificate])
        .failure()
        .code(1);
    assert!(stderr(refused).contains("a role x"));
}

#[test]
fn several_games_make_a_table() {
    let folder = tempfile::tempdir().unwrap();
    file(&folder, "b.kif", &nim([1, 2, 3]));
    file(&folder, "a.kif", PENNIES);
    file(&folder, "c.kif", "(role r");
    let games = folder.path().display().to_string();
    let certificates = folder.path().join("certificates").display().to_string();
    let table = propjit(&["solve", &games, "--certificate", &certificates])
        .failure()
        .code(1);
    let rows = stdout(table);
    let rows: Vec<&str> = rows.lines().collect();
    let words = |row: &str| row.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    // Of pennies, all is known that is sure; but no claim says more than the goals do.
    assert_eq!(words(rows[0]), "a bounds");
    assert_eq!(words(rows[1]), "b proved");
    assert_eq!(rows.len(), 2);
    let rows = stdout(propjit(&["solve", &games, "--check", &certificates]).success());
    assert_eq!(words(rows.trim_end()), "b right");
    let b = folder.path().join("b.kif").display().to_string();
    let rows = json(&["solve", &b, &own("ticTacToe")]);
    assert_eq!(rows.as_array().unwrap().len(), 2);
}

#[test]
fn limits_leave_bounds() {
    // There is no room for even the first states.
    let report = json(&[
        "solve",
        &own("connectFour"),
        "--memory",
        "1",
        "--seconds",
        "0.5",
        "--threads",
        "1",
    ]);
    assert_eq!(report["complete"], false);
    for role in report["roles"].as_array().unwrap() {
        assert!(role["least"].as_i64() <= role["most"].as_i64());
    }
}

#[test]
#[cfg(unix)]
fn an_interrupt_gives_bounds_so_far() {
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("propjit"))
        .args([
            "solve",
            &own("breakthrough"),
            "--seconds",
            "1000",
            "--memory",
            "100000",
            "--format",
            "json",
        ])
        .env("PROPJIT_LOG", "propjit=debug")
        .env("PROPJIT_CACHE", "off")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The first message comes while the game is loaded, after signals are heeded.
    let mut stderr = child.stderr.take().unwrap();
    stderr.read_exact(&mut [0]).unwrap();
    let drained = std::thread::spawn(move || stderr.read_to_end(&mut Vec::new()));
    std::thread::sleep(std::time::Duration::from_millis(500));
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    let mut result = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut result)
        .unwrap();
    let status = child.wait().unwrap();
    drained.join().unwrap().unwrap();
    // It may have come before the game was loaded, where that took long.
    if status.success() {
        let report: Value = serde_json::from_str(&result).unwrap();
        assert_eq!(report["interrupted"], true);
    } else {
        assert_eq!(status.code(), Some(1));
    }
}

#[test]
fn what_cannot_be_solved_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().display().to_string();
    let text = file(&folder, "text.json", "no certificate");
    let talk = file(&folder, "talk.gdl", TALK);
    let tic_tac_toe = own("ticTacToe");
    for (args, code, says) in [
        (vec!["solve"], 2, "RULESHEETS"),
        (vec!["solve", "nowhere.kif"], 1, "nowhere.kif"),
        (vec!["solve", &empty], 1, "no rulesheet"),
        (
            vec!["solve", &talk, "--setup-limit", "1"],
            1,
            "could not be grounded",
        ),
        (
            vec!["solve", &tic_tac_toe, "--seconds", "0"],
            2,
            "more than 0",
        ),
        (
            vec!["solve", &tic_tac_toe, "--check", &text],
            1,
            "not a certificate",
        ),
        (
            vec!["solve", &tic_tac_toe, "--check", "nowhere.json"],
            1,
            "nowhere.json",
        ),
        (
            vec!["solve", &tic_tac_toe, "--check", &text, "--memory", "1"],
            2,
            "--memory",
        ),
        (
            vec!["solve", &tic_tac_toe, "--certificate", "/nowhere/c.json"],
            1,
            "/nowhere/c.json",
        ),
    ] {
        let error = stderr(propjit(&args).failure().code(code));
        assert!(error.contains(says), "{args:?}: {error}");
    }
}
