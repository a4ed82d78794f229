//! The referee: with players that behave and players that do not, in this process and
//! elsewhere.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::common;
use crate::common::command::{file, json, own, propjit, stderr, stdout};
use crate::common::players::{crasher, parrot, scripted, thinker};
use crate::common::{COUNTER, ENDLESS, own_game};
use propjit::Stop;
use propjit::game::Setup;
use propjit::machine::{Backend, Move, RoleId};
use propjit::matches::{
    Board, Choice, Ending, MatchConfig, MatchEnd, MatchRecord, MoveRecord, Player, PlayerError,
    PlayerErrorKind, PlayerFactory, Rulesheet, Series, SeriesError, SeriesResults,
};
use propjit::protocol::Server;
use propjit_gdl::ground::GroundLimits;
use propjit_gdl::prover::ProverLimits;

fn spec(text: &str) -> PlayerFactory {
    text.parse().unwrap()
}

fn sheet(rules: &str) -> Arc<Rulesheet> {
    Arc::new(Rulesheet::parse("test.kif", rules, Setup::default()).unwrap())
}

fn own_sheet(name: &str) -> Arc<Rulesheet> {
    sheet(own_game(name).rules().source.text())
}

/// Matches with clocks that are long enough for players without errors.
fn series(players: &[PlayerFactory], matches: u64) -> Series {
    let clock = Duration::from_secs(20);
    let config = MatchConfig::new(clock, clock).with_forgiving(true);
    Series::new(players.to_vec(), config)
        .with_matches(matches)
        .with_name("test".to_string())
        .with_seed(1)
}

fn play(series: &Series, sheet: &Arc<Rulesheet>) -> SeriesResults {
    series.play(sheet, &Stop::new(), &|_, _| {}).unwrap()
}

/// The record without what depends on time.
fn timeless(results: &SeriesResults) -> Vec<MatchRecord> {
    let mut records = results.records.clone();
    for record in &mut records {
        for played in record.steps.iter_mut().flatten() {
            played.seconds = None;
        }
        record.start_seconds.clear();
        record.stop_seconds.clear();
    }
    records
}

#[test]
fn matches_follow_the_rules() {
    let sheet = own_sheet("ticTacToe");
    let mut series = series(&[spec("random"), spec("legal")], 10);
    series.swap = true;
    let results = play(&series, &sheet);
    let game = own_game("ticTacToe");
    let mut machine = game.machine(game.backend()).unwrap();
    for (number, record) in results.records.iter().enumerate() {
        assert_eq!(record.end, MatchEnd::Terminal);
        assert!(record.errors.is_empty());
        let mut names = vec![Some("random".to_string()), Some("legal".to_string())];
        names.rotate_left(number % 2);
        assert_eq!(record.players, names);
        let mut state = machine.initial_state().unwrap();
        for step in &record.steps {
            let moves = RoleId::first(2).zip(step);
            let joint: Vec<Move> = moves
                .map(|(role, played)| machine.parse_move(role, &played.text).unwrap())
                .collect();
            state = machine.next_state(&state, &joint).unwrap();
            assert!(step.iter().all(|played| played.seconds.is_some()));
        }
        assert!(machine.is_terminal(&state).unwrap());
        let goals = RoleId::first(2).map(|role| machine.goal(&state, role).ok());
        assert_eq!(record.goals, goals.collect::<Vec<_>>());
    }
    // The seed decides everything.
    assert_eq!(timeless(&results), timeless(&play(&series, &sheet)));
    // Matches of one seed differ.
    let moves = |record: &MatchRecord| {
        format!("{:?}", record.steps.len()) + &format!("{:?}", record.last_moves())
    };
    let first = moves(&results.records[0]);
    assert!(results.records.iter().any(|record| moves(record) != first));
    let text = serde_json::to_string(&results.records).unwrap();
    let read: Vec<MatchRecord> = serde_json::from_str(&text).unwrap();
    assert_eq!(timeless(&results).len(), read.len());
}

