//! Files of records: written match by match, gone on with, and read by other commands.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common;
use crate::common::command::{file, json, own, propjit, propjit_reading, stderr, stdout};
use propjit::play::matches::{MatchEnd, RecordLine, read_records};
use serde_json::Value;

/// The arguments of a series of random matches with a seed.
fn series<'a>(game: &'a str, games: &'a str, file: &'a str) -> Vec<&'a str> {
    let players = ["--player", "random", "--player", "random:seed=7"];
    let rest = ["--swap", "--games", games, "--output", file];
    [&["match", game][..], &players, &rest].concat()
}

fn with<'a>(args: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [args, more].concat()
}

fn lines(path: &str) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

/// The table of a report.
fn table(report: &Value) -> Value {
    report["standings"].clone()
}

#[test]
fn a_record_has_all_that_a_match_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "r.jsonl", "");
    let game = own("ticTacToe");
    json(&with(&series(&game, "3", &path), &["--seed", "5"]));
    for (line, number) in lines(&path).iter().zip(1..) {
        assert_eq!(line["match"], number);
        assert_eq!(line["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(line["game"], "ticTacToe");
        assert_eq!(line["rulesheet"].as_str().unwrap().len(), 16);
        assert_eq!(line["series"]["seed"], 5);
        assert_eq!(line["series"]["players"][1], "random:seed=7");
        for each in ["seeds", "start_seconds", "stop_seconds", "goals"] {
            let all = line[each].as_array().unwrap();
            assert!(
                all.len() == 2 && all.iter().all(Value::is_number),
                "{each}: {line}"
            );
        }
        assert!(line["steps"][0][0]["seconds"].is_number());
        assert_eq!(line["errors"], Value::Array(Vec::new()));
    }
    let read = read_records(Path::new(&path)).unwrap();
    let again: Vec<Value> = read
        .iter()
        .map(|line| serde_json::to_value(line).unwrap())
        .collect();
    assert_eq!(again, lines(&path));
}

/// Starts the command.
fn spawn(args: &[&str]) -> Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("propjit"));
    command
        .args(args)
        .env("PROPJIT_CACHE", "off")
        .env("PROPJIT_CONFIG", "off");
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Waits until the file has this many lines.
fn wait_for_lines(path: &str, count: usize) {
    let lines = || fs::read_to_string(path).unwrap_or_default().lines().count();
    common::wait_until("matches", || lines() >= count);
}

#[test]
fn a_killed_series_goes_on_to_the_same_table() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, parts] = ["whole.jsonl", "parts.jsonl"].map(|name| file(&folder, name, ""));
    let game = own("connectFour");
    let all = json(&with(&series(&game, "100", &whole), &["--seed", "3"]));
    let args = with(&series(&game, "100", &parts), &["--seed", "3"]);
    let mut child = spawn(&args);
    wait_for_lines(&parts, 3);
    child.kill().unwrap();
    child.wait().unwrap();
    // What is left of the match that was being written does not count.
    let mut torn = fs::OpenOptions::new().append(true).open(&parts).unwrap();
    torn.write_all(b"{\"version\":\"0.").unwrap();
    let before = fs::read_to_string(&parts).unwrap();
    let refused = stderr(propjit(&args).code(1));
    assert!(refused.contains("use --resume to continue"), "{refused}");
    assert_eq!(fs::read_to_string(&parts).unwrap(), before);
    // The seed is in the file.
    let resumed = json(&with(&series(&game, "100", &parts), &["--resume"]));
    assert_eq!(table(&resumed), table(&all));
    assert_eq!(resumed["seed"], 3);
    let after = fs::read_to_string(&parts).unwrap();
    let kept = before.rfind('\n').map_or(0, |end| end + 1);
    assert!(after.starts_with(&before[..kept]));
    let numbers = |path| {
        lines(path)
            .iter()
            .map(|line| line["match"].as_u64())
            .collect()
    };
    let (resumed, all): (BTreeSet<_>, BTreeSet<_>) = (numbers(&parts), numbers(&whole));
    assert_eq!(resumed, all);
    assert_eq!(lines(&parts).len(), 100);
}

