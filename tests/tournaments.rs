//! Tournaments: pairings, openings, jobs, tests that end them, records.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::unbounded;
use propjit::Stop;
use propjit::game::load::Setup;
use propjit::play::matches::{
    Accepted, Choice, MatchConfig, MatchEnd, MatchRecord, Openings, Pairing, PlayerErrorKind,
    Rulesheet, Tournament, TournamentError, TournamentGame, TournamentResults,
};
use propjit_gdl::games;
use serde_json::Value;

use crate::common::COUNTER;
use crate::common::command::{file, json, own, propjit, stderr, stdout};
use crate::common::http::{legal, serve};
use crate::common::players::scripted;

/// Has no role for a player.
const CHANCE: &str = "(role random) (init (at 0)) (legal random go)
    (<= (next (at 1)) (true (at 0))) (<= terminal (true (at 1))) (goal random 0)";

fn game(name: &str) -> TournamentGame {
    game_of(name, games::text(name).unwrap())
}

fn game_of(name: &str, rules: &str) -> TournamentGame {
    let rulesheet = Rulesheet::parse(name, rules, Setup::default()).unwrap();
    TournamentGame {
        name: name.to_string(),
        rulesheet: Arc::new(rulesheet),
    }
}

fn tournament(players: &[&str], games: &[&str]) -> Tournament {
    let clock = Duration::from_secs(100);
    let players = players.iter().map(|spec| spec.parse().unwrap()).collect();
    let games = games.iter().map(|name| game(name)).collect();
    Tournament::new(players, games, MatchConfig::new(clock, clock)).with_seed(1)
}

fn play(tournament: &Tournament) -> TournamentResults {
    resume(tournament, BTreeMap::new()).0
}

/// Plays what is not played; also the numbers of the matches that were played now.
fn resume(
    tournament: &Tournament,
    played: BTreeMap<u64, MatchRecord>,
) -> (TournamentResults, Vec<u64>) {
    let mut numbers = Vec::new();
    let mut ended = |number, _, _: &MatchRecord| numbers.push(number);
    let results = tournament.play(played, &Stop::new(), &mut |_| {}, &mut ended);
    (results.unwrap(), numbers)
}

/// The number of a match, its players, and its joint moves.
type Played = (u64, Vec<Option<String>>, Vec<Vec<String>>);

/// What was played, without times.
fn moves(results: &TournamentResults) -> Vec<Played> {
    let played = results.records.iter().map(|(number, record)| {
        let steps = record.steps.iter();
        let joint = |step: &Vec<_>| step.iter().map(text).collect();
        (*number, record.players.clone(), steps.map(joint).collect())
    });
    played.collect()
}

fn text(played: &propjit::play::matches::MoveRecord) -> String {
    played.text.clone()
}