#[test]
fn chance_is_played_by_the_referee() {
    let sheet = own_sheet("piglet");
    let roles = sheet.roles();
    let others = roles.iter().filter(|role| *role != "random").count();
    assert!(others < roles.len());
    let results = play(&series(&vec![spec("legal"); others], 1), &sheet);
    let record = &results.records[0];
    for (role, player) in roles.iter().zip(&record.players) {
        assert_eq!(player.is_none(), role == "random");
    }
    let wrong = series(&vec![spec("legal"); roles.len()], 1);
    let error = wrong.play(&sheet, &Stop::new(), &|_, _| {}).unwrap_err();
    assert!(matches!(error, SeriesError::Players { .. }), "{error}");
}

#[test]
fn errors_of_players_are_recorded_and_their_moves_replaced() {
    let sheet = sheet(COUNTER);
    for (player, kind, text) in [
        (
            crasher(),
            PlayerErrorKind::Failure,
            "the player crashed: on purpose",
        ),
        (parrot("three"), PlayerErrorKind::Illegal, "three"),
        (parrot(")"), PlayerErrorKind::Illegal, ")"),
        (parrot("wait"), PlayerErrorKind::Illegal, "wait"),
        (
            thinker("one"),
            PlayerErrorKind::Timeout,
            "no answer in time",
        ),
    ] {
        let mut series = series(&[player, spec("legal")], 2);
        if kind == PlayerErrorKind::Timeout {
            series.config.play_clock = Duration::from_millis(20);
            series.config.grace = Duration::from_millis(20);
        }
        let results = play(&series, &sheet);
        for record in &results.records {
            assert_eq!(record.end, MatchEnd::Terminal);
            let of_first = || record.errors.iter().filter(|error| error.role == "up");
            assert_eq!(of_first().count(), record.steps.len());
            for (step, error) in of_first().enumerate() {
                assert_eq!(
                    (error.step, error.kind, &*error.text),
                    (Some(step), kind, text)
                );
                assert!(["one", "two"].contains(&&*record.steps[step][0].text));
            }
        }
    }
}

#[test]
fn a_player_that_cannot_be_made_is_replaced_in_every_step() {
    let sheet = sheet(COUNTER);
    let spec = PlayerFactory::new("none", |_| panic!("no player"));
    let results = play(&series(&[spec, self::spec("legal")], 1), &sheet);
    let record = &results.records[0];
    assert_eq!(record.errors.len(), 1 + record.steps.len());
    assert_eq!(record.errors[0].step, None);
    assert_eq!(results.standings[0].failures, record.errors.len() as u64);
}

#[test]
fn odd_ends_are_recorded() {
    let counter = play(
        &series(&[spec("random"), spec("legal")], 20),
        &sheet(COUNTER),
    );
    // At four it has no goal, at five it has two.
    assert_eq!(counter.standings[0].undefined, 20);
    assert_eq!(counter.standings[0].score, None);
    assert_eq!(counter.standings[1].wins, 20);
    let mut walks = series(&[spec("random")], 40);
    walks.config.max_steps = 3;
    let ends: Vec<MatchEnd> = play(&walks, &sheet(ENDLESS))
        .records
        .iter()
        .map(|record| record.end)
        .collect();
    // Each misses with a probability of less than 0.01 (stuck: 7/8 of the walks).
    assert!(ends.contains(&MatchEnd::Stuck) && ends.contains(&MatchEnd::Truncated));
}