/// The joint moves, goals and seeds by the number of the match.
fn played(path: &str) -> BTreeMap<u64, [Value; 4]> {
    let moves = |line: &Value| {
        let steps = line["steps"].as_array().unwrap().iter();
        let joint = steps.flat_map(|step| step.as_array().unwrap().iter());
        joint.map(|played| played["move"].clone()).collect()
    };
    let of = |line: &Value| {
        let rest = ["goals", "seeds", "series"].map(|name| line[name].clone());
        let [goals, seeds, series] = rest;
        [moves(line), goals, seeds, series]
    };
    let lines = lines(path);
    let numbered = lines.iter();
    let numbered = numbered.map(|line| (line["match"].as_u64().unwrap(), of(line)));
    numbered.collect()
}

#[test]
fn matches_of_a_series_can_be_played_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, parts] = ["whole.jsonl", "parts.jsonl"].map(|name| file(&folder, name, ""));
    let game = own("ticTacToe");
    json(&with(&series(&game, "3", &whole), &["--seed", "3"]));
    let mut all = String::new();
    for number in ["2", "3", "1"] {
        let part = file(&folder, number, "");
        let only = ["--seed", "3", "--only", number];
        let report = json(&with(&series(&game, "3", &part), &only));
        assert_eq!(report["matches"], 1);
        all += &fs::read_to_string(&part).unwrap();
    }
    fs::write(&parts, all).unwrap();
    assert_eq!(played(&parts), played(&whole));
    let told = stderr(propjit(&with(&series(&game, "3", &parts), &["--only", "4"])).code(2));
    assert!(told.contains("there is no match 4: --games is 3"), "{told}");
}

#[test]
fn a_series_goes_on_in_its_own_file_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "r.jsonl", "");
    let game = own("ticTacToe");
    let seeded = with(&series(&game, "2", &path), &["--seed", "1"]);
    propjit(&seeded).success();
    let before = fs::read_to_string(&path).unwrap();
    for (more, what) in [
        (["--seed", "2"], "`seed` is 1 there and 2 here"),
        (
            ["--play-clock", "7"],
            "`play_clock` is 5.0 there and 7.0 here",
        ),
    ] {
        let args = with(&series(&game, "2", &path), &with(&["--resume"], &more));
        let told = stderr(propjit(&args).code(1));
        assert!(told.contains(what), "{told}");
    }
    let other = own("connectFour");
    let args = with(&series(&other, "2", &path), &["--resume"]);
    assert!(stderr(propjit(&args).code(1)).contains("belongs to another series"));
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    // More matches of the same series are no other series.
    let args = with(&series(&game, "5", &path), &["--resume"]);
    assert_eq!(json(&args)["matches"], 5);
    assert!(fs::read_to_string(&path).unwrap().starts_with(&before));
    // Clocks are compared as they are, however many digits they have.
    let odd = file(&folder, "odd.jsonl", "");
    let clock = ["--play-clock", "30.682224519"];
    let args = with(&series(&game, "1", &odd), &with(&["--seed", "1"], &clock));
    propjit(&args).success();
    let args = with(&series(&game, "2", &odd), &with(&["--resume"], &clock));
    assert_eq!(json(&args)["matches"], 2);
    // Nor is a series a tournament, of whatever games.
    let players = ["--player", "random", "--player", "random:seed=7"];
    let tournament = with(&["tournament", &game], &players);
    let told = stderr(propjit(&with(&tournament, &["--resume", "--output", &path])).code(1));
    assert!(told.contains("`tournament` is null there"), "{told}");
    let damaged = file(&folder, "d.jsonl", "no JSON\n");
    let told = stderr(propjit(&with(&series(&game, "5", &damaged), &["--resume"])).code(1));
    assert!(told.contains("d.jsonl:1 is not a match record"), "{told}");
    propjit(&with(&series(&game, "5", "x")[..6], &["--resume"])).code(2);
}

