//! `propjit facts` as a process.

use crate::common::command::{file, json, own, propjit, stderr, stdout};

#[test]
fn the_command_tells_facts_in_the_words_of_the_rulesheet() {
    let report = json(&[
        "facts",
        &own("untwistyCorridor"),
        "--seconds",
        "20",
        "--seed",
        "1",
    ]);
    assert_eq!(report["game"], "untwistyCorridor");
    assert_eq!(report["seed"], 1);
    assert_eq!(report["goal_latches"][0]["literal"], "p");
    assert_eq!(report["goal_latches"][0]["goals"], serde_json::json!([100]));
    let latches = report["latches"].as_array().unwrap();
    let p = latches
        .iter()
        .find(|latch| latch["literal"] == "p")
        .unwrap();
    assert_eq!(p["method"], "structural");

    let text = stdout(propjit(&["facts", &own("ticTacToe"), "--seed", "1"]).success());
    assert!(
        text.contains("latch           (cell 2 2 x)  [structural]\n"),
        "{text}"
    );

    let drawn = &["facts", &own("untwistyCorridor"), "--format", "dot"];
    let dot = stdout(propjit(drawn).success());
    assert!(
        dot.starts_with("digraph facts {\n") && dot.ends_with("}\n"),
        "{dot}"
    );
    assert!(
        dot.contains("\"p\" -> \"(goal robot 100)\" [arrowhead=tee];\n"),
        "{dot}"
    );
}

#[test]
fn the_command_tells_what_was_cut_off() {
    let args = ["facts", &own("ticTacToe"), "--seconds", "0.000001"];
    let text = stdout(propjit(&args).success());
    let told = "incomplete: the limit of 0.000001 s cut off ";
    let (_, cut) = text.split_once(told).unwrap();
    assert!(cut.contains("goal tables, decided states"), "{text}");
    let report = json(&args);
    let stages = report["stages"].as_array().unwrap();
    let tables = stages.iter().find(|stage| stage["stage"] == "goal tables");
    assert_eq!(tables.unwrap()["is_cut"], true);
    let report = json(&["facts", &own("ticTacToe"), "--seconds", "1000"]);
    let stages = report["stages"].as_array().unwrap();
    assert!(
        stages.iter().all(|stage| stage["is_cut"] == false),
        "{report}"
    );
}

#[test]
fn the_command_tells_distances() {
    let report = json(&["facts", &own("connectFour"), "--seed", "1"]);
    let influence = &report["influence"];
    assert_eq!(influence["unknown"], serde_json::Value::Null);
    assert_eq!(
        influence["goals"][0]["coupled"],
        serde_json::json!([4, 4, 4])
    );
    assert_eq!(influence["goals"][1]["terms"], 69);

    let board = own("breakthrough");
    let from = json(&["facts", &board, "--distances", "(move 1 2 1 3)"]);
    let from = &from["from"][0];
    assert_eq!(
        (&from["role"], &from["to_goals"][0]["distance"]),
        (&"white".into(), &7.into())
    );
    assert_eq!(from["distances"][0]["distance"], 1);
    let text = stdout(propjit(&["facts", &board, "--distances", "(move 1 2 1 3)"]).success());
    assert!(text.contains("     7  (goal white 100)\n"), "{text}");
    let unknown = propjit(&["facts", &board, "--distances", "nowhere"]).code(1);
    assert!(stderr(unknown).contains("no role has a move `nowhere`"));
}

#[test]
fn the_command_tells_how_dynamic_a_game_is() {
    let args = [
        "facts",
        &own("ticTacToe"),
        "--dynamic",
        "--seed",
        "1",
        "--seconds",
        "60",
    ];
    let report = json(&args);
    assert_eq!(
        (&report["positions"], &report["seed"]),
        (&1000.into(), &1.into())
    );
    let density = report["density"].as_f64().unwrap();
    assert!((0.5..0.8).contains(&density), "{report}");
    let text = stdout(propjit(&args).success());
    assert!(
        text.contains(&format!("density         {density:>6.3}  of")),
        "{text}"
    );

    let folder = tempfile::tempdir().unwrap();
    let forced =
        "(role a) (init p) (legal a wait) (<= (next q) (true p)) (<= terminal (true q)) (goal a 0)";
    let args = [
        "facts",
        &file(&folder, "forced.kif", forced),
        "--dynamic",
        "--seconds",
        "0.1",
    ];
    let nothing = stderr(propjit(&args).code(1));
    assert!(
        nothing.contains("no random match reached two successive positions"),
        "{nothing}"
    );
}