#[test]
fn everybody_plays_everybody_on_all_sides() {
    let players = ["random:seed=1", "random:seed=2", "legal"];
    let tournament = tournament(&players, &["ticTacToe", "threePlayerTicTacToe"])
        .with_rounds(2)
        .with_openings(Openings::Random(2));
    // Three pairs with two sides, and one group with three.
    assert_eq!(tournament.matches().unwrap(), 2 * (3 * 2 + 3));
    let results = play(&tournament);
    assert_eq!((results.records.len(), &results.failure), (18, &None));
    let mut seats: BTreeMap<(usize, &str, &str), u32> = BTreeMap::new();
    for record in results.records.values() {
        assert_eq!(
            (record.end, &record.errors[..]),
            (MatchEnd::Terminal, &[][..])
        );
        for (role, player) in record.roles.iter().zip(&record.players) {
            let player = player.as_deref().unwrap();
            *seats.entry((record.roles.len(), role, player)).or_default() += 1;
        }
        // No player has taken time for the opening.
        assert_eq!(record.opening, 2);
        let (opening, rest) = record.steps.split_at(2);
        assert!(
            opening
                .iter()
                .flatten()
                .all(|played| played.seconds.is_none())
        );
        assert!(rest.iter().flatten().all(|played| played.seconds.is_some()));
    }
    assert_eq!(seats.len(), 3 * (2 + 3));
    for ((roles, ..), count) in &seats {
        assert_eq!(*count, if *roles == 2 { 4 } else { 2 });
    }
    // The same opening for all of a round, and another one in the next.
    let openings = |range: std::ops::Range<u64>| -> BTreeSet<Vec<Vec<String>>> {
        let found = range.map(|number| &results.records[&number].steps[..2]);
        found
            .map(|o| o.iter().map(|s| s.iter().map(text).collect()).collect())
            .collect()
    };
    assert_eq!(openings(0..6).len(), 1);
    assert_eq!(openings(6..9).len(), 1);
    assert_eq!(openings(9..15).len(), 1);
    assert_ne!(openings(0..6), openings(9..15));

    let table = &results.table;
    assert_eq!(
        table.standings.iter().map(|s| s.matches).sum::<u64>(),
        12 * 2 + 6 * 3
    );
    assert_eq!(table.games["ticTacToe"][0].matches, 8);
    let ratings = table.ratings.as_ref().unwrap();
    assert!(ratings.iter().map(|rating| rating.elo).sum::<f64>().abs() < 1e-6);
    assert!(ratings.iter().all(|rating| rating.margin > 0.0));
}

#[test]
fn jobs_change_nothing_but_the_time() {
    let players = [
        "random:seed=1",
        "mcts:nodes=30,seed=2,backend=lanes",
        "legal",
    ];
    let one =
        tournament(&players, &["ticTacToe", "connectFour"]).with_openings(Openings::Random(1));
    let several = one.clone().with_jobs(3);
    let (one, several) = (play(&one), play(&several));
    assert_eq!(moves(&one), moves(&several));
    assert_eq!(one.table, several.table);
}

#[test]
fn a_gauntlet_is_for_the_first() {
    let players = ["legal", "random:seed=1", "random:seed=2", "random:seed=3"];
    let tournament = tournament(&players, &["ticTacToe"]).with_pairing(Pairing::Gauntlet);
    let results = play(&tournament);
    assert_eq!(results.records.len(), 6);
    let has_first = |record: &MatchRecord| record.players.contains(&Some("legal".to_string()));
    assert!(results.records.values().all(has_first));
    assert!(results.table.ratings.is_some());
    // Alone, all play.
    let alone = play(&self::tournament(&players, &["pegTriangle"]).with_pairing(Pairing::Gauntlet));
    let matches = alone.table.standings.iter().map(|s| s.matches);
    assert_eq!(matches.collect::<Vec<_>>(), [1; 4]);
}

#[test]
fn a_tournament_goes_on_where_it_was() {
    let players = ["random:seed=1", "random:seed=2", "legal"];
    let tournament = tournament(&players, &["ticTacToe"])
        .with_rounds(3)
        .with_openings(Openings::Random(2));
    let whole = play(&tournament);
    let some = whole
        .records
        .clone()
        .into_iter()
        .filter(|(number, _)| number % 3 != 1);
    let (rest, numbers) = resume(&tournament, some.collect());
    assert_eq!(numbers, [1, 4, 7, 10, 13, 16]);
    assert_eq!(moves(&rest), moves(&whole));
    assert_eq!(rest.table, whole.table);
}

/// The first player is far better than by 100 points: the test finds that out with a probability of
/// more than 99.9%, and long before all is played.
#[test]
fn a_test_ends_a_tournament() {
    let sprt = "0,100,0.001,0.001".parse().unwrap();
    let tournament = tournament(
        &["mcts:nodes=200,seed=1", "random:seed=1"],
        &["connectFour"],
    )
    .with_rounds(500)
    .with_jobs(2)
    .with_sprt(Some(sprt));
    let results = play(&tournament);
    let status = results.table.sprt.unwrap();
    assert_eq!(status.accepted, Some(Accepted::H1));
    assert!(status.llr >= status.upper && status.pairs < 500);
    assert!((results.records.len() as u64) < 1000);
    let whole = |record: &MatchRecord| record.end == MatchEnd::Terminal;
    assert!(results.records.values().all(whole));
    // What is decided is not played on.
    let (again, numbers) = resume(&tournament, results.records.clone());
    assert_eq!(numbers, [0; 0]);
    assert_eq!(again.table.sprt.unwrap(), status);
}

