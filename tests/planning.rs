//! Planning beside the search: what is planned is proved, kept and played.

use propjit::game::load::{Game, Setup};
use propjit::game::machine::{Backend, RoleId};
use propjit::proof::plan::PlanMethod;
use propjit::search::SearchBudget;
use propjit::search::mcts::{Mcts, MctsConfig};
use serde_json::Value;

use crate::common::command::{file, json, own, propjit, stdout};

const ROLE: RoleId = RoleId(0);

/// 30 lamps, one after the other, of which all have to be lit for `all`: random matches do not get
/// there. A role that stops early gets 10.
fn lamps(all: i32) -> String {
    let succ: String = (0..30).map(|n| format!("(succ {n} {})", n + 1)).collect();
    format!(
        "(role r) {succ} (init (place 0)) (legal r light) (legal r skip) (legal r stop)
         (<= (next (place ?m)) (true (place ?n)) (succ ?n ?m))
         (<= (next (lit ?n)) (true (place ?n)) (does r light))
         (<= (next (lit ?n)) (true (lit ?n)))
         (<= (next stopped) (does r stop))
         (<= missing (succ ?n ?m) (not (true (lit ?n))))
         (<= terminal (true (place 30))) (<= terminal (true stopped))
         (<= (goal r {all}) (not missing) (not (true stopped)))
         (<= (goal r 10) (true stopped))
         (<= (goal r 0) missing (not (true stopped)))"
    )
}

fn load(rules: &str) -> Game {
    Game::from_text("test.kif", rules, &Setup::default()).unwrap()
}

fn search(game: &Game, backend: Backend) -> Mcts {
    let config = MctsConfig::default().with_plan(true);
    Mcts::new(game, backend, config).unwrap()
}

#[test]
fn the_planned_match_is_played_even_if_the_search_goes_on_no_more() {
    let game = load(&lamps(100));
    for backend in [Backend::Scalar, Backend::Lanes, Backend::Compiled] {
        let mut search = search(&game, backend);
        // It ends by itself, as all is known.
        search.run(&SearchBudget::default()).unwrap();
        let report = search.report(ROLE);
        assert!(report.solved);
        assert_eq!(report.value, Some(100.0));
        let plan = report.plan.unwrap();
        assert_eq!((plan.range, plan.proof), ((100, 100), None));

        let mut machine = game.machine(Backend::Scalar).unwrap();
        let mut state = machine.initial_state().unwrap();
        let mut depth = 0;
        while !machine.is_terminal(&state).unwrap() {
            search.set_root(&state, depth).unwrap();
            let best = search.report(ROLE).best.unwrap();
            state = machine.next_state(&state, &[best]).unwrap();
            depth += 1;
        }
        assert_eq!(depth, 30);
        assert_eq!(machine.goal(&state, ROLE).unwrap(), 100);
    }
}

#[test]
fn after_another_move_it_plans_anew() {
    let game = load(&lamps(100));
    let mut search = search(&game, Backend::Compiled);
    search.run(&SearchBudget::default()).unwrap();
    let mut machine = game.machine(Backend::Scalar).unwrap();
    let start = machine.initial_state().unwrap();
    let skip = machine.parse_move(ROLE, "skip").unwrap();
    let state = machine.next_state(&start, &[skip]).unwrap();
    search.set_root(&state, 1).unwrap();
    search.run(&SearchBudget::default()).unwrap();
    let report = search.report(ROLE);
    assert_eq!((report.value, report.solved), (Some(10.0), true));
    let stop = machine.parse_move(ROLE, "stop").unwrap();
    assert_ne!(report.best, Some(skip));
    let plan = report.plan.unwrap();
    assert!(plan.proof.is_some());
    let (moves, _) = plan.found.unwrap();
    // It may go on for a while before it stops.
    assert!((1..30).contains(&moves), "{moves}");
    assert!(report.moves.iter().any(|of| of.played == stop));
}

#[test]
fn analyze_says_by_what_it_was_proved() {
    let folder = tempfile::tempdir().unwrap();
    // The greatest goal is out of reach: a role that stops does not light the last lamp.
    let rules = lamps(50) + "(<= (goal r 100) (not missing) (true stopped))";
    let rules = file(&folder, "lamps.kif", &rules);
    let report = json(&["analyze", &rules, "--seconds", "200"]);
    assert_eq!(
        (&report["solved"], &report["value"]),
        (&Value::Bool(true), &50.0.into())
    );
    assert_eq!(report["plan"]["range"], serde_json::json!([50, 50]));
    let found = &report["plan"]["found"];
    assert_eq!(found[0], 30);
    let methods = [PlanMethod::Search, PlanMethod::Satisfiability];
    let methods = methods.map(|method| serde_json::to_value(method).unwrap());
    assert!(methods.contains(&found[1]), "{report}");
    let proof = &report["proved_by"];
    assert!(proof == "plan" || proof == "satisfiability", "{report}");

    let text = stdout(propjit(&["analyze", &own("pegTriangle"), "--seconds", "100"]).success());
    // A playout may have been sooner.
    assert!(text.contains("\nplan: 100"), "{text}");
    for option in ["--no-plan", "--playouts=1000"] {
        let report = json(&["analyze", &own("pegTriangle"), option]);
        assert_eq!(report["plan"], Value::Null);
    }
}

#[test]
fn players_plan_unless_they_are_told_not_to() {
    let folder = tempfile::tempdir().unwrap();
    let rules = file(&folder, "lamps.kif", &lamps(100));
    let goal = |player: &str| {
        let report = json(&[
            "match",
            &rules,
            "--player",
            player,
            "--start-clock",
            "5",
            "--play-clock",
            "1",
            "--seed",
            "1",
        ]);
        report["standings"][0]["mean_goal"].clone()
    };
    assert_eq!(goal("mcts"), 100.0);
    assert_ne!(goal("mcts:plan=false,total-playouts=20"), 100.0);
}
