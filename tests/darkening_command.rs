//! `propjit darkening`: results, messages and exit codes.

use serde_json::Value;

use crate::common::command::{file, json, own, propjit, stderr, stdout};

#[test]
fn each_state_of_a_random_match_has_a_row() {
    let folder = tempfile::tempdir().unwrap();
    let plot = folder.path().join("plot.svg").display().to_string();
    let game = own("connectFour");
    let args = [
        "darkening",
        &game,
        "--seconds",
        "0.01",
        "--seed",
        "2",
        "--plot",
        &plot,
    ];
    let report = json(&args);
    assert_eq!(report["game"], "connectFour");
    assert_eq!(report["interrupted"], false);
    let rows = report["rows"].as_array().unwrap();
    let column =
        |name: &str| -> Vec<f64> { rows.iter().map(|row| row[name].as_f64().unwrap()).collect() };
    // Seven moves at least, and one state for each.
    assert!(rows.len() > 7);
    let depths: Vec<f64> = (0..rows.len()).map(|depth| depth as f64).collect();
    assert_eq!(column("depth"), depths);
    // What is dark remains so, and nothing is at the start.
    let bases = column("dark_bases");
    assert!(bases.is_sorted() && bases[0] < bases[rows.len() - 1]);
    let gates = column("gates");
    assert!(gates[0] <= report["gates"].as_f64().unwrap());
    assert!(gates[rows.len() - 1] < gates[0] / 2.0);
    for name in [
        "whole_rollouts_per_second",
        "dark_rollouts_per_second",
        "speedup",
    ] {
        assert!(column(name).iter().all(|&figure| figure > 0.0), "{name}");
    }
    assert_eq!(report["halfway"], rows[rows.len() / 2]);
    let picture = std::fs::read_to_string(&plot).unwrap();
    assert!(picture.starts_with("<svg") && picture.contains("connectFour"));

    let table = stdout(propjit(&args).success());
    let first = |line: &str| line.split_whitespace().next().map(str::parse::<usize>);
    let rows_shown = table
        .lines()
        .filter(|line| matches!(first(line), Some(Ok(_))));
    assert_eq!(rows_shown.count(), rows.len());
    assert!(table.contains("halfway, after "), "{table}");
}

#[test]
fn the_match_is_as_given() {
    let game = own("ticTacToe");
    let moves = "(mark 1 1) | noop; noop | (mark 2 2)";
    let row_count = |extra: &[&str]| {
        let args = ["darkening", &game, "--seconds", "0.005", "--moves", moves];
        let report = json(&[&args, extra].concat());
        report["rows"].as_array().map(Vec::len).unwrap()
    };
    assert_eq!(row_count(&[]), 3);
    assert!(row_count(&["--random-match"]) >= 5);
    assert_eq!(row_count(&["--random-match", "--max-steps", "4"]), 4);
    let folder = tempfile::tempdir().unwrap();
    // The end is no state to play from.
    let over = "(mark 1 1) | noop\nnoop | (mark 2 2)\n(mark 1 2) | noop\nnoop | (mark 3 3)\n(mark 1 3) | noop\n";
    let history = file(&folder, "match.txt", over);
    let report = json(&[
        "darkening",
        &game,
        "--seconds",
        "0.005",
        "--history",
        &history,
    ]);
    assert_eq!(report["rows"].as_array().unwrap().len(), 5);
    assert_eq!(report["halfway"]["depth"], 2);
    assert_eq!(report["bases"], Value::from(20));
}

#[test]
fn what_cannot_be_measured_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let rules = "(role r) (init (at 0)) (legal r go)
        (<= (next (at (s ?x))) (true (at ?x)))
        (<= terminal (true (at (s (s 0))))) (goal r 100)";
    let endless = file(&folder, "endless.kif", rules);
    let messages = stderr(propjit(&["darkening", &endless, "--setup-limit", "1"]).code(1));
    assert!(messages.contains("needs a ground game"), "{messages}");
    let game = own("ticTacToe");
    let illegal = propjit(&["darkening", &game, "--moves", "noop | noop"]).code(1);
    assert!(stderr(illegal).contains("may not play"));
    let nowhere = folder.path().join("none/plot.svg").display().to_string();
    let unwritable = propjit(&["darkening", &game, "--plot", &nowhere]).code(1);
    assert!(stderr(unwritable).contains("cannot write"));
    propjit(&["darkening", &game, "--seconds", "0"]).code(2);
}
