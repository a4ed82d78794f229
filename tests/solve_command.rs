//! The command that solves games and checks certificates.

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
    assert!(stderr(refused).contains("is not valid"));
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
    // Of pennies, the value is known in expected goals; no claim says more than the goals do.
    assert_eq!(words(rows[0]), "a equilibrium");
    assert_eq!(words(rows[1]), "b proved");
    assert_eq!(rows.len(), 2);
    let rows = stdout(propjit(&["solve", &games, "--check", &certificates]).success());
    assert_eq!(words(rows.trim_end()), "b right");
    // A game that is named needs a certificate; and what fails has an element, too.
    let json_of = |args: &[&str]| -> serde_json::Value {
        let failed = propjit(&[args, &["--format", "json"]].concat()).failure();
        serde_json::from_str(&stdout(failed.code(1))).unwrap()
    };
    let [b, wrong] = ["b.kif", "c.kif"].map(|name| folder.path().join(name).display().to_string());
    let tic_tac_toe = own("ticTacToe");
    let checked = json_of(&["solve", &b, &tic_tac_toe, "--check", &certificates]);
    assert_eq!(checked[0]["game"], "b");
    assert_eq!(checked[1]["game"], "ticTacToe");
    let error = checked[1]["error"].as_str().unwrap();
    assert!(error.contains("cannot read"), "{error}");
    let solved = json_of(&["solve", &wrong, &b]);
    assert_eq!(solved[0]["game"], "c");
    let error = solved[0]["error"].as_str().unwrap();
    assert!(error.starts_with("error[unclosed-parenthesis]"), "{error}");
    assert_eq!(solved[1]["verdict"], "proved");
    let rows = json(&["solve", &b, &tic_tac_toe]);
    assert_eq!(rows.as_array().unwrap().len(), 2);
}

#[cfg(target_os = "linux")]
#[test]
fn values_are_told_where_the_certificate_cannot_be_written() {
    let game = own("ticTacToe");
    let args = ["solve", &game, "--certificate", "/dev/full"];
    let failed = propjit(&args).failure().code(1);
    assert!(stdout(failed).contains("\n  x 50, by "));

    let folder = tempfile::tempdir().unwrap();
    let small = file(&folder, "small.kif", &nim([1, 1, 1]));
    std::os::unix::fs::symlink("/dev/full", folder.path().join("ticTacToe.json")).unwrap();
    let certificates = folder.path().display().to_string();
    let args = ["solve", &small, &game, "--certificate", &certificates];
    let failed = propjit(&args).failure().code(1);
    let (rows, told) = (stdout(failed), stderr(propjit(&args).failure()));
    assert_eq!(rows.lines().count(), 2, "{rows}");
    assert!(told.contains("ticTacToe.json"), "{told}");
    let report = propjit(&[&args[..], &["--format", "json"]].concat()).failure();
    let report: serde_json::Value = serde_json::from_str(&stdout(report)).unwrap();
    assert_eq!(report[0]["error"], serde_json::Value::Null);
    assert_eq!(report[1]["verdict"], "proved");
    assert!(
        report[1]["error"]
            .as_str()
            .unwrap()
            .contains("cannot write")
    );
}

/// Paths that are wrong are seen at once, and nothing is lost.
#[test]
fn certificates_take_the_place_of_no_folder_and_no_rulesheet() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display().to_string();
    let rules = nim([1, 1, 1]);
    let game = file(&folder, "game.json", &rules);
    let at_once = |args: &[&str]| propjit(&[args, &["--seconds", "1000"]].concat()).failure();
    let chess = own("chess");
    at_once(&["solve", &chess, "--certificate", &path]).code(1);
    let none = folder.path().join("none").join("c.json");
    let none = none.display().to_string();
    at_once(&["solve", &chess, "--certificate", &none]).code(1);
    at_once(&["solve", &game, "--certificate", &game]).code(2);
    at_once(&["solve", &game, &chess, "--certificate", &path]).code(2);
    propjit(&["info", &game, "--dot", &game]).failure().code(2);
    assert_eq!(std::fs::read_to_string(&game).unwrap(), rules);
}

