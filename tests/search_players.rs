//! Matches of players that search.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use assert_cmd::Command;
use serde_json::Value;

use crate::common;
use crate::common::command::own;
use crate::common::series::{own_sheet, play, series, spec};
use propjit::game::load::Setup;
use propjit::play::matches::{MoveRecord, PlayerFactory, Rulesheet, SeriesResults};

/// Search players play small games perfectly, and never lose there.
#[test]
fn a_searching_player_does_not_lose_a_drawn_game() {
    let sheet = own_sheet("ticTacToe");
    for (players, draws) in [
        ([spec("mcts"), spec("random")], 0),
        ([spec("mcts:backend=scalar,threads=2"), spec("mcts")], 4),
    ] {
        let mut series = series(&players, 4);
        series.swap = true;
        let results = play(&series, &sheet);
        for record in &results.records {
            assert!(record.errors.is_empty(), "{:?}", record.errors);
            let first = record.players[0].as_ref().unwrap();
            let goal = record.goals[usize::from(*first != players[0].to_string())];
            assert!(goal.unwrap() >= 50, "{record:?}");
        }
        assert!(results.standings[0].draws >= draws);
    }
}

#[test]
fn a_searching_player_solves_puzzles() {
    for name in ["pegTriangle", "untwistyCorridor"] {
        let results = play(&series(&[spec("mcts")], 1), &own_sheet(name));
        let record = &results.records[0];
        assert!(record.errors.is_empty(), "{:?}", record.errors);
        assert_eq!(record.goals, [Some(100)], "{name}");
        let told = record.steps[0][0].statistics.as_ref().unwrap();
        assert_eq!(told["solved"], true);
    }
}

/// A game that cannot be grounded is searched on the prover. The only winning move comes
/// two moves before the end.
#[test]
fn a_searching_player_needs_no_grounded_game() {
    let setup = Setup::default();
    let sheet = Arc::new(Rulesheet::parse("talk.kif", common::TALK, setup).unwrap());
    let results = play(&series(&[spec("mcts"), spec("random")], 3), &sheet);
    for record in &results.records {
        assert!(record.errors.is_empty(), "{:?}", record.errors);
        assert_eq!(record.goals, [Some(100), Some(0)]);
    }
}

/// With budgets that do not depend on time, a series can be played again.
#[test]
fn counted_budgets_make_matches_repeatable() {
    let sheet = own_sheet("connectFour");
    for budget in ["total-playouts=300", "nodes=50"] {
        let player = spec(&format!("mcts:backend=lanes,seed=3,{budget}"));
        let mut series = series(&[player, spec("random:seed=1")], 2);
        series.swap = true;
        let moves = |results: SeriesResults| -> Vec<Vec<Vec<String>>> {
            let steps = results.records.into_iter().map(|record| record.steps);
            let texts = |step: Vec<_>| step.into_iter().map(|played: MoveRecord| played.text);
            steps
                .map(|steps| {
                    steps
                        .into_iter()
                        .map(|step| texts(step).collect())
                        .collect()
                })
                .collect()
        };
        assert_eq!(
            moves(play(&series, &sheet)),
            moves(play(&series, &sheet)),
            "{budget}"
        );
    }
    // Without the budget, a move would take more than a day.
    let mut short = series(&[spec("mcts:seconds=0.01"), spec("random")], 1);
    short.config.play_clock = Duration::from_secs(100_000);
    play(&short, &sheet);
    let error = "mcts:playouts=100".parse::<PlayerFactory>().unwrap_err();
    assert!(error.to_string().contains("`total-playouts`"), "{error}");
}

/// Minimax plays once an evaluation is learned, and wins; a choice between both searches is made by matches. In games for
/// which minimax is not, tree search plays.
#[test]
fn players_search_by_minimax() {
    let player = |search: &str| spec(&format!("mcts:search={search},ponder=false"));
    let by_minimax = |record: &MoveRecord| {
        let statistics = record.statistics.as_ref();
        statistics.is_some_and(|found| found.get("minimax").is_some())
    };
    let played = |game: &str, search: &str| {
        let mut series = series(&[player(search), spec("random")], 1);
        // Learning takes three seconds of it.
        series.config.start_clock = Duration::from_secs(4);
        series.config.play_clock = Duration::from_millis(100);
        let records = play(&series, &own_sheet(game)).records;
        for record in &records {
            assert!(record.errors.is_empty(), "{:?}", record.errors);
        }
        records
    };
    for search in ["minimax", "auto"] {
        for record in played("breakthroughSmall", search) {
            assert_eq!(record.goals[0], Some(100), "{record:?}");
            let minimax = record.steps.iter().filter(|step| by_minimax(&step[0]));
            assert!(search == "auto" || minimax.count() > 3, "{record:?}");
        }
    }
    for record in played("tron", "minimax") {
        assert!(!record.steps.iter().flatten().any(by_minimax));
    }
}

/// What trial matches show is kept for the next match of the game, in which a few more are played.
#[test]
fn the_choice_of_a_search_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let game = own("breakthroughSmall");
    let matches = || {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("propjit"));
        let records = folder.path().join("records.jsonl");
        let _ = fs::remove_file(&records);
        command.args([
            "match",
            &game,
            "--player=mcts:search=auto,ponder=false,learn-on=false",
        ]);
        command.args([
            "--player=random",
            "--start-clock=6",
            "--play-clock=0.1",
            "--output",
        ]);
        command.arg(&records);
        command.env("PROPJIT_CACHE", "off");
        command.env("PROPJIT_CONFIG", folder.path().join("config"));
        command.timeout(Duration::from_secs(300));
        command.assert().success();
        let record: Value = serde_json::from_str(&fs::read_to_string(records).unwrap()).unwrap();
        let mut steps = record["steps"].as_array().unwrap().iter();
        let choice = steps.find_map(|step| step[0]["statistics"].get("choice"));
        let choice = choice.unwrap_or_else(|| panic!("{record}")).clone();
        assert_eq!(choice["evaluation"].as_str().unwrap().len(), 16);
        choice["trials"]["matches"].as_f64().unwrap()
    };
    let first = matches();
    assert!(first >= 1.0);
    let kept: Vec<_> = fs::read_dir(folder.path().join("config").join("searches"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "json"))
        .collect();
    let [file] = &kept[..] else {
        panic!("{kept:?}");
    };
    let stored: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(stored["score"]["matches"], first);
    // With another evaluation, earlier matches count half.
    assert!(matches() >= first / 2.0 + 1.0);
}