/// The role `up` never has one goal, so that its player loses: for the table, ratings and the test.
#[test]
fn an_undefined_goal_is_less_than_any() {
    let mut tournament = tournament(&["legal", "random:seed=1"], &[])
        .with_rounds(3)
        .with_sprt("0,10,0.1,0.1".parse().ok());
    tournament.games = vec![game_of("counter", COUNTER)];
    let table = play(&tournament).table;
    for standing in &table.standings {
        let results = (standing.wins, standing.draws, standing.losses);
        assert_eq!((results, standing.undefined), ((3, 0, 3), 3));
        assert_eq!(standing.mean_goal, Some(50.0));
    }
    let ratings = table.ratings.unwrap();
    assert!(ratings.iter().all(|rating| rating.elo.abs() < 1e-6));
    assert_eq!(table.sprt.unwrap().pairs, 3);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let sprt = "0,100,0.05,0.05".parse().ok();
    let mut of_chance = tournament(&["legal", "random"], &[]);
    of_chance.games = vec![game_of("chance", CHANCE)];
    let errors = [
        tournament(&["legal"], &["ticTacToe"]),
        tournament(&["legal", "random"], &["threePlayerTicTacToe"]),
        tournament(&["legal", "random", "random:seed=1"], &["ticTacToe"]).with_sprt(sprt),
        tournament(&["legal", "random"], &["pegTriangle"]).with_sprt(sprt),
        tournament(&["legal", "http://localhost:1"], &["ticTacToe"]).with_jobs(2),
        tournament(&["legal", "random"], &["ticTacToe", "ticTacToe"]),
        of_chance,
    ]
    .map(|tournament| tournament.matches().unwrap_err().to_string());
    assert_eq!(
        errors,
        [
            "ticTacToe needs 2 players; given: 1",
            "threePlayerTicTacToe needs 3 players; given: 2",
            "a test needs two players and games of two roles",
            "a test needs two players and games of two roles",
            "http://localhost:1 plays one match at a time: use --jobs 1",
            "two games have the name ticTacToe",
            "chance needs no player: every role is played by chance",
        ]
    );
    let deep = tournament(&["legal", "random"], &["ticTacToe"]).with_openings(Openings::Random(9));
    let played = deep.play(
        BTreeMap::new(),
        &Stop::new(),
        &mut |_| {},
        &mut |_, _, _| {},
    );
    let error = played.unwrap_err();
    assert!(matches!(error, TournamentError::Opening(_)), "{error}");
}

/// Players elsewhere know nothing of openings: they are led there.
#[test]
fn players_elsewhere_play_openings() {
    let server = serve(legal());
    let remote = format!("http://{}", server.address());
    let results =
        play(&tournament(&[&remote, "legal"], &["ticTacToe"]).with_openings(Openings::Random(3)));
    for record in results.records.values() {
        assert_eq!((record.end, record.opening), (MatchEnd::Terminal, 3));
        let illegal = record
            .errors
            .iter()
            .filter(|e| e.kind == PlayerErrorKind::Illegal);
        assert_eq!(illegal.count(), 0, "{:?}", record.errors);
        assert_eq!(record.errors, []);
    }
}

