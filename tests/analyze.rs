//! `propjit analyze`: what it says of positions, and of wrong ones.

use serde_json::{Value, json};

use crate::common;
use crate::common::command::{file, json, own, propjit, stderr, stdout};

/// X wins at (1 3).
const WON: &str = "(mark 1 1)|noop; noop|(mark 2 1); (mark 1 2)|noop; noop|(mark 2 2)";
/// X has won.
const OVER: &str = "(mark 1 1)|noop; noop|(mark 2 1); (mark 1 2)|noop; noop|(mark 2 2);
                    (mark 1 3)|noop";

/// A forced move, then a choice between what is worth 30 and what is worth 70.
const FORCED: &str = "
    (role player) (role other) (init (step 0)) (legal other wait)
    (<= (legal player wait) (true (step 0)))
    (<= (legal player low) (true (step 1))) (<= (legal player high) (true (step 1)))
    (<= (next (step 1)) (true (step 0)))
    (<= (next low) (does player low)) (<= (next high) (does player high))
    (<= terminal (true low)) (<= terminal (true high))
    (<= (goal player 30) (true low)) (<= (goal player 70) (true high)) (goal other 0)";

fn best(report: &Value) -> &str {
    report["best"].as_str().unwrap()
}

#[test]
fn json_has_the_result_for_each_move() {
    for backend in ["prover", "scalar", "lanes", "compiled"] {
        let report = json(&[
            "analyze",
            &own("ticTacToe"),
            "--moves",
            WON,
            "--playouts=100000",
            "--backend",
            backend,
        ]);
        assert_eq!(report["role"], "x");
        assert_eq!(report["depth"], 4);
        assert_eq!(best(&report), "(mark 1 3)");
        assert_eq!(report["value"], 100.0);
        assert_eq!(report["solved"], true);
        assert_eq!(report["goals"], Value::Null);
        for number in ["nodes", "playouts", "seed"] {
            assert!(report[number].is_u64(), "{report}");
        }
        assert!(report["seconds"].is_f64());
        let moves = report["moves"].as_array().unwrap();
        assert_eq!(moves.len(), 5);
        let won = &moves[0];
        assert_eq!(won["move"], "(mark 1 3)");
        assert_eq!(won["proof"], "= 100");
        assert_eq!(won["stderr"], Value::Null);
        assert_eq!(won["line"], json!([]));
    }
}

#[test]
fn lines_go_on_from_the_move() {
    let report = json(&["analyze", &own("connectFour"), "--playouts", "20000"]);
    let first = &report["moves"][0];
    assert_eq!(first["move"], report["best"]);
    assert_eq!(first["proof"], Value::Null);
    assert!(first["visits"].as_u64().unwrap() > 0);
    assert!(first["stderr"].as_f64().unwrap() > 0.0);
    assert_eq!(first["line"][0]["role"], "yellow");
    assert!(
        first["line"][0]["move"]
            .as_str()
            .unwrap()
            .starts_with("(drop ")
    );
    // Those that are spared, because it is known what comes of them, are wanted too.
    let playouts = report["playouts"].as_u64().unwrap();
    assert!((15_000..30_000).contains(&playouts), "{playouts}");
}

#[test]
fn people_get_a_table() {
    // All states of this game may be known before the search has begun.
    let game = own("ticTacToe");
    let args = ["analyze", &game, "--moves", WON, "--no-solve", "--plain"];
    let text = stdout(propjit(&args).success());
    let board = "  3 . . .\n  2 x o .\n  1 x o .\n    1 2 3\n\n  (control x)\n";
    let table = text.strip_prefix(board).unwrap_or_else(|| panic!("{text}"));
    assert!(
        table.starts_with("x: (mark 1 3), value 100, proved by tree search\n"),
        "{text}"
    );
    assert_eq!(table.lines().count(), 8, "{text}");
}

