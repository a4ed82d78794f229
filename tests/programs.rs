//! Programs as players, and `propjit engine`: the two sides of the line protocol.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use propjit::Stop;
use propjit::game::load::Setup;
use propjit::play::matches::{
    MatchConfig, MatchEnd, PlayerErrorKind, PlayerFactory, Rulesheet, Series, SeriesResults,
};
use propjit_gdl::games;
use serde_json::{Value, json};

use crate::common;
use crate::common::command::{file, has_python, json as report, own};

/// `propjit engine` at work.
struct Engine {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Engine {
    fn start(args: &[&str]) -> Engine {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("propjit"));
        command
            .env("PROPJIT_CACHE", "off")
            .env("PROPJIT_CONFIG", "off");
        let piped = command.arg("engine").args(args).stdin(Stdio::piped());
        let mut child = piped.stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Engine { child, output }
    }

    fn send(&mut self, request: &Value) {
        let input = self.child.stdin.as_mut().unwrap();
        writeln!(input, "{request}").unwrap();
    }

    fn reply(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    fn query(&mut self, request: Value) -> Value {
        self.send(&request);
        self.reply()
    }

    fn load(&mut self, game: &str) -> Value {
        let rules = games::text(game).unwrap();
        self.query(json!({"id": 0, "load": {"version": 1, "name": game, "rules": rules}}))
    }

    /// Ends the input and waits for the program.
    fn finish(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

#[test]
fn an_engine_answers_about_many_positions() {
    let mut engine = Engine::start(&["--seed", "1"]);
    let early = engine.query(json!({"id": 9, "legal": {}}));
    assert_eq!(
        early,
        json!({"id": 9, "error": {"message": "no game is loaded"}})
    );
    assert_eq!(
        engine.load("ticTacToe")["loaded"]["roles"],
        json!(["x", "o"])
    );

    let moves = json!([["(mark 2 2)", "noop"], ["noop", "(mark 1 2)"]]);
    let state = engine.query(json!({"id": 1, "position": {"moves": moves}}));
    let holds = ["(cell 1 2 o)", "(cell 2 2 x)", "(control x)"];
    let expected = json!({"depth": 2, "terminal": false, "propositions": holds});
    assert_eq!(state, json!({"id": 1, "state": expected}));
    let legal = engine.query(json!({"legal": {"role": "o"}}));
    assert_eq!(
        legal,
        json!({"legal": {"roles": [{"role": "o", "moves": ["noop"]}]}})
    );
    assert_eq!(
        engine.query(json!({"legal": {}}))["legal"]["roles"][0]["moves"]
            .as_array()
            .unwrap()
            .len(),
        7
    );

    // What x can force is found, and then played to its end.
    let said = engine.query(json!({"id": 2, "go": {"role": "x", "nodes": 10_000}}));
    assert_eq!(said["move"]["statistics"]["value"], 100.0);
    assert_eq!(said["move"]["statistics"]["solved"], true);
    for (turn, role) in ["x", "o", "x", "o", "x"].into_iter().enumerate() {
        let played = engine.query(json!({"go": {"role": role, "nodes": 10_000}}));
        let played = played["move"]["move"].as_str().unwrap().to_string();
        let joint = match turn % 2 {
            0 => [played.as_str(), "noop"],
            _ => ["noop", played.as_str()],
        };
        let state = engine.query(json!({"apply": {"moves": joint}}));
        if state["state"]["terminal"] == true {
            assert_eq!(state["state"]["goals"], json!([100, 0]));
            break;
        }
        assert!(turn < 4, "{state}");
    }

    // No role moves when the match is over.
    let legal = engine.query(json!({"legal": {}}));
    let nothing = json!([{"role": "x", "moves": []}, {"role": "o", "moves": []}]);
    assert_eq!(legal["legal"]["roles"], nothing);
    for request in [
        json!({"go": {"role": "x", "nodes": 10}}),
        json!({"go": {"role": "o", "nodes": 10}}),
        json!({"apply": {"moves": ["noop", "(mark 3 3)"]}}),
    ] {
        let reply = engine.query(request);
        let message = reply["error"]["message"].as_str().unwrap();
        assert!(message.contains("the match is over"), "{reply}");
    }

    // What is wrong changes nothing.
    let before = engine.query(json!({"position": {"moves": [["(mark 1 1)", "noop"]]}}));
    for (wrong, said) in [
        (
            json!({"apply": {"moves": ["noop", "(mark 1 1)"]}}),
            "o may not play (mark 1 1) here",
        ),
        (
            json!({"apply": {"moves": ["noop"]}}),
            "1 moves were given for 2 roles",
        ),
        (
            json!({"position": {"moves": [["noop", "noop"]]}}),
            "x may not play noop here",
        ),
        (
            json!({"go": {"role": "z"}}),
            "`z` is not a role; there are x, o",
        ),
        (json!({"go": {"role": "x", "seconds": -1.0}}), "x"),
        (json!({"jump": {}}), "not a request: "),
        (
            json!({"load": {"version": 2, "name": "", "rules": ""}}),
            "version 2 is not supported",
        ),
    ] {
        let reply = engine.query(wrong.clone());
        match reply["error"]["message"].as_str() {
            Some(message) => assert!(message.contains(said), "{wrong}: {message}"),
            // The only move needs no time.
            None => assert_eq!(reply["move"]["move"], "noop"),
        }
    }
    // What is wrong in a request has its number, and lines that are no text are no requests.
    for (wrong, said) in [
        (json!({"id": 7, "go": {"role": "x", "nodes": -5}}), "`go`: "),
        (json!({"id": 7, "go": {}}), "missing field `role`"),
        (
            json!({"id": 7, "jump": {}}),
            "load, position, apply, observe, legal, go, stop",
        ),
    ] {
        let reply = engine.query(wrong);
        assert_eq!(reply["id"], 7);
        let message = reply["error"]["message"].as_str().unwrap();
        assert!(message.contains(said), "{message}");
    }
    // A number that no reply could have is refused.
    for id in [json!(20.5), json!(1e20), json!(-1), json!("one")] {
        let reply = engine.query(json!({"id": id, "legal": {}}));
        let message = reply["error"]["message"].as_str().unwrap();
        assert!(
            message.contains("not a whole number from 0 to"),
            "{message}"
        );
        assert!(reply.get("id").is_none());
    }
    let input = engine.child.stdin.as_mut().unwrap();
    input.write_all(b"\xff\xfe\n").unwrap();
    assert!(engine.reply()["error"]["message"].is_string());
    let state = engine.query(json!({"apply": {"moves": ["noop", "(mark 2 2)"]}}));
    assert_eq!(state["state"]["depth"], 2);
    assert_eq!(before["state"]["depth"], 1);
    // Another game takes the place of this one.
    assert_eq!(
        engine.load("connectFour")["loaded"]["roles"],
        json!(["red", "yellow"])
    );
    assert_eq!(engine.query(json!({"position": {}}))["state"]["depth"], 0);
    engine.finish();
}

#[test]
fn a_choice_without_end_is_stopped() {
    let mut engine = Engine::start(&[]);
    engine.load("connectFour");
    engine.send(&json!({"id": 5, "go": {"role": "red"}}));
    engine.send(&json!({"stop": {}}));
    let reply = engine.reply();
    assert_eq!(reply["id"], 5);
    assert!(
        reply["move"]["move"]
            .as_str()
            .unwrap()
            .starts_with("(drop ")
    );
    // Also if it comes at once, or there is nothing to stop.
    engine.send(&json!({"stop": {}}));
    engine.send(&json!({"go": {"role": "red"}}));
    engine.send(&json!({"stop": {}}));
    assert!(engine.reply()["move"]["move"].is_string());
    // Also if more is asked meanwhile.
    engine.send(&json!({"id": 6, "go": {"role": "red"}}));
    engine.send(&json!({"id": 7, "legal": {"role": "red"}}));
    engine.send(&json!({"stop": {}}));
    assert_eq!(
        [engine.reply()["id"].take(), engine.reply()["id"].take()],
        [6, 7]
    );
    engine.send(&json!({"go": {"role": "red"}}));
    engine.send(&json!({"legal": {"role": "red"}}));
    engine.finish();
    let mut engine = Engine::start(&[]);
    engine.load("connectFour");
    // And by the end of the input.
    engine.send(&json!({"go": {"role": "red"}}));
    engine.finish();
}

#[test]
fn the_same_requests_get_the_same_moves() {
    let said = || {
        let mut engine = Engine::start(&["--seed", "3", "--nodes", "300", "--backend", "lanes"]);
        engine.load("connectFour");
        let first = engine.query(json!({"go": {"role": "red"}}));
        let moves = json!([["(drop 1)", "noop"]]);
        engine.query(json!({"position": {"moves": moves}}));
        let second = engine.query(json!({"go": {"role": "yellow", "playouts": 2000}}));
        engine.finish();
        [first, second].map(|mut said| {
            said["move"]["statistics"]["seconds"].take();
            said
        })
    };
    let once = said();
    assert!(once[0]["move"]["statistics"]["nodes"].as_u64().unwrap() >= 300);
    assert_eq!(once, said());
}

fn sheet(name: &str) -> Arc<Rulesheet> {
    let rules = games::text(name).unwrap();
    Arc::new(Rulesheet::parse(name, rules, Setup::default()).unwrap())
}

/// Two matches of tic-tac-toe of a command against `legal`, with sides changed.
fn play(command: &str, forgiving: bool) -> SeriesResults {
    let player: PlayerFactory = format!("cmd:{command}").parse().unwrap();
    let clock = Duration::from_secs(20);
    let mut config = MatchConfig::new(clock, clock).with_forgiving(forgiving);
    if forgiving {
        let short = Duration::from_millis(300);
        config = MatchConfig::new(short, short)
            .with_forgiving(true)
            .with_grace(Duration::from_millis(200));
    }
    let series = Series::new(vec![player, "legal".parse().unwrap()], config);
    let series = series.with_matches(2).with_swap(true);
    series
        .play(&sheet("ticTacToe"), &Stop::new(), &|_, _| {})
        .unwrap()
}

#[test]
fn the_agent_in_python_plays() {
    if !has_python() {
        return;
    }
    let agent = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/agent.py");
    let results = play(&format!("python3 {} 7", agent.display()), false);
    assert_eq!(results.failure, None);
    for record in &results.records {
        assert_eq!(
            (record.end, &record.errors[..]),
            (MatchEnd::Terminal, &[][..])
        );
    }
    // It reports how many moves there were.
    let first = &results.records[0].steps[0][0];
    assert_eq!(first.statistics, Some(json!({"moves": 9})));
    assert!(first.seconds.is_some());
}

#[test]
fn propjit_itself_is_a_program() {
    let engine = assert_cmd::cargo::cargo_bin!("propjit")
        .display()
        .to_string();
    let player = format!("cmd:{engine} engine --nodes 3000 --seed 1 --no-cache --no-profile");
    let game = own("ticTacToe");
    let args = [
        "match", &game, "--player", &player, "--player", "random", "--games", "4",
    ];
    let options = [
        "--swap",
        "--seed",
        "1",
        "--play-clock",
        "100",
        "--start-clock",
        "100",
    ];
    let report = report(&[&args[..], &options].concat());
    let standing = &report["standings"][0];
    assert_eq!(standing["player"], *player);
    assert_eq!(standing["losses"], 0);
    for errors in ["timeouts", "illegal", "failures"] {
        assert_eq!(standing[errors], 0, "{report}");
    }
}

/// Programs that break the protocol are given the reason, and end the series or are replaced.
#[cfg(unix)]
#[test]
fn programs_that_do_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let script = |name: &str, text: &str| format!("sh {}", file(&folder, name, text));
    // The number comes after `"id":`.
    let answer = |go: &str| {
        format!(
            r#"while read -r line; do id=${{line#*:}}; id=${{id%%,*}}; case $line in
            *'"load"'*) echo "{{\"id\":$id,\"loaded\":{{}}}}";; *'"go"'*) {go};; *'"stop"'*) ;;
            *) echo "{{\"id\":$id,\"state\":{{}}}}";; esac; done"#
        )
    };
    for (name, text, kind, why) in [
        (
            "ends",
            "exit 3".to_string(),
            PlayerErrorKind::Connection,
            "the program has ended",
        ),
        (
            "babbles",
            "echo hello; cat".to_string(),
            PlayerErrorKind::Connection,
            "`hello` is not a reply",
        ),
        (
            "refuses",
            "read line; echo '{\"error\":{\"message\":\"too\\u001b[2J\\u202ehard\"},\"state\":null}'; cat >/dev/null"
                .to_string(),
            PlayerErrorKind::Failure,
            "error from the program: too [2J hard",
        ),
        (
            "contradicts",
            "echo '{\"loaded\":{},\"error\":{\"message\":\"no\"}}'; cat >/dev/null".to_string(),
            PlayerErrorKind::Connection,
            "it has both `error` and `loaded`",
        ),
        (
            "counts",
            "echo '{\"id\":\"one\",\"loaded\":{}}'; cat >/dev/null".to_string(),
            PlayerErrorKind::Connection,
            "`id` is \"one\", not a whole number",
        ),
        (
            "evades",
            "echo '{\"id\":1}'; cat >/dev/null".to_string(),
            PlayerErrorKind::Connection,
            "it has none of the fields loaded, state, belief, legal, move, error",
        ),
    ] {
        let results = play(&script(name, &text), false);
        let failure = results.failure.expect("the series ends early");
        assert!(
            failure.contains("did not accept the match") && failure.contains(why),
            "{failure}"
        );
        assert_eq!(results.records[0].errors[0].kind, kind, "{name}");
    }
    let missing = play("/nowhere/agent", false).failure.unwrap();
    assert!(
        missing.contains(
            "did not accept the match: the connection failed: cannot start `/nowhere/agent`"
        ),
        "{missing}"
    );

    let illegal = play(
        &script(
            "illegal",
            &answer("echo '{\"move\":{\"move\":\"(mark 9 9)\"}}'"),
        ),
        false,
    );
    let failure = illegal.failure.unwrap();
    assert!(failure.contains("`(mark 9 9)` is not legal"), "{failure}");

    let failing = [
        (
            "fails",
            "echo '{\"error\":{\"message\":\"out of memory\"}}'",
            "error from the program: out of memory",
        ),
        (
            "mistakes",
            "echo '{\"state\":{}}'",
            "is not a reply to the request",
        ),
    ];
    for (name, reply, why) in failing {
        let results = play(&script(name, &answer(reply)), false);
        let errors = &results.records[0].errors;
        assert!(
            errors.iter().all(|e| e.kind == PlayerErrorKind::Failure),
            "{errors:?}"
        );
        let failure = results.failure.unwrap();
        assert!(failure.contains(why), "{failure}");
    }

    // One that is late is replaced, and its late answers are not taken for others.
    let late = r#"sleep 0.7; echo "{\"id\":$id,\"move\":{\"move\":\"noop\"}}""#;
    let results = play(&script("late", &answer(late)), true);
    for record in &results.records {
        assert_eq!(record.end, MatchEnd::Terminal);
        let late = record
            .errors
            .iter()
            .filter(|e| e.kind == PlayerErrorKind::Timeout);
        assert!(late.count() > 0, "{:?}", record.errors);
        let illegal = record
            .errors
            .iter()
            .filter(|e| e.kind == PlayerErrorKind::Illegal);
        assert_eq!(illegal.count(), 0, "{:?}", record.errors);
    }
}