#[test]
fn openings_and_numbers_of_records_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let game = own("ticTacToe");
    let openings = file(&folder, "openings.txt", "(mark 1 1) | noop\n");
    let path = file(&folder, "t.jsonl", "");
    let players = ["--player", "random", "--player", "legal"];
    let begun = ["--openings", &openings, "--output", &path, "--seed", "1"];
    let tournament = with(&with(&["tournament", &game], &players), &begun);
    json(&with(&tournament, &["--rounds", "1"]));
    fs::write(&openings, "(mark 3 3) | noop\n").unwrap();
    let more = with(&tournament, &["--rounds", "2", "--resume"]);
    let told = stderr(propjit(&more).code(1));
    assert!(told.contains("openings_hash"), "{told}");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&openings, "(mark 1 1) | noop\n").unwrap();
    fs::write(&path, text.replace("\"match\":1,", "\"match\":0,")).unwrap();
    let told = stderr(propjit(&more).code(1));
    assert!(told.contains("t.jsonl:1 is not a match record"), "{told}");
}

/// Half a line may end in the middle of a character, and names of moves may have bars.
#[test]
fn names_of_moves_may_be_any() {
    let folder = tempfile::tempdir().unwrap();
    let rules = "(role weiß) (role rot) (init s) (<= (legal ?r grün) (role ?r)) (<= (legal ?r b|ü) (role ?r))
                 (<= (next t) (true s)) (<= terminal (true t)) (<= (goal ?r 50) (role ?r))";
    let game = file(&folder, "g.kif", rules);
    let path = file(&folder, "r.jsonl", "");
    let args = with(&series(&game, "6", &path), &["--seed", "1"]);
    json(&args);
    let bytes = fs::read(&path).unwrap();
    let cut = bytes.iter().rposition(|&byte| byte == 0xc3).unwrap() + 1;
    assert!(std::str::from_utf8(&bytes[..cut]).is_err());
    fs::write(&path, &bytes[..cut]).unwrap();
    assert_eq!(json(&with(&args, &["--resume"]))["matches"], 6);
    assert_eq!(lines(&path).len(), 6);
    for number in ["1", "2", "3", "4", "5", "6"] {
        propjit(&["analyze", &game, "--history", &path, "--match", number]).success();
    }
}

#[test]
fn what_cannot_be_written_does_not_cost_the_table() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let game = own("ticTacToe");
    let assert = propjit(&with(&series(&game, "3", "/dev/full"), &["--seed", "1"])).code(1);
    assert!(stdout(assert).contains("ticTacToe: 3 matches"));
    let assert = propjit(&with(&series(&game, "3", "/dev/full"), &["--seed", "1"])).code(1);
    let told = stderr(assert);
    assert!(
        told.contains("3 matches from 1 to 3 of 3 could not be written to /dev/full"),
        "{told}"
    );
}