#[test]
fn a_game_that_becomes_too_hard_ends_the_match() {
    let numbers: String = (0..40).map(|number| format!("(d {number})")).collect();
    let rules = format!(
        "(role r) (init (at a)) {numbers}
        (<= (next (at b)) (true (at a))) (<= (next (at b)) (true (at b)))
        (<= (same ?x ?y ?z) (true (at b)) (d ?x) (d ?y) (d ?z) (not (at-most ?x ?y ?z)))
        (<= (at-most ?x ?y ?z) (true (at b)) (d ?x) (d ?y) (d ?z))
        (<= (legal r go) (true (at a))) (<= (legal r go) (same ?x ?y ?z))
        (<= terminal (true (at c))) (goal r 0) (<= (next (at c)) (true (at c)))"
    );
    let setup = Setup::default()
        .with_backend(Some(Backend::Prover))
        .with_prover(ProverLimits::default().with_steps(10_000));
    let sheet = Arc::new(Rulesheet::parse("hard.kif", &rules, setup).unwrap());
    let record = play(&series(&[spec("random")], 1), &sheet)
        .records
        .remove(0);
    assert_eq!(record.end, MatchEnd::Failed);
    assert_eq!(record.steps.len(), 1);
    assert!(
        record
            .failure
            .unwrap()
            .contains("limit of 10000 evaluation steps")
    );
}

#[test]
fn a_stopped_series_has_the_matches_played_so_far() {
    let stop = Stop::new();
    let mut series = series(&[thinker("one"), spec("legal")], 5);
    series.config.play_clock = Duration::from_secs(100_000);
    let results = series
        .play(&sheet(COUNTER), &stop, &|number, _| {
            if number == 0 {
                stop.set();
            }
        })
        .unwrap();
    assert!(results.interrupted);
    assert_eq!(results.records.len(), 1);
    assert_eq!(results.records[0].end, MatchEnd::Interrupted);
    assert_eq!(results.standings[0].timeouts, 0);
}

fn loopback() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, 0))
}

/// A player at a port, and what it is called.
fn serve(player: PlayerFactory) -> (Server, PlayerFactory) {
    let server = common::http::serve(player);
    let remote = spec(&format!("http://{}", server.address()));
    (server, remote)
}

#[test]
fn matches_with_players_elsewhere() {
    let (_first, remote) = serve(spec("random"));
    let (_second, other) = serve(spec("legal"));
    for (name, players) in [
        ("ticTacToe", vec![remote.clone(), other.clone()]),
        ("connectFour", vec![spec("random"), remote.clone()]),
        ("tron", vec![other.clone(), remote.clone()]),
        (
            "threePlayerTicTacToe",
            vec![remote.clone(), spec("legal"), other.clone()],
        ),
        ("pegTriangle", vec![remote.clone()]),
        ("piglet", vec![remote, other]),
    ] {
        let mut series = series(&players, 2);
        series.swap = true;
        // The players are done before: random ones think no longer than they must.
        let results = play(&series, &own_sheet(name));
        for record in &results.records {
            assert_eq!(record.end, MatchEnd::Terminal, "{name}");
            assert_eq!(record.errors, [], "{name}");
        }
    }
}

/// Games that are soon solved: then nobody waits for clocks.
#[test]
fn a_searching_player_elsewhere_makes_no_mistakes() {
    let (_servers, players): (Vec<_>, Vec<_>) = (0..2).map(|_| serve(spec("mcts"))).unzip();
    for (name, goals) in [
        ("ticTacToe", vec![Some(50), Some(50)]),
        ("pegTriangle", vec![Some(100)]),
        ("untwistyCorridor", vec![Some(100)]),
    ] {
        let mut series = series(&players[..goals.len()], 3);
        series.swap = true;
        for record in play(&series, &own_sheet(name)).records {
            assert_eq!(record.errors, [], "{name}");
            assert_eq!(record.goals, goals, "{name}");
        }
    }
}

#[test]
fn a_busy_player_elsewhere_is_replaced() {
    let (server, remote) = serve(spec("random"));
    let rules = COUNTER.replace('\n', " ");
    let start = format!("(START other up ({rules}) 10 10)");
    assert_eq!(common::http::post(server.address(), &start), "ready");
    let results = play(&series(&[remote, spec("legal")], 1), &sheet(COUNTER));
    let record = &results.records[0];
    assert_eq!(record.end, MatchEnd::Terminal);
    assert_eq!(record.errors.len(), 1 + record.steps.len());
    assert!(
        record
            .errors
            .iter()
            .all(|error| error.kind == PlayerErrorKind::Illegal)
    );
    // It has not been disturbed.
    assert_eq!(
        common::http::post(server.address(), "(ABORT other)"),
        "aborted"
    );
}