#[test]
fn the_command_writes_records_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let openings = "; the centre, and a corner\n\
        ticTacToe: (mark 2 2) | noop\nconnectFour: (drop 4) | noop; noop | (drop 4)\n\
        ticTacToe: ((mark 1 1) noop)\n";
    let openings = file(&folder, "openings.txt", openings);
    let (game, other) = (own("ticTacToe"), own("connectFour"));
    let players = [
        "--player",
        "random:seed=1",
        "--player",
        "random:seed=2",
        "--player",
        "legal",
    ];
    let with = |records: &str, rounds: &str, more: &[&str]| {
        let mut args = vec!["tournament", &game, &other, "--openings", &openings];
        args.extend(players);
        args.extend(["--seed", "5", "--start-clock", "100", "--play-clock", "100"]);
        args.extend(["--output", records, "--rounds", rounds]);
        args.extend(more);
        args.into_iter()
            .map(str::to_string)
            .collect::<Vec<String>>()
    };
    let run = |args: &[String]| {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        json(&args)
    };
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (whole, parts) = (path("whole.jsonl"), path("parts.jsonl"));
    let once = run(&with(&whole, "3", &["--jobs", "2"]));
    assert_eq!(once["table"]["matches"], 36);
    run(&with(&parts, "1", &[]));
    // Half a line is what a killed process leaves.
    let text = std::fs::read_to_string(&parts).unwrap();
    std::fs::write(&parts, &text[..text.len() - 100]).unwrap();
    let resumed = run(&with(&parts, "3", &["--resume"]));
    assert_eq!(resumed["table"], once["table"]);
    assert_eq!(resumed["steps"], once["steps"]);
    let numbers = |path: &str| -> BTreeSet<u64> {
        let text = std::fs::read_to_string(path).unwrap();
        let lines = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.map(|line| line["match"].as_u64().unwrap()).collect()
    };
    assert_eq!(numbers(&parts), (1..=36).collect());
    assert_eq!(numbers(&whole), (1..=36).collect());

    // Records of one of the games are replayed, and searched on from.
    let verified = stdout(propjit(&["verify", &game, "--trace", &whole]).success());
    assert!(verified.contains("ok"), "{verified}");
    let second = ["--history", &whole, "--match", "2", "--first", "1"];
    let advice = json(&[&["analyze", &game, "--playouts", "100"][..], &second].concat());
    assert!(
        advice["moves"]
            .as_array()
            .is_some_and(|moves| moves.len() == 8),
        "{advice}"
    );

    // Another tournament has another file.
    let args = with(&whole, "3", &["--resume", "--pairing", "gauntlet"]);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let told = stderr(propjit(&args).code(1));
    assert!(
        told.contains("belongs to another series: `tournament` is "),
        "{told}"
    );
    let bad = file(
        &folder,
        "bad.txt",
        "ticTacToe: (mark 4 4) | noop\nconnectFour: (drop 1) | noop\n",
    );
    let args = [
        "tournament",
        &game,
        "--openings",
        &bad,
        "--player",
        "legal",
        "--player",
        "random",
    ];
    let told = stderr(propjit(&args).code(1));
    assert!(
        told.contains("bad.txt:1 is not an opening of ticTacToe"),
        "{told}"
    );
    propjit(&["tournament", &game, "--player", "legal"]).code(2);
    propjit(&[
        "tournament",
        &game,
        "--player",
        "legal",
        "--sprt",
        "5,1,0.1,0.1",
    ])
    .code(2);
}

#[test]
fn openings_are_for_the_games_that_they_name() {
    let folder = tempfile::tempdir().unwrap();
    let listed = |text: &str| Openings::read(&file(&folder, "openings.txt", text)).unwrap();
    let both = "connectFour: (drop 4) | noop\nmy game:noop | (drop 4)\nticTacToe: (mark 2 2) | noop\n(mark 1 1) | noop\n";
    let tournament = tournament(&["legal", "random"], &["ticTacToe"]).with_rounds(2);
    let results = play(&tournament.clone().with_openings(listed(both)));
    let first = results
        .records
        .values()
        .map(|record| text(&record.steps[0][0]));
    let expected = ["(mark 2 2)", "(mark 2 2)", "(mark 1 1)", "(mark 1 1)"];
    assert_eq!(first.collect::<Vec<_>>(), expected);
    let other = tournament.with_openings(listed("connectFour: (drop 4) | noop"));
    let played = other.play(
        BTreeMap::new(),
        &Stop::new(),
        &mut |_| {},
        &mut |_, _, _| {},
    );
    let told = played.unwrap_err().to_string();
    assert!(told.ends_with("has no opening for ticTacToe"), "{told}");
    // What has a colon is not a game's name for that.
    let rules = "(role r) (init (at 0)) (succ 0 1) (succ 1 2) (legal r to:1)
        (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y)) (<= terminal (true (at 2))) (goal r 100)";
    let mut alone = self::tournament(&["legal"], &[]).with_openings(listed("to:1"));
    alone.games = vec![game_of("colons", rules)];
    assert_eq!(play(&alone).records[&0].opening, 1);
}