#[test]
fn other_commands_read_records() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "r.jsonl", "");
    let game = own("connectFour");
    propjit(&with(&series(&game, "3", &path), &["--seed", "4"])).success();
    let records = read_records(Path::new(&path)).unwrap();
    let verified = json(&["verify", &game, "--trace", &path]);
    assert_eq!(verified["passed"], 1);
    assert_eq!(verified["games"][0]["matches"], 3);
    let over = json(&["analyze", &game, "--history", &path, "--match", "2"]);
    assert_eq!(over["depth"], records[1].record.steps.len());
    let goals: Vec<_> = records[1]
        .record
        .goals
        .iter()
        .map(|&goal| Value::from(goal))
        .collect();
    let told = over["goals"].as_array().unwrap().iter();
    assert_eq!(
        told.map(|goal| goal["goal"].clone())
            .collect::<Vec<Value>>(),
        goals
    );
    let history = ["--history", &path, "--match", "3", "--first", "4"];
    let early = json(&with(&["analyze", &game, "--playouts", "100"], &history));
    assert_eq!(early["depth"], 4);
    let proved = json(&with(&["prove", &game, "--depth", "1"], &history));
    assert_eq!(proved["depth"], 1);
    let played = propjit_reading(&with(&["play", &game], &history), "quit\n").success();
    assert!(stdout(played).contains("after 4 joint moves"));
    let one = [
        "--history",
        &path,
        "--match",
        "1",
        "--first",
        "2",
        "--seconds",
        "0.05",
    ];
    propjit(&with(&["darkening", &game], &one)).success();
    for (wanted, said) in [
        (None, "3 matches from 1 to 3; select one with --match"),
        (Some("7"), "has no match 7; it has 3 matches from 1 to 3"),
    ] {
        let wanted = wanted.map_or(vec![], |number| vec!["--match", number]);
        let args = [&["analyze", &game, "--history", &path][..], &wanted].concat();
        let told = stderr(propjit(&args).code(1));
        assert!(told.contains(said), "{told}");
    }
    let count = records[2].record.steps.len();
    let (all, more) = (count.to_string(), (count + 1).to_string());
    let first = ["--history", &path, "--match", "3", "--first"];
    let first = with(&["analyze", &game], &first);
    assert_eq!(json(&with(&first, &[&all]))["depth"], count);
    let told = stderr(propjit(&with(&first, &[&more])).code(1));
    assert!(
        told.contains(&format!("the history has only {count} joint moves")),
        "{told}"
    );
    let moves = ["analyze", &game, "--moves", "(drop 4) | noop"];
    let told = stderr(propjit(&with(&moves, &["--first", "1"])).code(2));
    assert!(told.contains("'--moves <MOVES>'"), "{told}");
    // A wrong goal, and a move that is not legal.
    let edited = |edit: &dyn Fn(&mut RecordLine)| {
        let mut line = records[0].clone();
        edit(&mut line);
        file(
            &folder,
            "e.jsonl",
            &(serde_json::to_string(&line).unwrap() + "\n"),
        )
    };
    let goal = edited(&|line| line.record.goals[0] = Some(42));
    assert!(stdout(propjit(&["verify", &game, "--trace", &goal]).code(1)).contains("differs"));
    let played = edited(&|line| line.record.steps[1][0].text = "(drop 9)".to_string());
    assert!(stdout(propjit(&["verify", &game, "--trace", &played]).code(1)).contains("differs"));
    let told = stderr(propjit(&["analyze", &game, "--history", &played]).code(1));
    assert!(told.contains("match 1, joint move 2: "), "{told}");
}

#[cfg(unix)]
mod signals {
    use std::thread;

    use rustix::process::Signal;

    use super::*;
    use crate::common;
    use crate::common::http::{AVAILABLE, BUSY, post, serve};
    use crate::common::players::thinker;