/// Minimax has a value or a bound for each move. Learning takes a third of the time.
#[test]
fn minimax_ranks_all_moves() {
    let game = own("breakthroughSmall");
    let args = [
        "analyze",
        &game,
        "--search=minimax",
        "--seconds=9",
        "--seed=1",
    ];
    let report = json(&args);
    assert!(report["minimax"]["depth"].as_u64().unwrap() > 2);
    assert!(report["minimax"]["evaluated"].as_u64() > report["nodes"].as_u64());
    assert_eq!(report["playouts"], 0);
    assert_eq!(report["choice"]["search"], "minimax");
    let moves = report["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 16);
    assert_eq!(moves[0]["move"], report["best"]);
    let value = |of: &Value| of["value"].as_f64().unwrap();
    for of in moves {
        assert!(
            of["depth"].is_u64() && value(of) <= value(&moves[0]),
            "{of}"
        );
    }
    assert!(moves[1..].iter().any(|of| of["is_upper_bound"] == true));
    // Playouts are those of tree search.
    let counted = json(&["analyze", &game, "--search=minimax", "--playouts=2000"]);
    assert_eq!(counted["minimax"], Value::Null);
    assert!(counted["playouts"].as_u64().unwrap() >= 2000);
    let plain = json(&["analyze", &game, "--plain", "--seconds=0.2"]);
    assert_eq!(
        (&plain["choice"], &plain["local"]),
        (&Value::Null, &Value::Null)
    );
}

/// The right way is eight states long; there are 21,845 sequences of moves. The first playout with
/// decisive moves goes that way.
#[test]
fn with_goal_latches_only_the_right_way_is_looked_at() {
    let corridor = own("untwistyCorridor");
    let mut sequences = 1;
    for depth in 1..=7 {
        let text = stdout(propjit(&["perft", &corridor, &depth.to_string()]).success());
        let count = text.split_whitespace().nth(5).unwrap();
        sequences += count.parse::<u32>().unwrap();
    }
    assert_eq!(sequences, 21_845);
    let text = stdout(propjit(&["analyze", &corridor, "--wait", "--format", "json"]).success());
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["solved"], true);
    assert_eq!(report["value"], 100.0);
    assert!(report["nodes"].as_u64().unwrap() <= 8, "{text}");
}

#[test]
fn the_role_has_a_choice_or_is_named_by_the_user() {
    let game = own("ticTacToe");
    let first = "(mark 1 1) | noop";
    let report = json(&["analyze", &game, "--moves", first, "--playouts", "100"]);
    assert_eq!(report["role"], "o");
    // With one legal move, that is what there is to say.
    let report = json(&[
        "analyze",
        &game,
        "--moves",
        first,
        "--role",
        "x",
        "--playouts",
        "100",
    ]);
    assert_eq!(report["role"], "x");
    assert_eq!(best(&report), "noop");
    assert_eq!(report["moves"].as_array().unwrap().len(), 1);
    assert!(report["moves"][0]["visits"].as_u64().unwrap() > 0);
    let told = stderr(
        propjit(&["analyze", &game, "--role", "z"])
            .code(2)
            .stdout(""),
    );
    assert!(
        told.contains("there is no role `z`; the roles are x, o"),
        "{told}"
    );
}

#[test]
fn one_of_several_simultaneous_choices_is_shown() {
    let args = ["analyze", &own("tron"), "--playouts", "1000"];
    let assert = propjit(&args).success();
    let told = stderr(assert);
    assert!(told.contains("red, blue choose at the same time"), "{told}");
    let blue = [&args[..], &["--role", "blue"]].concat();
    assert_eq!(stderr(propjit(&blue).success()), "");
    assert_eq!(json(&blue)["role"], "blue");
}

#[test]
fn forced_moves_are_worth_what_follows() {
    let folder = tempfile::tempdir().unwrap();
    let game = file(&folder, "forced.kif", FORCED);
    for backend in ["prover", "scalar", "compiled"] {
        // Lines are those of the tree, which need not grow where all states are known.
        let args = ["analyze", &game, "--backend", backend, "--no-solve"];
        assert!(stderr(propjit(&args).success()).contains("no player has a choice"));
        let report = json(&args);
        assert_eq!(report["role"], "player");
        assert_eq!(best(&report), "wait");
        assert_eq!(report["value"], 70.0);
        assert_eq!(report["moves"][0]["proof"], "= 70");
        let line = json!([{"role": "player", "move": "high"}]);
        assert_eq!(report["moves"][0]["line"], line);
    }
}