#[test]
fn the_command_prints_a_table() {
    let game = own("ticTacToe");
    let players = [
        "--player",
        "mcts:nodes=100,seed=1",
        "--player",
        "random:seed=1",
    ];
    let options = [
        "--rounds",
        "40",
        "--sprt",
        "0,200,0.05,0.05",
        "--seed",
        "1",
        "--openings",
        "random:1",
    ];
    let text =
        stdout(propjit(&[&["tournament", &game][..], &players, &options].concat()).success());
    let mut lines = text.lines();
    let first = lines.next().unwrap();
    assert!(
        first.starts_with("ticTacToe: ") && first.ends_with(", openings random:1"),
        "{text}"
    );
    assert!(lines.next().unwrap().ends_with("Elo"), "{text}");
    // The better one is first.
    assert!(
        lines.next().unwrap().starts_with("mcts:nodes=100,seed=1 "),
        "{text}"
    );
    assert!(text.contains("SPRT: H1 is accepted after "), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn jobs_have_processors_of_their_own() {
    use rustix::thread::{CpuSet, sched_getaffinity};
    let processors = || -> Vec<usize> {
        let set = sched_getaffinity(None).unwrap();
        (0..CpuSet::MAX_CPU).filter(|&at| set.is_set(at)).collect()
    };
    let all = processors();
    let jobs = all.len().min(2);
    // What threads of players have, and those of the pool that all players share.
    let (tell, told) = unbounded();
    let pool = propjit_jit::parallel::pool().unwrap();
    let player = scripted("bound", move |_| {
        tell.send((processors(), pool.broadcast(|_| processors())))
            .unwrap();
        Ok(Choice::new("noop"))
    });
    let mut bound = tournament(&["random"], &["ticTacToe"])
        .with_jobs(jobs)
        .with_cores(Some(1))
        .with_rounds(4);
    bound.players.push(player);
    bound.config.forgiving = true;
    assert!(play(&bound).failure.is_none());
    let (own, shared): (Vec<_>, Vec<_>) = told.try_iter().unzip();
    assert!(own.iter().all(|own| own.len() == 1), "{own:?}");
    assert!(
        shared.iter().flatten().all(|shared| *shared == all),
        "{shared:?}"
    );
    bound.jobs = all.len() + 1;
    let error = bound.play(
        BTreeMap::new(),
        &Stop::new(),
        &mut |_| {},
        &mut |_, _, _| {},
    );
    assert!(matches!(error, Err(TournamentError::Cores(_))), "{error:?}");
}

/// Some openings of the given number of random moves are not found; what was played before counts.
#[test]
fn a_tournament_that_cannot_go_on_has_a_table() {
    let game = own("connectFour");
    let options = ["--rounds", "300", "--openings", "random:41", "--seed", "1"];
    let players = ["--player", "random", "--player", "legal"];
    let ended = propjit(&[&["tournament", &game][..], &players, &options].concat()).code(1);
    let (table, told) = (ended.get_output().stdout.clone(), stderr(ended));
    assert!(String::from_utf8(table).unwrap().contains("Elo"));
    assert!(
        told.contains("random joint moves") && !told.contains("forgiving"),
        "{told}"
    );
}