    /// Sends a signal, several times in a row, but not so fast that several are one.
    fn send(child: &Child, signal: Signal, times: usize) {
        for _ in 0..times {
            common::command::send(child.id(), signal);
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// The first signal ends a match with its record, as often as a wrapper sends it.
    #[test]
    fn signals_in_a_burst_end_a_series_with_the_result_so_far() {
        for (signal, times) in [(Signal::INT, 2), (Signal::TERM, 1), (Signal::TERM, 3)] {
            let folder = tempfile::tempdir().unwrap();
            let path = file(&folder, "r.jsonl", "");
            let game = own("connectFour");
            let args = with(&series(&game, "1000000", &path), &["--format", "json"]);
            let child = spawn(&args);
            wait_for_lines(&path, 3);
            send(&child, signal, times);
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{signal:?}: {output:?}");
            let report: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(report["interrupted"], true);
            let count = report["matches"].as_u64().unwrap();
            assert!(count >= 3);
            assert_eq!(lines(&path).len() as u64, count);
        }
    }

    #[test]
    fn an_ended_series_leaves_no_player_busy() {
        for signal in [Signal::INT, Signal::TERM] {
            let server = serve(thinker("(mark 1 1)"));
            let remote = format!("http://{}", server.address());
            let game = own("ticTacToe");
            let clocks = ["--play-clock", "1000"];
            let players = ["--player", &remote, "--player", "random"];
            let child = spawn(&[&["match", &game][..], &players, &clocks].concat());
            common::wait_until("the match", || post(server.address(), "(INFO)") == BUSY);
            send(&child, signal, 1);
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{output:?}");
            assert_eq!(post(server.address(), "(INFO)"), AVAILABLE);
        }
    }
}

#[test]
fn verify_tells_which_record_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "r.jsonl", "");
    let game = own("ticTacToe");
    propjit(&series(&game, "3", &path)).success();
    let verify = |text: &str| {
        fs::write(&path, text).unwrap();
        let assert = propjit(&["verify", &game, "--trace", &path]).code(1);
        stdout(assert)
    };
    let text = fs::read_to_string(&path).unwrap();
    let second = text.find('\n').unwrap() + 10;
    let damaged = format!("{}#{}", &text[..second], &text[second..]);
    let told = verify(&damaged);
    assert!(told.contains("r.jsonl:2 is not a match record"), "{told}");
    for (text, message) in [
        ("", "it has no matches"),
        (
            r#"{"game": "ticTacToe", "roles": ["x", "o"], "matches": []}"#,
            "it has no matches",
        ),
        ("(role x)", "no trace and no records of matches"),
    ] {
        let told = verify(text);
        assert!(told.contains(message), "{text}: {told}");
    }
}

#[test]
fn verify_tells_which_record_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "r.jsonl", "");
    let game = own("ticTacToe");
    propjit(&series(&game, "4", &path)).success();
    let records = read_records(Path::new(&path)).unwrap();
    let verify = |edit: &dyn Fn(&mut RecordLine)| {
        // The file has no match 1, so that match 3 is in its second line.
        let mut edited = records[1..].to_vec();
        edit(&mut edited[1]);
        let lines = edited
            .iter()
            .map(|line| serde_json::to_string(line).unwrap() + "\n");
        fs::write(&path, lines.collect::<String>()).unwrap();
        propjit(&["verify", &game, "--trace", &path])
    };
    verify(&|_| ()).success();
    type Edit = dyn Fn(&mut RecordLine);
    let wrong: [(&Edit, &str); 4] = [
        (&|line| line.record.roles.reverse(), "match 3 step 0: roles"),
        (
            &|line| {
                let more = line.record.steps[1][0].clone();
                line.record.steps[1].push(more);
            },
            "match 3 step 1: joint move",
        ),
        (
            &|line| {
                line.record.steps.truncate(3);
                line.record.end = MatchEnd::Stuck;
                line.record.goals.clear();
            },
            "match 3 step 3: stuck",
        ),
        // Nothing is said of a state that could not be evaluated, but the moves before it were legal.
        (
            &|line| {
                line.record.steps.truncate(3);
                line.record.steps[2][0].text = "(mark 9 9)".to_string();
                line.record.end = MatchEnd::Failed;
                line.record.goals.clear();
            },
            "match 3 step 2: joint move",
        ),
    ];
    for (edit, message) in wrong {
        let told = stdout(verify(edit).code(1));
        assert!(told.contains(message), "{message}: {told}");
    }
}

#[test]
fn what_is_not_text_is_told_unless_a_character_is_cut_off_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "r.jsonl", "");
    let game = own("ticTacToe");
    propjit(&series(&game, "2", &path)).success();
    let mut file = fs::File::options().append(true).open(&path).unwrap();
    file.write_all(b"{\"version\": \"\xc3").unwrap();
    assert_eq!(read_records(Path::new(&path)).unwrap().len(), 2);
    file.write_all(b"\xd4").unwrap();
    let at = fs::metadata(&path).unwrap().len() - 2;
    let told = stderr(propjit(&["analyze", &game, "--history", &path]).code(1));
    let message = format!("not UTF-8 text: byte 0xc3 at offset {at}");
    assert!(told.contains(&message), "{told}");
}
