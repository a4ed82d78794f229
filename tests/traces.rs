//! The traces of public rulesheets, recorded with an independent prover.

use crate::common;
use propjit::Stop;
use propjit::game::Setup;
use propjit::machine::Backend;
use propjit::verify::suite::{SuiteStatus, cases, run};

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
fn replay(backend: Option<Backend>) {
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
    replay(None);
}

#[test]
fn nothing_differs_on_the_prover() {
    replay(Some(Backend::Prover));
}

#[test]
fn nothing_differs_on_machine_code() {
    replay(Some(Backend::Compiled));
}

#[test]
fn nothing_differs_on_lanes() {
    replay(Some(Backend::Lanes));
}