/// What a program has started and left behind when it ended by itself is ended, too.
#[cfg(target_os = "linux")]
#[test]
fn programs_leave_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("id");
    let text = format!("sleep 1000 >/dev/null & echo $! > {}", note.display());
    let failure = play(&format!("sh {}", file(&folder, "ends", &text)), false).failure;
    assert!(failure.unwrap().contains("the program has ended"));
    let id = std::fs::read_to_string(note).unwrap();
    let stat = format!("/proc/{}/stat", id.trim());
    // Its parent may not have waited for it yet.
    let runs = || std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "));
    common::wait_until("the end of what it started", || !runs());
}

/// A line that is too long is one request that cannot be understood.
#[test]
fn a_line_that_is_too_long_is_answered_once() {
    let mut engine = Engine::start(&[]);
    let long = "x".repeat((1 << 26) + 10);
    writeln!(engine.child.stdin.as_mut().unwrap(), "{long}").unwrap();
    let error = engine.reply();
    assert!(
        error["error"]["message"]
            .as_str()
            .unwrap()
            .starts_with("not a request"),
        "{error}"
    );
    assert_eq!(engine.load("ticTacToe")["id"], 0);
    engine.finish();
}

#[cfg(unix)]
#[test]
fn a_signal_ends_an_engine_whose_replies_are_not_read() {
    let mut engine = Engine::start(&[]);
    engine.load("ticTacToe");
    for _ in 0..2_000 {
        engine.send(&json!({"legal": {}}));
    }
    // Until then, it has written as much as a pipe takes; should it not have, the test is easier to pass.
    std::thread::sleep(Duration::from_millis(500));
    crate::common::command::interrupt(&engine.child);
    assert!(crate::common::command::ended(&mut engine.child).success());
}