/// Goals that read more than counts: a proposition, what is no proposition, and nothing at all.
#[test]
fn the_command_names_what_goals_read() {
    let rules = "
        (role a) (role b) (init (heap 5))
        (less 5 4) (less 4 3) (less 3 2) (less 2 1) (less 1 0) (less 5 3) (less 4 2) (less 3 1) (less 2 0)
        (<= (legal ?r (leave ?m)) (role ?r) (true (heap ?n)) (less ?n ?m))
        (<= (next (heap ?m)) (does a (leave ?m)))
        (<= (next p) (does b (leave 1))) (<= (next q) (does b (leave 2)))
        (<= (next odd) differ)
        (<= differ (true p) (not (true q))) (<= differ (true q) (not (true p)))
        (<= terminal (true (heap 0)))
        (<= (goal a 100) (true (heap 0)) (true p))
        (<= (goal a 0) (not (true (heap 0)))) (<= (goal a 0) (not (true p)))
        (<= (goal b 100) (true (heap 0)) differ) (goal b 7)";
    let folder = tempfile::tempdir().unwrap();
    let game = file(&folder, "odd.kif", rules);
    let args = ["facts", &game, "--seed", "1", "--seconds", "60"];
    let report = json(&args);
    let by = |role: &str, goal: i32| {
        let mut tables = report["goal_tables"].as_array().unwrap().iter();
        let of_goal = |table: &&serde_json::Value| table["role"] == role && table["goal"] == goal;
        tables.find(of_goal).unwrap()["by"].clone()
    };
    assert_eq!(by("a", 100), serde_json::json!(["A", "p"]));
    assert_eq!(by("b", 100), serde_json::json!(["A", "B"]));
    let counts = report["counts"].as_array().unwrap();
    let named: Vec<_> = counts.iter().map(|c| (&c["name"], &c["kind"])).collect();
    let expected =
        [("A", "choice"), ("B", "function")].map(|(name, kind)| (name.into(), kind.into()));
    assert_eq!(named, expected.each_ref().map(|(name, kind)| (name, kind)));
    let mut of: Vec<_> = counts[1]["of"].as_array().unwrap().iter().collect();
    of.sort_by_key(|name| name.as_str());
    assert_eq!(of, ["p", "q"]);
    let text = stdout(propjit(&args).success());
    assert!(
        text.contains("goal table      (goal b 7): 1 of 1 combinations"),
        "{text}"
    );
}

#[test]
fn the_command_refuses_wrong_input() {
    let folder = tempfile::tempdir().unwrap();
    for args in [
        &["facts"][..],
        &["facts", "a.kif", "--seconds", "0"],
        &["facts", "a.kif", "--seconds", "soon"],
        &["info", &own("ticTacToe"), "--format", "dot"],
        &["facts", &own("ticTacToe"), "--dynamic", "--format", "dot"],
        &[
            "facts",
            &own("ticTacToe"),
            "--distances",
            "(mark 1 1)",
            "--format",
            "dot",
        ],
    ] {
        propjit(args).code(2);
    }
    let missing = propjit(&["facts", "there-is-none.kif"]).code(1);
    assert!(stderr(missing).contains("there-is-none.kif"));
    let wrong = file(&folder, "wrong.kif", "(role p");
    assert!(stderr(propjit(&["facts", &wrong]).code(1)).contains("wrong.kif:1:1"));
}

#[test]
fn facts_and_what_goes_wrong_in_matches() {
    let folder = tempfile::tempdir().unwrap();
    let rules = "(role r) (init (n 1)) (legal r go) (<= (next (n 2)) (true (n 1)))
        (<= terminal (true (n 2))) (<= (goal r 100) (true (n 1)))";
    let game = file(&folder, "goalless.kif", rules);
    let facts = |args: &[&str]| propjit(&[&["facts", &game], args].concat());
    assert!(!stdout(facts(&[]).success()).contains("played"));
    // As with `validate`, mistakes are a failure.
    let text = stdout(facts(&["--play", "--seed", "1"]).code(1));
    assert!(
        text.contains("\nplayed ") && text.contains("goal"),
        "{text}"
    );
    let report = stdout(facts(&["--play", "--format", "json"]).code(1));
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["play"]["findings"][0]["is_error"], true, "{report}");
}