/// Mixed strategies, as text and JSON.
#[test]
fn games_that_hide_information_have_mixed_strategies() {
    let game = own("kuhnPoker");
    let args = ["solve", &game, "--exploitability", "0.005"];
    let report = json(&args);
    assert_eq!(report["verdict"], "equilibrium");
    assert_eq!(report["roles"][0]["most"], 100);
    let mixed = &report["equilibrium"];
    let of = |what: &str| mixed["values"][0][what].as_f64().unwrap();
    assert!(of("least") < of("value") && of("value") < of("most"));
    assert!(mixed["exploitability"].as_f64().unwrap() <= 0.005);
    assert_eq!(mixed["information_sets"], 12);
    assert!(mixed.get("strategy").is_none());
    let few = ["solve", &game, "--iterations", "3", "--strategy"];
    let report = json(&few);
    let mixed = &report["equilibrium"];
    assert_eq!(mixed["iterations"], 3);
    let strategy = mixed["strategy"].as_array().unwrap();
    assert_eq!(strategy.len(), 12);
    assert_eq!(strategy[0]["moves"].as_array().unwrap().len(), 2);
    let text = stdout(propjit(&few).success());
    for line in [
        "kuhnPoker: equilibrium in ",
        " after 3 iterations; 12 information sets, 55 histories",
        "second, noop: (dealt king); noop: bet",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    let small = ["solve", &own("kriegTicTacToe"), "--memory", "4"];
    let report = json(&small);
    let why = report["no_equilibrium"].as_str().unwrap();
    assert!(why.contains("allow more memory"), "{why}");
    assert_eq!(report["unproved"][0]["why"], "hidden-information");

    // Thirty-two rounds of pennies have few states, and too many histories.
    let folder = tempfile::tempdir().unwrap();
    let steps: String = (0..32).map(|n| format!("(after {n} {})", n + 1)).collect();
    let rounds = format!(
        "(role even) (role odd) (side heads) (side tails) (init (round 0)) {steps} (<= (legal ?r ?s) (role ?r) (side ?s))
         (<= (next (round ?n)) (true (round ?m)) (after ?m ?n)) (<= (next same) (does even ?s) (does odd ?s))
         (<= terminal (true (round 32))) (<= (goal even 100) (true same)) (<= (goal even 0) (not (true same)))
         (<= (goal odd 0) (true same)) (<= (goal odd 100) (not (true same)))"
    );
    let rounds = file(&folder, "rounds.kif", &rounds);
    let report = json(&["solve", &rounds]);
    assert_eq!(report["verdict"], "bounds");
    let why = report["no_equilibrium"].as_str().unwrap();
    assert!(why.contains("histories"), "{why}");
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

/// Goals as great as can be, more of them than fit 16 bits, and more joint moves than fit memory.
#[test]
fn extreme_games_have_true_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let bounds = |name: &str, rules: &str| {
        let game = file(&folder, name, rules);
        let report = json(&["solve", &game, "--seconds", "2", "--memory", "256"]);
        let of = |what| report["roles"][0][what].as_i64().unwrap();
        (of("least"), of("most"))
    };
    let greatest = "(role r) (init s) (<= (legal r (go ?x)) (goal_of ?x ?v)) (<= (next (at ?x)) (does r (go ?x)))
         (goal_of a 2147483647) (goal_of b 20) (goal_of c 10) (<= terminal (true (at ?x)))
         (<= (goal r ?v) (true (at ?x)) (goal_of ?x ?v))";
    assert_eq!(
        bounds("greatest.kif", greatest),
        (2_147_483_647, 2_147_483_647)
    );
    let values: String = (0..65_600)
        .map(|value| format!("(value {value})"))
        .collect();
    let many_goals = format!(
        "(role a) (role b) (init s) {values} (<= (legal a (pick ?v)) (value ?v)) (legal b noop)
         (<= (next (got ?v)) (does a (pick ?v))) (<= terminal (true (got ?v)))
         (<= (goal a ?v) (true (got ?v))) (goal b 0)"
    );
    let (least, most) = bounds("many_goals.kif", &many_goals);
    assert!(least <= 65_599 && most >= 65_599, "{least} to {most}");
    let roles: String = (0..36).map(|role| format!("(role r{role})")).collect();
    let many_roles = format!(
        "{roles} (init (step 0)) (succ 0 1) (succ 1 2) (<= (legal ?r (play ?k)) (role ?r) (move ?k)) (move 0) (move 1)
         (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (<= terminal (true (step 2)))
         (<= (next on) (does r0 (play 1))) (<= (goal r0 100) (true on)) (<= (goal r0 0) (not (true on)))"
    );
    let (least, most) = bounds("many_roles.kif", &many_roles);
    assert!(least <= 100 && most == 100, "{least} to {most}");
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
            vec!["solve", &talk],
            1,
            "this command needs a ground game, and terms grow without end by the rule at ",
        ),
        (
            vec!["solve", &tic_tac_toe, "--backend", "prover"],
            2,
            "omit `--backend prover`",
        ),
        (
            vec!["solve", &tic_tac_toe, "--seconds", "0"],
            2,
            "more than 0",
        ),
        (
            vec!["solve", &tic_tac_toe, "--exploitability", "-1"],
            2,
            "0 or more",
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

/// With chance, roles expect something between what the worst and the best luck brings.
#[test]
fn games_with_chance_have_expected_values() {
    let race = own("diceRace");
    let report = json(&["solve", &race]);
    assert_eq!(report["verdict"], "proved");
    let roles = report["roles"].as_array().unwrap();
    let expected = |role: usize| {
        let expected = &roles[role]["expected"];
        assert_eq!(expected["least"], expected["most"]);
        expected["least"].as_f64().unwrap()
    };
    // One of both wins.
    assert!((expected(0) + expected(1) - 100.0).abs() < 1e-6);
    assert!((60.0..70.0).contains(&expected(0)));
    assert_eq!(
        (&roles[0]["least"], &roles[0]["most"]),
        (&Value::from(0), &Value::from(100))
    );
    assert!(report["line"].as_array().unwrap().is_empty());
    let text = stdout(propjit(&["solve", &race]).success());
    assert!(
        text.contains("first expects 66.23, by states; 0..100 by luck"),
        "{text}"
    );
    // A search that knows all states chooses by expectation, not by the worst luck.
    let analysis = json(&["analyze", &race, "--seconds", "2", "--seed", "1"]);
    let value = analysis["value"].as_f64().unwrap();
    assert!((value - expected(0)).abs() < 0.01, "{value}");
    assert_eq!(
        (&analysis["solved"], &analysis["best"]),
        (&Value::from(true), &Value::from("roll"))
    );
}