/// Answers every connection with these bytes, or takes it and says nothing.
fn foreign(answer: Option<&'static [u8]>) -> PlayerFactory {
    let listener = TcpListener::bind(loopback()).unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let mut held = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            match answer {
                Some(answer) => {
                    let _ = stream.read(&mut [0; 1 << 16]);
                    let _ = stream.write_all(answer);
                }
                None => held.push(stream),
            }
        }
    });
    spec(&format!("http://{address}/"))
}

/// A player that is still busy is asked again before a match, until it is free.
#[test]
fn a_player_elsewhere_may_be_busy_for_a_moment() {
    let listener = TcpListener::bind(loopback()).unwrap();
    let address = listener.local_addr().unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 1 << 16]);
            let status = match count.fetch_add(1, Ordering::SeqCst) {
                0..3 => "busy",
                _ => "available",
            };
            let body = format!("((name patient) (status {status}))");
            let length = body.len();
            let answer = format!("HTTP/1.0 200 OK\r\nContent-length: {length}\r\n\r\n{body}");
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    let player = spec(&format!("http://{address}"));
    player.wait_until_free(&Stop::new()).unwrap();
    assert_eq!(asked.load(Ordering::SeqCst), 4);
}

#[test]
fn players_elsewhere_that_do_wrong_are_replaced() {
    let nobody = {
        let listener = TcpListener::bind(loopback()).unwrap();
        spec(&format!("http://{}", listener.local_addr().unwrap()))
    };
    let silent = || foreign(None);
    for (player, kind) in [
        (nobody, PlayerErrorKind::Connection),
        (silent(), PlayerErrorKind::Timeout),
        (foreign(Some(b"")), PlayerErrorKind::Connection),
        (foreign(Some(b"\xff\xfe\r\n\r\n")), PlayerErrorKind::Illegal),
        (
            foreign(Some(b"HTTP/1.0 200 OK\r\n\r\nfly")),
            PlayerErrorKind::Illegal,
        ),
        (
            foreign(Some(b"HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\none")),
            PlayerErrorKind::Connection,
        ),
    ] {
        let mut series = series(&[player.clone(), spec("legal")], 1);
        if kind == PlayerErrorKind::Timeout {
            let short = Duration::from_millis(20);
            series.config.start_clock = short;
            series.config.play_clock = short;
            series.config.grace = short;
        }
        let record = play(&series, &sheet(COUNTER)).records.remove(0);
        assert_eq!(record.end, MatchEnd::Terminal);
        let of_first: Vec<_> = record
            .errors
            .iter()
            .filter(|error| error.role == "up")
            .collect();
        assert_eq!(of_first.len(), 1 + record.steps.len(), "{player}");
        for error in of_first {
            assert_eq!(error.kind, kind, "{player}: {}", error.text);
        }
    }
}

/// Without forgiveness, a player that does not come, or fails again and again, ends the series.
#[test]
fn a_player_that_fails_too_often_ends_the_series() {
    let strict = |players: &[PlayerFactory], matches| {
        let mut series = series(players, matches);
        series.config.forgiving = false;
        play(&series, &sheet(LONG))
    };
    for player in [crasher(), parrot("three")] {
        let results = strict(&[player.clone(), spec("legal")], 5);
        let record = &results.records[0];
        assert_eq!(results.records.len(), 1);
        assert_eq!((record.end, record.steps.len()), (MatchEnd::Abandoned, 2));
        assert_eq!(record.errors.len(), 3);
        let failure = results.failure.unwrap();
        assert_eq!(record.failure.as_ref(), Some(&failure));
        let said = format!("{player} as up failed 3 times in a row: ");
        assert!(failure.starts_with(&said), "{failure}");
    }
    // A mistake now and then is none.
    let mut count = 0;
    let sometimes = scripted("sometimes", move |_| {
        count += 1;
        Ok(Choice::new(if count % 3 == 0 { "one" } else { "three" }))
    });
    let results = strict(&[sometimes, spec("legal")], 2);
    assert_eq!((results.failure, results.records.len()), (None, 2));
    // Who is in a match of somebody else does not come.
    let (server, remote) = serve(spec("random"));
    let rules = COUNTER.replace('\n', " ");
    let start = format!("(START other up ({rules}) 10 10)");
    assert_eq!(common::http::post(server.address(), &start), "ready");
    let results = strict(&[remote, spec("legal")], 5);
    assert_eq!(results.records, []);
    let failure = results.failure.unwrap();
    assert!(failure.contains("takes no match: "), "{failure}");
}

