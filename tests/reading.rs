//! Rulesheets as people write them, from the command line and over HTTP.

use std::time::Duration;

use propjit::Stop;
use propjit::game::load::{Game, Setup};
use propjit::game::machine::RoleId;
use propjit::lab::inspection::{FindingKind, InspectionConfig, inspect};
use serde_json::Value;

use crate::common::command::{file, json, own, propjit, propjit_reading, stderr, stdout};
use crate::common::game;
use crate::common::http::{legal, post, serve, start};

/// A game that other players play, and the specification forbids; the declarations are wrong, and
/// `random` has no goals.
const FORBIDDEN: &str = "
    (role player) (role random) (init (step 0)) (base a b)
    (base (step 0)) (base (step 1)) (input player wait) (input random wait)
    (<= (input ?r ?m) (role ?r) (next ?m))
    (succ 0 1) (succ 1 2)
    (<= (apart ?x ?y) (distinct ?x ?y))
    (<= (legal player (go ?n)) (succ ?m ?n) (true (step ?m)))
    (<= (legal player wait) (true (step ?m)) (apart ?m 1))
    (legal random wait)
    (<= (next (step ?n)) (does player (go ?n)))
    (<= (next (step ?n)) (true (step ?n)) (does player wait))
    (<= stopped (does player wait))
    (<= terminal (true (step 2)) (not stopped))
    (<= (goal player 100) (true (step 2)))
";

#[test]
fn forbidden_rules_are_played_where_that_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "forbidden.kif", FORBIDDEN);
    for command in ["validate", "info", "playout", "analyze"] {
        let refusal = stderr(propjit(&[command, &path]).code(1));
        assert_eq!(refusal.matches("`--lenient`").count(), 3, "{refusal}");
    }
    let accepted = propjit(&["playout", &path, "--lenient", "--count", "10"]).success();
    let note = stderr(accepted);
    assert_eq!(
        note.matches("note: the specification forbids").count(),
        1,
        "{note}"
    );
    assert!(
        note.contains("`terminal` depends on `does` (line 12)"),
        "{note}"
    );
    let report = json(&["validate", &path, "--lenient"]);
    assert_eq!(report["valid"], 1);
    // A person may just play.
    propjit_reading(&["play", &path, "--role", "player"], "quit\n").success();
    propjit_reading(&["play", &path, "--lenient=false"], "quit\n").code(1);
}

/// The next state is grounded and compiled where percepts depend on it, and a variable under `not` is absent in all backends.
#[test]
fn backends_agree_on_forbidden_rules() {
    let folder = tempfile::tempdir().unwrap();
    let rules = "(role a) (role b) (at 1 2) (at 2 3) (at 3 1) (init (at a 1)) (init (at b 2)) (init (left 5))
        (succ 5 4) (succ 4 3) (succ 3 2) (succ 2 1) (succ 1 0)
        (<= (legal ?r stay) (role ?r))
        (<= (legal ?r (go ?y)) (true (at ?r ?x)) (at ?x ?y) (not (true (at ?other ?y))))
        (<= (next (at ?r ?x)) (does ?r (go ?x)))
        (<= (next (at ?r ?x)) (true (at ?r ?x)) (does ?r stay))
        (<= (next (left ?n)) (true (left ?m)) (succ ?m ?n))
        (<= (next (met ?x)) (next (at a ?x)) (next (at b ?x)))
        (<= (sees ?r (near ?x)) (next (at ?r ?y)) (next (at ?q ?x)) (distinct ?r ?q) (at ?y ?x))
        (<= (sees ?r alone) (role ?r) (not (next (met ?x))))
        (<= terminal (true (met ?x))) (<= terminal (true (left 0)))
        (<= (goal ?r 100) (true (met ?x))) (<= (goal ?r 0) (not (true (met ?x))))";
    let path = file(&folder, "meet.kif", rules);
    let report = json(&["verify", &path, "--lenient", "--against", "prover"]);
    assert_eq!(
        (&report["matches"], &report["difference"]),
        (&100.into(), &Value::Null)
    );
}

