//! `propjit similarity` as a process.

use crate::common::command::{file, json, own, propjit, stderr, stdout};

#[test]
fn the_command_compares_histories_and_states() {
    let game = own("ticTacToe");
    let moves = "(mark 1 1) | noop; noop | (mark 1 3); (mark 2 1) | noop";
    let cells = "(cell 3 1 x)(cell 3 2 x) (cell 1 1 o) (control o)";
    let folder = tempfile::tempdir().unwrap();
    let fluents = format!("@{}", file(&folder, "b.txt", cells));
    for state in [cells, &fluents] {
        let args = [
            "similarity",
            &game,
            "--a-moves",
            moves,
            "--b-state",
            state,
            "--measure",
            "sequences",
            "--depth",
            "2",
            "--matches",
            "100",
        ];
        let report = json(&args);
        assert_eq!(report["measure"], "sequences");
        assert!(report["structural"].as_f64().unwrap() > 0.999);
        let pair = serde_json::json!({"a": "(mark 3 1)", "b": "(mark 3 3)", "count": 5});
        let frequent = report["moves"]["frequent"].as_array().unwrap();
        assert!(frequent.contains(&pair), "{frequent:?}");
        let text = stdout(propjit(&args).success());
        assert!(
            text.contains("structural, on that         1.000\n"),
            "{text}"
        );
        assert!(text.contains("     5  (mark 3 1)  (mark 3 3)\n"), "{text}");
    }
    let history = file(&folder, "a.txt", &moves.replace("; ", "\n"));
    let args = [
        "similarity",
        &game,
        "--a",
        &history,
        "--b",
        &history,
        "--b-first",
        "2",
    ];
    let sampled = [
        "--children",
        "3",
        "--seed",
        "1",
        "--matches",
        "0",
        "--measure",
        "tree-edit",
    ];
    let report = json(&[&args[..], &sampled].concat());
    assert_eq!(report["sampled"]["samples"], 10);
    assert_eq!(report["moves"], serde_json::Value::Null);
}

#[test]
fn the_second_position_may_be_of_another_rulesheet() {
    let (game, other) = (own("ticTacToe"), own("nineBoardTicTacToe"));
    let args = ["similarity", &game, "--b-rulesheet", &other, "--b-moves"];
    let moves = "(mark nw se) | noop";
    let report = json(&[&args[..], &[moves]].concat());
    assert_eq!(report["second_game"], "nineBoardTicTacToe");
    assert_eq!(report["similarity"], 0.0);
    let structural = report["structural"].as_f64().unwrap();
    assert!(0.0 < structural && structural < 1.0, "{structural}");
    // Positions are of the game they belong to.
    let error = stderr(propjit(&[&args[..], &["(mark 1 1) | noop"]].concat()).failure());
    assert!(error.contains("(mark 1 1)"), "{error}");
}

#[test]
fn bad_positions_are_named() {
    let game = own("ticTacToe");
    let error = |more: &[&str]| stderr(propjit(&[&["similarity", &game], more].concat()).failure());
    let unknown = error(&["--a-state", "(cell 9 9 x)"]);
    assert!(unknown.contains("(cell 9 9 x)"), "{unknown}");
    let brackets = error(&["--a-state", "(cell 1 1 x"]);
    assert!(brackets.contains("unbalanced parentheses"), "{brackets}");
    let measure = error(&["--measure", "likeness"]);
    assert!(
        measure.contains("there are continuations, sequences and tree-edit"),
        "{measure}"
    );
    let missing = error(&["--b-state", "@nowhere.txt"]);
    assert!(missing.contains("nowhere.txt"), "{missing}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.txt");
    std::fs::write(&path, b"(cell \xff").unwrap();
    let bytes = error(&["--b-state", &format!("@{}", path.display())]);
    assert!(
        bytes.contains("b.txt: not UTF-8 text: byte 0xff at offset 6"),
        "{bytes}"
    );
    let twice = error(&["--a", "-", "--b-state", "@-"]);
    assert!(
        twice.contains("only one of the rulesheets and the positions can be standard input"),
        "{twice}"
    );
    let both = error(&["--a-moves", "", "--a-state", ""]);
    assert!(both.contains("cannot be used with"), "{both}");
}