#[test]
fn matches_that_are_over_have_goals() {
    let args = ["analyze", &own("ticTacToe"), "--moves", OVER];
    let text = stdout(propjit(&args).success());
    let end = "the match is over after 5 joint moves\ngoal  100   x\ngoal    0   o\n";
    assert!(text.ends_with(end), "{text}");
    let report = json(&[&args[..], &["--role", "o"]].concat());
    assert_eq!(report["best"], Value::Null);
    assert_eq!(report["value"], 0.0);
    assert_eq!(report["moves"], json!([]));
    let goals = json!([{"role": "x", "goal": 100}, {"role": "o", "goal": 0}]);
    assert_eq!(report["goals"], goals);
}

#[test]
fn roles_without_a_move_have_no_best() {
    let folder = tempfile::tempdir().unwrap();
    let game = file(&folder, "endless.kif", common::ENDLESS);
    for backend in ["prover", "scalar", "compiled"] {
        let args = ["analyze", &game, "--moves", "leave", "--backend", backend];
        let text = stdout(propjit(&args).success());
        assert_eq!(text, "  (at dead-end)\nwalker has no legal move here\n");
        assert_eq!(json(&args)["best"], Value::Null);
    }
}

#[test]
fn games_that_cannot_be_grounded_are_analysed() {
    let folder = tempfile::tempdir().unwrap();
    let game = file(&folder, "talk.kif", common::TALK);
    let moves = "(say bad) | noop; (noop (say bad))";
    let args = ["analyze", &game, "--moves", moves];
    let told = stderr(propjit(&args).success());
    // The rule by which terms grow is named.
    for part in [
        "talk.kif:8: (<= (next (said (then ?w ?x)))",
        "the prover is used instead",
    ] {
        assert!(told.contains(part), "{told}");
    }
    let report = json(&args);
    assert_eq!(best(&report), "(say good)");
    assert_eq!(report["moves"][0]["proof"], "= 100");
    assert_eq!(report["moves"][1]["proof"], "= 0");
}

#[test]
fn histories_come_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let game = own("ticTacToe");
    let history = file(&folder, "good.txt", &WON.replace(';', "\n"));
    let report = json(&[
        "analyze",
        &game,
        "--history",
        &history,
        "--playouts",
        "100000",
    ]);
    assert_eq!(best(&report), "(mark 1 3)");
    let broken = file(
        &folder,
        "broken.txt",
        "(mark 1 1) | noop\n\n(mark 1 2) | noop\n",
    );
    let no_text = folder.path().join("binary");
    std::fs::write(&no_text, b"\xff\xfe").unwrap();
    let no_text = no_text.display().to_string();
    for (path, message) in [
        (
            &broken,
            "broken.txt:3: x may not play `(mark 1 2)` here; legal: noop",
        ),
        (&no_text, "cannot read"),
        (&"no-such-file".to_string(), "cannot read no-such-file"),
    ] {
        let told = stderr(
            propjit(&["analyze", &game, "--history", path])
                .code(1)
                .stdout(""),
        );
        assert!(told.contains(message), "{told}");
    }
    let told = stderr(propjit(&["analyze", "no-such-file.kif"]).code(1));
    assert!(told.contains("no-such-file.kif"), "{told}");
}

#[test]
fn wrong_usage_exits_with_2() {
    let game = own("ticTacToe");
    for wrong in [
        ["--moves=x", "--history=y"],
        ["--seconds=0", "--seed=1"],
        ["--playouts=0", "--seed=1"],
        ["--memory=0", "--seed=1"],
        ["--threads=0", "--seed=1"],
    ] {
        propjit(&["analyze", &game, wrong[0], wrong[1]])
            .code(2)
            .stdout("");
    }
}

/// Where nothing was searched, no move is better than another.
#[test]
fn moves_without_visits_are_no_advice() {
    let args = [
        "analyze",
        &own("breakthrough"),
        "--seconds",
        "0.000001",
        "--seed",
        "1",
    ];
    let text = stdout(propjit(&args).success());
    assert!(
        text.contains("\nwhite: nothing searched in this time"),
        "{text}"
    );
    assert_eq!(json(&args)["best"], Value::Null);
}
