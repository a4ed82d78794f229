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
fn the_command_refuses_wrong_input() {
    let folder = tempfile::tempdir().unwrap();
    for args in [
        &["facts"][..],
        &["facts", "a.kif", "--seconds", "0"],
        &["facts", "a.kif", "--seconds", "soon"],
        &["info", &own("ticTacToe"), "--format", "dot"],
    ] {
        propjit(args).code(2);
    }
    let missing = propjit(&["facts", "there-is-none.kif"]).code(1);
    assert!(stderr(missing).contains("there-is-none.kif"));
    let wrong = file(&folder, "wrong.kif", "(role p");
    assert!(stderr(propjit(&["facts", &wrong]).code(1)).contains("wrong.kif:1:1"));
}