#[test]
fn play_contradicts_declarations() {
    let text = FORBIDDEN
        .replace("(apart ?m 1)", "(distinct ?m 1)")
        .replace("(<= (apart ?x ?y) (distinct ?x ?y))", "")
        .replace("(not stopped)", "");
    let game = game(&text);
    let config = InspectionConfig::default().with_time(Duration::from_millis(300));
    let found = inspect(&game, &Setup::default(), &config, &Stop::new()).unwrap();
    let of_kind = |kind| {
        let mut all = found.findings.iter();
        all.find(|finding| finding.kind == kind)
            .map(|finding| finding.message.clone())
    };
    let fluents = of_kind(FindingKind::UndeclaredFluent).unwrap();
    assert!(
        fluents.contains("does not declare 1 fluent that play reaches: (step 2)"),
        "{fluents}"
    );
    let moves = of_kind(FindingKind::UndeclaredMove).unwrap();
    assert!(
        moves.contains("2 moves that play reaches: (go 1), (go 2)"),
        "{moves}"
    );
    assert_eq!(of_kind(FindingKind::NoGoal), None, "chance needs no goals");
    // Declarations of the project's own rulesheets are right.
    let reversi = Game::load(own("reversi").as_ref(), &Setup::default()).unwrap();
    let found = inspect(&reversi, &Setup::default(), &config, &Stop::new()).unwrap();
    let undeclared = [FindingKind::UndeclaredFluent, FindingKind::UndeclaredMove];
    assert!(
        found
            .findings
            .iter()
            .all(|finding| !undeclared.contains(&finding.kind))
    );
}

#[test]
fn what_was_not_played_is_not_just_valid() {
    let args = ["validate", "--play", "--seconds", "0.000001", &own("chess")];
    let text = stdout(propjit(&args));
    assert!(text.contains("chess.kif: valid, but not played"), "{text}");
}

#[test]
fn rulesheets_are_converted_and_played_in_either_form() {
    let folder = tempfile::tempdir().unwrap();
    let prefix = own("ticTacToe");
    let infix = folder.path().join("ticTacToe.gdl").display().to_string();
    propjit(&["convert", &prefix, "--outfile", &infix])
        .success()
        .stdout("");
    propjit(&["convert", &prefix, "-o", &prefix]).code(2);
    for report in [
        json(&["validate", &infix]),
        json(&["validate", &infix, "--syntax", "infix"]),
    ] {
        assert_eq!(
            (&report["valid"], &report["files"][0]["warnings"]),
            (&1.into(), &0.into())
        );
    }
    propjit(&["validate", &infix, "--syntax", "prefix"]).code(1);
    let counted = |path: &str| json(&["perft", path, "4"])["sequences"].clone();
    assert_ne!(counted(&prefix), Value::Null);
    assert_eq!(counted(&prefix), counted(&infix));
    let back = stdout(propjit(&["convert", &infix]).success());
    assert_eq!(
        stdout(propjit(&["convert", &prefix, "--to", "prefix"]).success()),
        back
    );
    propjit_reading(&["convert", "-"], "role(x").code(1);
}

#[test]
fn declarations_and_odd_rules_do_not_stop_a_match() {
    let server = serve(legal());
    let rules = FORBIDDEN
        .replace(
            "(<= (apart ?x ?y) (distinct ?x ?y))",
            "(<= (apart ?x ?y) (distinct ?x ?y) (succ ?x ?z) (succ ?w ?y))",
        )
        .replace("(not stopped)", "");
    let answer = post(server.address(), &start("m", "player", &rules, "10 10"));
    assert_eq!(answer, "ready");
}

#[test]
fn goals_below_nothing_are_scaled() {
    let text = "
        (role a) (role b) (init s) (legal a x) (legal a y) (legal b n)
        (<= (next (is ?m)) (does a ?m))
        (<= terminal (true (is x))) (<= terminal (true (is y)))
        (<= (goal a -20) (true (is x))) (<= (goal b 20) (true (is x)))
        (<= (goal a -5) (true (is y))) (<= (goal b 5) (true (is y)))";
    let game = game(text);
    let mut machine = game.machine(game.backend()).unwrap();
    let start = machine.initial_state().unwrap();
    let joint = [(0, "x"), (1, "n")].map(|(role, m)| machine.parse_move(RoleId(role), m).unwrap());
    let end = machine.next_state(&start, &joint).unwrap();
    assert_eq!(machine.goal(&end, RoleId(0)).unwrap(), -20);
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "negative.kif", text);
    for search in ["mcts", "minimax"] {
        let report = json(&["analyze", &path, "--search", search, "--playouts", "200"]);
        assert_eq!(report["best"], "y", "{report}");
        assert!(report["value"].as_f64().unwrap() < 0.0, "{report}");
    }
}