/// A player elsewhere that takes long to hear of the end of a match is waited for.
#[test]
fn the_next_match_waits_for_the_end_of_the_last() {
    struct SlowEnd(Board, Arc<AtomicUsize>);
    impl Player for SlowEnd {
        fn prepare(&mut self, _: Instant, _: &Stop) -> Result<(), PlayerError> {
            assert_eq!(
                self.1.fetch_add(1, Ordering::SeqCst),
                0,
                "two matches at a time"
            );
            Ok(())
        }
        fn choose(&mut self, _: Instant, _: &Stop) -> Result<Choice, PlayerError> {
            Ok(Choice::new(self.0.legal_texts(RoleId(0))?[0].clone()))
        }
        fn advance(&mut self, joint: &[String]) -> Result<(), PlayerError> {
            Ok(self.0.advance(joint)?)
        }
        fn end(&mut self, _: &Ending) -> Result<(), PlayerError> {
            // Longer than the referee would wait in a hurry.
            thread::sleep(Duration::from_millis(2500));
            self.1.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        }
    }
    let active = Arc::new(AtomicUsize::new(0));
    let slow = PlayerFactory::new("slow", move |seat| {
        let board = Board::new(Box::new(seat.rulesheet.prover()?))?;
        Ok(Box::new(SlowEnd(board, active.clone())))
    });
    let results = play(&series(&[slow, spec("legal")], 2), &sheet(COUNTER));
    for record in &results.records {
        assert_eq!(record.errors, []);
        assert!(record.stop_seconds[0].unwrap() >= 2.5);
    }
}

/// A counter up to nine.
const LONG: &str = "
    (role up) (role idle) (init (at 0)) (legal idle wait) (legal up one) (legal up two)
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
    (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
    (<= terminal (true (at 9))) (goal up 100) (goal idle 0)
";

#[test]
fn players_elsewhere_may_be_sloppy() {
    for answer in [
        &b"HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: 3\r\n\r\none"[..],
        b"HTTP/1.1 200 OK\nContent-Length: 9\n\n( ONE ) \n",
        b"HTTP/1.0 200 OK\n\none",
        b"HTTP/1.0 200 OK\n\n  (One",
    ] {
        let player = foreign(Some(answer));
        let record = play(&series(&[player, spec("legal")], 1), &sheet(COUNTER))
            .records
            .remove(0);
        let complete = !answer.ends_with(b"(One");
        // Only that it is not ready is wrong.
        assert_eq!(record.errors.len() == 1, complete, "{:?}", record.errors);
        assert_eq!(
            record.steps.iter().all(|step| step[0].text == "one"),
            complete
        );
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
    let written = propjit::matches::read_records(records.as_ref()).unwrap();
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
        told.contains("http://127.0.0.1:1 takes no match: the connection failed"),
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

/// Who searches plays games perfectly that are small enough, and loses to nobody there.
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
    let setup =
        Setup::default().with_ground(GroundLimits::default().with_time(Duration::from_millis(100)));
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
    let short = spec("mcts:seconds=0.01");
    let begun = Instant::now();
    play(&series(&[short, spec("random")], 1), &sheet);
    // A move could take 20 s.
    assert!(begun.elapsed() < Duration::from_secs(20));
    let error = "mcts:playouts=100".parse::<PlayerFactory>().unwrap_err();
    assert!(error.to_string().contains("`total-playouts`"), "{error}");
}
