//! `propjit factors` as a process.

use serde_json::json;

use crate::common::command::{file, json, own, propjit, stderr, stdout};

/// Two lamps, of which one is pressed in each step, and one that nothing reads.
const LAMPS: &str = "(role r) (init (left 3)) (less 3 2) (less 2 1) (less 1 0)
    (<= (legal r (press ?l)) (lamp ?l)) (lamp p) (lamp q) (lamp s)
    (<= (next (lit ?l)) (does r (press ?l)) (not (true (lit ?l))))
    (<= (next (lit ?l)) (true (lit ?l)) (not (does r (press ?l))))
    (<= (next (left ?m)) (true (left ?n)) (less ?n ?m))
    (<= terminal (true (left 0)))
    (<= (goal r 100) (true (lit p)) (true (lit q))) (<= (goal r 0) (not (true (lit p))))";

#[test]
fn the_command_tells_parts_in_the_words_of_the_rulesheet() {
    let folder = tempfile::tempdir().unwrap();
    let lamps = file(&folder, "lamps.kif", LAMPS);
    let report = json(&["factors", &lamps, "--check", "1000", "--seed", "1"]);
    assert_eq!(report["game"], "lamps");
    let parts = report["parts"].as_array().unwrap();
    let mut told: Vec<_> = (parts.iter())
        .map(|part| (&part["propositions"][0], &part["relevant"], &part["ways"]))
        .collect();
    told.sort_by_key(|(name, ..)| name.as_str());
    let [yes, no] = [true, false].map(|relevant| json!(relevant));
    let ways = json!([2]);
    let [p, q, s] = ["(lit p)", "(lit q)", "(lit s)"].map(|name| json!(name));
    assert_eq!(
        told,
        [(&p, &yes, &ways), (&q, &yes, &ways), (&s, &no, &ways)]
    );
    assert_eq!(report["moves"], json!([{ "role": "r", "change": ["one"] }]));
    assert_eq!(report["clock"].as_array().unwrap().len(), 4);
    assert_eq!(report["check"]["difference"], serde_json::Value::Null);
    assert!(report["check"]["steps"].as_u64().unwrap() >= 1000);

    let text = stdout(propjit(&["factors", &lamps]).success());
    assert!(text.contains("in 3 parts, 2 of them relevant"), "{text}");
    assert!(
        text.contains("moves of r change one part at most"),
        "{text}"
    );
    let solved = json(&["solve", &lamps]);
    assert_eq!(solved["roles"][0]["least"], 100, "{solved}");
}

#[test]
fn games_of_one_part_have_one() {
    let report = json(&[
        "factors",
        &own("breakthrough"),
        "--check",
        "500",
        "--seed",
        "2",
    ]);
    assert_eq!(report["parts"].as_array().unwrap().len(), 1);
    assert_eq!(report["unknown"], serde_json::Value::Null);
}

#[test]
fn the_command_refuses_wrong_input() {
    propjit(&["factors"]).code(2);
    propjit(&["factors", "a.kif", "--check", "0"]).code(2);
    let missing = propjit(&["factors", "there-is-none.kif"]).code(1);
    assert!(stderr(missing).contains("there-is-none.kif"));
}
