//! `propjit match`: tables, records, boards, wrong usage.

use crate::common::command::{file, json, own, propjit, stderr, stdout};

/// Each says 0 or 1; one wins if both say the same. The share of that is out of bounds with a probability of less than 1e-7.
#[test]
fn players_choose_independently_whatever_their_seeds_are() {
    let folder = tempfile::tempdir().unwrap();
    let rules = "(role same) (role other) (init start) (bit 0) (bit 1)
         (<= (legal ?r ?b) (role ?r) (bit ?b)) (<= (next (said ?r ?b)) (does ?r ?b))
         (<= terminal (not (true start)))
         (<= equal (true (said same ?b)) (true (said other ?b)))
         (<= (goal same 100) equal) (<= (goal same 0) (not equal))
         (<= (goal other 0) equal) (<= (goal other 100) (not equal))";
    let game = file(&folder, "bits.kif", rules);
    for players in [
        ["random", "random:seed=1"],
        ["random:seed=1", "random:seed=1"],
    ] {
        let mut args = vec!["match", &game, "--games", "200", "--seed", "1"];
        args.extend(players.iter().flat_map(|player| ["--player", player]));
        let wins = json(&args)["standings"][0]["wins"].as_u64().unwrap();
        assert!((60..=140).contains(&wins), "{players:?}: {wins}");
    }
}

#[test]
fn the_command_prints_standings_and_writes_records() {
    let folder = tempfile::tempdir().unwrap();
    let records = file(&folder, "records.json", "");
    let tic_tac_toe = own("ticTacToe");
    let args = [
        "match",
        &tic_tac_toe,
        "--player",
        "random",
        "--player",
        "random:seed=7",
    ];
    let more = [
        "--games",
        "4",
        "--swap",
        "--play-clock",
        "20.5",
        "--seed",
        "3",
        "--output",
        &records,
    ];
    let result = json(&[&args[..], &more].concat());
    assert_eq!(result["matches"], 4);
    assert_eq!(result["standings"][1]["player"], "random:seed=7");
    let written = propjit::play::matches::read_records(records.as_ref()).unwrap();
    assert_eq!(written.len(), 4);
    assert_eq!(written[0].record.play_clock, 20.5);
    let text = stdout(propjit(&args).success());
    assert!(text.contains("random:seed=7"), "{text}");
    let solo = propjit(&["match", &tic_tac_toe, "--player", "random"]).code(2);
    assert!(stderr(solo).contains("the game needs a player for each of x, o; given: 1"));
    let nobody = ["--player", "http://127.0.0.1:1", "--player", "random"];
    let alone = [&["match", &tic_tac_toe][..], &nobody].concat();
    let told = stderr(propjit(&alone).code(1));
    assert!(
        told.contains("http://127.0.0.1:1 accepts no matches: the connection failed"),
        "{told}"
    );
    let alone = propjit(&[&alone[..], &["--forgiving"]].concat()).success();
    let note = "note: http://127.0.0.1:1 as x, match 1, at the start: the connection failed";
    let told = stderr(alone);
    assert_eq!(told.matches("note: ").count(), 1, "{told}");
    assert!(told.contains(note), "{told}");
    let unknown = propjit(&["match", &tic_tac_toe, "--player", "alphazero"]).code(2);
    assert!(stderr(unknown).contains("there is no player `alphazero`; there are"));
    let nowhere = [&args[..], &["--output", "/nowhere/x.json"]].concat();
    assert!(stderr(propjit(&nowhere).code(1)).contains("cannot write /nowhere/x.json"));
}

#[test]
fn the_command_shows_the_board() {
    let game = own("ticTacToe");
    let players = ["--player", "legal", "--player", "legal", "--board"];
    let told = stderr(propjit(&[&["match", &game], &players[..]].concat()).success());
    for shown in [
        "match 1 of 1, move 0 \n  3 . . .\n  2 . . .\n  1 . . .\n    1 2 3\n",
        "match 1 of 1, move 1 (mark 1 1) | noop\n  3 . . .\n  2 . . .\n  1 x . .\n    1 2 3\n",
    ] {
        assert!(told.contains(shown), "{shown}{told}");
    }
}
