//! The traces of public rulesheets, recorded with an independent prover.

use crate::common;
use propjit::Stop;
use propjit::game::load::Setup;
use propjit::game::machine::Backend;
use propjit::lab::verify::suite::{SuiteStatus, cases, run};
use propjit::lab::verify::{Trace, replay};

/// A selection that is quick: small games with every trait of the language among them.
const QUICK: [&str; 14] = [
    "2pffa_zerosum",
    "biddingTicTacToe",
    "blocksWorldSerial",
    "breakthrough",
    "buttons",
    "connectFour",
    "eightPuzzle",
    "gt_chicken",
    "knightsTourLarge",
    "lightsOut",
    "maze",
    "nim4",
    "ticTacToe",
    "tron_10x10",
];

/// Replays traces, all of them when soaking.
fn replay_all(backend: Option<Backend>) {
    let Some(shared) = common::shared() else {
        return;
    };
    let mut cases = cases(&shared.join("games"), &shared.join("traces")).unwrap();
    assert!(cases.len() > 200, "{} traces", cases.len());
    if !common::soak() {
        cases.retain(|case| QUICK.contains(&case.game.as_str()));
    }
    let setup = Setup::default().with_backend(backend);
    let rows = run(&cases, &setup, 2, &Stop::new(), |_| {});
    assert_eq!(rows.len(), cases.len());
    let gave_up = rows
        .iter()
        .filter(|row| row.status == SuiteStatus::GaveUp)
        .count();
    assert!(gave_up <= 6, "{gave_up} games gave up");
    for row in rows {
        let fine = matches!(row.status, SuiteStatus::Ok | SuiteStatus::GaveUp);
        assert!(fine, "{row:?}");
    }
}

#[test]
fn nothing_differs_on_the_best_backend() {
    replay_all(None);
}

#[test]
fn nothing_differs_on_the_prover() {
    replay_all(Some(Backend::Prover));
}

#[test]
fn nothing_differs_on_machine_code() {
    replay_all(Some(Backend::Compiled));
}

#[test]
fn nothing_differs_on_lanes() {
    replay_all(Some(Backend::Lanes));
}

/// One role may end the match or not, the other one waits.
const WAITING: &str = "
    (role a) (role b) (init (at 0)) (legal a go) (legal a stay) (legal b wait)
    (<= (next (at 1)) (does a go)) (<= (next (at 0)) (does a stay))
    (<= terminal (true (at 1))) (<= (goal a 100) terminal) (<= (goal b 0) terminal)
";

#[test]
fn all_that_a_trace_says_is_compared() {
    let game = common::game(WAITING);
    let (go, end) = (
        r#"{"terminal": false, "joint": ["go", "wait"]}"#,
        r#"{"terminal": true}"#,
    );
    let last = |said: &str| format!(r#"{{"terminal": false, {said}}}"#);
    let joint = |moves: &str| last(&format!(r#""joint": {moves}"#));
    let lists = |lists: &str| last(&format!(r#""legal_lists": {lists}"#));
    for (steps, differs) in [
        (format!("{go}, {end}"), None),
        (joint(r#"[" go ", "wait"]"#), None),
        (joint(r#"["go", "go"]"#), Some("joint move")),
        (joint(r#"["go"]"#), Some("joint move")),
        (joint(r#"["go", "wait", "wait"]"#), Some("joint move")),
        (format!("{}, {end}", joint("null")), Some("joint move")),
        (
            format!(r#"{go}, {{"terminal": true, "joint": ["go", "wait"]}}"#),
            Some("joint move"),
        ),
        (lists(r#"[["go", "stay"], ["wait"]]"#), None),
        (
            lists(r#"[["go", "stay"]]"#),
            Some("number of roles with legal moves"),
        ),
        (
            lists(r#"[["go", "stay"], ["wait"], []]"#),
            Some("number of roles with legal moves"),
        ),
        (lists(r#"[["go", "stay"], ["go"]]"#), Some("legal moves")),
        (last(r#""stuck": false"#), None),
        (last(r#""stuck": true"#), Some("stuck")),
        (last(r#""goals": [null, null]"#), None),
        (last(r#""goals": [null]"#), Some("goals")),
    ] {
        let text = format!(
            r#"{{"game": "waiting", "roles": ["a", "b"], "matches": [{{"steps": [{steps}]}}]}}"#
        );
        let trace = Trace::from_json(&text).unwrap();
        for backend in [Backend::Prover, Backend::Scalar] {
            let mut machine = game.machine(backend).unwrap();
            let replayed = replay(&trace, &mut *machine, &Stop::new()).unwrap();
            let found = replayed.difference.map(|difference| difference.what);
            assert_eq!(found.as_deref(), differs, "{backend}: {steps}");
        }
    }
}
