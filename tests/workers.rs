//! Proof workers in other processes: what they answer, and what becomes of a search whose workers
//! end, cannot be started or talk nonsense.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::common;
#[cfg(unix)]
use crate::common::command::{is_alive, send};
use crate::common::command::{json, own, propjit, stderr, stdout};
use propjit::game::load::Game;
use propjit::game::machine::RoleId;
use propjit::game::position::History;
use propjit::play::matches::Script;
use propjit::proof::forced::{
    Finding, Pace, ProofAnswer, ProofConfig, ProofPosition, ProofWorkers, Prover, Target, Verdict,
};
use propjit::support::program::ProgramCommand;
use propjit::{State, Stop};
#[cfg(unix)]
use rustix::process::Signal;
use serde_json::{Value, json};

/// A position of breakthrough on a small position with a forced win that takes 13 joint moves.
pub(crate) const FORCED: &str = "(move 4 2 3 3) | noop; \
    noop | (move 2 5 3 4); \
    (move 3 1 4 2) | noop; \
    noop | (move 1 6 2 5); \
    (move 3 2 2 3) | noop; \
    noop | (move 3 4 2 3); \
    (move 1 2 2 3) | noop; \
    noop | (move 5 5 4 4); \
    (move 3 3 4 4) | noop; \
    noop | (move 3 5 4 4); \
    (move 2 2 1 3) | noop; \
    noop | (move 4 6 3 5); \
    (move 1 3 1 4) | noop; \
    noop | (move 1 5 2 4); \
    (move 2 1 1 2) | noop; \
    noop | (move 2 5 1 4); \
    (move 2 3 1 4) | noop";

/// Longer than anything takes.
const LONG: Duration = Duration::from_secs(200);

/// The state that these moves lead to.
pub(crate) fn after(game: &Game, moves: &str) -> State {
    let mut history = History::new(game.follow().unwrap());
    history.follow(&Script::inline(moves)).unwrap();
    let fluents = history.fluents();
    let fluents: Vec<&str> = fluents.iter().map(String::as_str).collect();
    game.ground_game().unwrap().parse_state(&fluents).unwrap()
}

/// A `propjit prove --serve`, with what it says.
struct Service {
    child: Child,
    input: Option<ChildStdin>,
    output: Box<dyn Iterator<Item = String>>,
}

impl Service {
    fn start() -> Service {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("propjit"))
            .args(["prove", "--serve"])
            .env("PROPJIT_CACHE", "off")
            .env("PROPJIT_CONFIG", "off")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Service {
            input: child.stdin.take(),
            output: Box::new(lines.map(Result::unwrap)),
            child,
        }
    }

    fn say(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
    }

    /// The next answer, apart from wins that were found on the way.
    fn answer(&mut self) -> Value {
        let mut answers = self
            .output
            .by_ref()
            .map(|line| serde_json::from_str::<Value>(&line).expect("it is an answer"));
        let answer = answers.find(|answer| answer.get("wins").is_none());
        answer.expect("there is an answer")
    }

    /// The text of the next answer, which is an error.
    fn error(&mut self) -> String {
        let answer = self.answer();
        answer["error"]["message"]
            .as_str()
            .expect("it is an error")
            .to_string()
    }

    /// Ends its input. What it still says, after which it has ended well.
    fn end(mut self) -> Vec<String> {
        self.input = None;
        let rest = self.output.collect();
        assert!(self.child.wait().unwrap().success());
        rest
    }
}

/// The first line for a game.
fn greeting(name: &str) -> String {
    let rules = propjit_gdl::games::text(name).unwrap();
    json!({"game": {"version": 1, "name": name, "rules": rules}}).to_string()
}

/// Two marks in a row each, and x is to move.
const ROW: [&str; 5] = [
    "(cell 1 1 x)",
    "(cell 1 2 x)",
    "(cell 2 1 o)",
    "(cell 2 2 o)",
    "(control x)",
];

#[test]
fn requests_are_answered_until_the_input_ends() {
    let mut service = Service::start();
    service.say(&greeting("ticTacToe"));
    let ready = service.answer();
    assert_eq!(ready["status"]["request"], 0);
    let targets = ready["status"]["targets"].as_array().unwrap();
    let names: Vec<&Value> = targets.iter().map(|target| &target["role"]).collect();
    assert_eq!(names, ["x", "o"]);
    assert!(
        targets
            .iter()
            .all(|target| target["goal"] == 100 && target["on"] == true)
    );

    let positions = json!([{"state": ROW, "role": "x"}, {"state": ROW, "role": "o"}]);
    let ask = json!({"ask": {"request": 7, "share": 1.0, "positions": positions}});
    service.say(&ask.to_string());
    let proof = &service.answer()["proof"];
    assert_eq!(proof["request"], 7);
    assert_eq!(proof["position"], 0);
    assert_eq!((&proof["role"], &proof["goal"]), (&json!("x"), &json!(100)));
    assert_eq!(proof["depth"], 1);
    assert_eq!(proof["joint"], json!(["(mark 1 3)", "noop"]));
    assert_eq!(proof["ceilings"], json!([{"role": "o", "goal": 0}]));
    let cube: Vec<&str> = (proof["cube"].as_array().unwrap().iter())
        .map(|literal| literal.as_str().unwrap())
        .collect();
    assert!(
        cube.contains(&"(cell 1 1 x)") && cube.contains(&"(not (cell 1 3 o))"),
        "{cube:?}"
    );
    let status = &service.answer()["status"];
    assert_eq!(status["request"], 7);
    assert!(status["targets"][0]["nodes"].as_u64().unwrap() > 0);

    // Another game, in the same process.
    service.say(&greeting("connectFour"));
    let ready = service.answer();
    assert_eq!(ready["status"]["targets"][0]["role"], "red");
    assert!(service.end().is_empty());
}

#[test]
fn what_cannot_be_served_is_answered_by_an_error() {
    let mut service = Service::start();
    service.say("nonsense");
    assert!(service.error().contains("line 1"));
    service.say(r#"{"ask": {"request": 1, "share": 0.5, "positions": []}}"#);
    assert_eq!(service.error(), "no game yet: send the game first");
    service.say(r#"{"game": {"version": 2, "name": "later", "rules": ""}}"#);
    assert!(
        service
            .error()
            .starts_with("message version 2 is not supported")
    );
    service.say(r#"{"game": {"version": 1, "name": "wrong", "rules": "(role"}}"#);
    assert!(!service.error().is_empty());
    service.say(&greeting("ticTacToe"));
    assert_eq!(service.answer()["status"]["request"], 0);
    for (share, state, role, error) in [
        (
            0.0,
            "(control x)",
            "x",
            "the share of the time must be more than 0 and at most 1, not 0",
        ),
        (
            0.5,
            "(cell 9 9 x)",
            "x",
            "`(cell 9 9 x)` is not a proposition of the game",
        ),
        (0.5, "(control x)", "z", "the game has no role `z`"),
    ] {
        let positions = json!([{"state": [state], "role": role}]);
        let ask = json!({"ask": {"request": 1, "share": share, "positions": positions}});
        service.say(&ask.to_string());
        assert_eq!(service.error(), error);
    }
    assert!(service.end().is_empty());
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_worker() {
    let mut service = Service::start();
    service.say(&greeting("ticTacToe"));
    service.answer();
    common::command::interrupt(&service.child);
    // Its input is still open.
    assert!(service.child.wait().unwrap().success());
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_worker_whose_answers_are_not_read() {
    let mut service = Service::start();
    for _ in 0..4_000 {
        service.say("nonsense");
    }
    // Until then, it has written as much as a pipe takes; should it not have, the test is easier to pass.
    std::thread::sleep(Duration::from_millis(500));
    common::command::interrupt(&service.child);
    assert!(common::command::ended(&mut service.child).success());
}

/// A program that notes its process, and is then another one.
#[cfg(unix)]
fn script(folder: &tempfile::TempDir, program: &str) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let path = folder.path().join("worker");
    let ids = folder.path().join("ids");
    let text = format!("#!/bin/sh\necho $$ >> {}\n{program}\n", ids.display());
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    path.display().to_string()
}

/// The processes that have noted themselves, once there are this many.
#[cfg(unix)]
fn processes(folder: &tempfile::TempDir, count: usize) -> Vec<u32> {
    let mut ids: Vec<u32> = Vec::new();
    common::wait_until("the processes", || {
        let text = std::fs::read_to_string(folder.path().join("ids")).unwrap_or_default();
        // The last line may not be complete.
        let lines = text
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'));
        ids = lines.map(|id| id.trim().parse().unwrap()).collect();
        ids.len() >= count
    });
    ids
}

#[cfg(unix)]
fn serving() -> String {
    let program = assert_cmd::cargo::cargo_bin!("propjit");
    format!("PROPJIT_CACHE=off exec {} prove --serve", program.display())
}

#[cfg(unix)]
fn crew(game: &Game, commands: &[String], thread: Option<f64>) -> ProofWorkers {
    let commands = commands.iter().map(|command| command.parse().unwrap());
    let commands: Vec<ProgramCommand> = commands.collect();
    let source = &game.rules().source;
    let rulesheet = (source.name(), source.text());
    ProofWorkers::start(game.engines().unwrap(), rulesheet, &commands, thread)
}

/// What a crew proves next about the positions that it was asked about, if that comes in time.
#[cfg(unix)]
fn next_proof(crew: &mut ProofWorkers, time: Duration) -> Option<ProofAnswer> {
    loop {
        if let Finding::Answer(answer) = crew.wait(time)? {
            return Some(answer);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_worker_proves_what_a_prover_does_and_is_replaced_when_it_ends() {
    let game = common::load(&common::own_folder().join("breakthroughSmall.kif"));
    let (state, role) = (after(&game, FORCED), RoleId(1));
    let folder = tempfile::tempdir().unwrap();
    let mut crew = crew(&game, &[script(&folder, &serving())], None);
    let position = ProofPosition {
        state: state.clone(),
        role: Some(role),
    };
    crew.query(vec![position]);
    let first = next_proof(&mut crew, LONG).unwrap();
    let engines = game.engines().unwrap();
    let target = Target { role, value: 100 };
    let mut prover = Prover::new(engines, target, &ProofConfig::default()).unwrap();
    let mut pace = Pace::new(&Stop::new());
    let proof = prover.prove(&state, 20, &mut pace, |_| ()).unwrap();
    assert_eq!(proof.verdict, Verdict::Won(first.depth));
    assert_eq!((first.position, first.target), (0, target));
    assert_eq!(first.joint[role.index()], proof.line[0][role.index()]);
    assert!(first.cube.iter().all(|literal| literal.holds(&state)));
    assert_eq!(crew.count(), [1, 1]);

    // Another process proves it again when the first one is killed.
    let ids = processes(&folder, 1);
    send(ids[0], Signal::KILL);
    let second = next_proof(&mut crew, LONG).unwrap();
    assert_eq!((second.depth, second.target), (first.depth, target));
    let ids = processes(&folder, 2);
    assert!(!is_alive(ids[0]) && is_alive(ids[1]));
    drop(crew);
    common::wait_until("the end of the worker", || !is_alive(ids[1]));
}

#[cfg(unix)]
#[test]
fn what_a_worker_had_to_do_is_done_by_others_when_it_is_gone() {
    let game = common::load(&common::own_folder().join("breakthroughSmall.kif"));
    let folder = tempfile::tempdir().unwrap();
    // Ready at once, and gone as soon as it is asked anything.
    let ready = r#"echo '{"status": {"request": 0, "targets": []}}'; read game; read asked"#;
    let mut crew = crew(&game, &[script(&folder, ready)], Some(1.0));
    let position = ProofPosition {
        state: after(&game, FORCED),
        role: Some(RoleId(1)),
    };
    crew.query(vec![position]);
    assert_eq!(next_proof(&mut crew, LONG).unwrap().position, 0);
    while crew.count() != [1, 2] || processes(&folder, 1).len() < 4 {
        crew.wait(Duration::from_millis(5));
    }
}

#[cfg(unix)]
#[test]
fn proofs_that_cannot_be_are_not_believed() {
    let game = common::load(&common::own_folder().join("ticTacToe.kif"));
    let state = game.ground_game().unwrap().parse_state(&ROW).unwrap();
    let position = ProofPosition {
        state,
        role: Some(RoleId(0)),
    };
    let right = json!({
        "request": 0, "position": 0, "role": "x", "goal": 100, "depth": 1, "nodes": 1,
        "joint": ["(mark 1 3)", "noop"], "ceilings": [], "cube": ["(cell 1 1 x)"],
    });
    for (field, value) in [
        ("role", json!("o")),
        ("role", json!("z")),
        ("goal", json!(70)),
        ("depth", json!(0)),
        ("position", json!(1)),
        ("joint", json!(["(mark 1 3)"])),
        ("joint", json!(["(mark 9 9)", "noop"])),
        ("ceilings", json!([{"role": "x", "goal": 0}])),
        ("cube", json!(["(not (cell 1 1 x))"])),
        ("cube", json!(["(cell 9 9 x)"])),
        ("nodes", json!(1)),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut proof = right.clone();
        proof[field] = value;
        // The number of the request is taken from that.
        let proof = json!({ "proof": proof }).to_string();
        let program = format!(
            "echo '{{\"status\": {{\"request\": 0, \"targets\": []}}}}'; read game; read asked\n\
             number=$(echo \"$asked\" | sed 's/.*\"request\":\\([0-9]*\\).*/\\1/')\n\
             echo '{proof}' | sed \"s/\\\"request\\\":0/\\\"request\\\":$number/\"\nread more"
        );
        let mut crew = crew(&game, &[script(&folder, &program)], None);
        crew.query(vec![position.clone()]);
        if field == "nodes" {
            assert_eq!(next_proof(&mut crew, LONG).unwrap().depth, 1);
            continue;
        }
        while crew.count() != [0, 1] || processes(&folder, 1).len() < 4 {
            let answer = next_proof(&mut crew, Duration::from_millis(5));
            assert!(answer.is_none(), "{proof}: {answer:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_match_goes_on_when_a_worker_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let worker = script(&folder, &serving());
    let record = folder.path().join("record.json").display().to_string();
    let player = format!("mcts:leaf-playouts=1,local=false,prover=cmd:{worker}");
    let match_ = thread::spawn({
        let record = record.clone();
        move || {
            let game = own("breakthroughSmall");
            let args = ["match", &game, "--player", &player, "--player", "random"];
            let clocks = [
                "--start-clock",
                "2",
                "--play-clock",
                "0.3",
                "--output",
                &record,
            ];
            stderr(propjit(&[&args[..], &clocks].concat()).success())
        }
    });
    let ids = processes(&folder, 1);
    send(ids[0], Signal::KILL);
    let messages = match_.join().unwrap();
    assert!(messages.contains("restarting a proof worker"), "{messages}");
    assert!(processes(&folder, 2).len() == 2, "{messages}");
    let text = std::fs::read_to_string(&record).unwrap();
    let record: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(record["end"], "terminal", "{record}");
    assert_eq!(record["errors"], json!([]), "{record}");
    let steps = record["steps"].as_array().unwrap();
    let local = steps.iter().map(|step| &step[0]["statistics"]["local"]);
    assert!(local.clone().any(|local| local["workers"] == 1), "{text}");
}

#[test]
fn commands_that_are_no_workers_are_told_and_done_without() {
    let game = own("ticTacToe");
    for (command, why) in [
        ("/no/such/command", "cannot start it"),
        ("echo hello", "invalid reply"),
        ("cat", "invalid reply"),
        ("true", "it has ended"),
    ] {
        let player = format!("mcts:prover=cmd:{command}");
        let args = ["match", &game, "--player", &player, "--player", "random"];
        let clocks = ["--start-clock", "1", "--play-clock", "0.2"];
        let messages = stderr(propjit(&[&args[..], &clocks].concat()).success());
        assert!(
            messages.contains("proof worker abandoned"),
            "{command}: {messages}"
        );
        assert!(messages.contains(why), "{command}: {messages}");
    }
}

#[cfg(unix)]
#[test]
fn a_command_that_says_nothing_ends_with_the_match() {
    let folder = tempfile::tempdir().unwrap();
    // With the program that it has started, which notes itself, too.
    let ids = folder.path().join("ids");
    let started = format!("sh -c 'echo $$ >> {}; exec sleep 1000'", ids.display());
    let worker = script(&folder, &format!("{started}; true"));
    let player = format!("mcts:prover=cmd:{worker}");
    let game = own("ticTacToe");
    let args = ["match", &game, "--player", &player, "--player", "random"];
    let clocks = ["--start-clock", "1", "--play-clock", "0.2"];
    propjit(&[&args[..], &clocks].concat()).success();
    for id in processes(&folder, 2) {
        common::wait_until("the end of a process", || !is_alive(id));
    }
}

/// It has as long for its last words as all others, however many they are.
#[cfg(unix)]
#[test]
fn a_worker_that_never_stops_talking_holds_nobody_up() {
    let folder = tempfile::tempdir().unwrap();
    let ready = json!({"status": {"request": 0, "targets": []}}).to_string();
    let wins = json!({"wins": {"role": "x", "goal": 100, "ceilings": [], "cubes": []}}).to_string();
    let talk = format!("echo '{ready}'; exec yes '{wins}'");
    let game = common::own_game("ticTacToe");
    let mut crew = crew(&game, &[script(&folder, &talk)], None);
    while crew.count() != [1, 1] {
        crew.wait(Duration::from_millis(5));
    }
    assert!(crew.wait(LONG).is_some(), "it talks");
    crew.rest();
    let until = Instant::now() + Duration::from_millis(50);
    while crew.last_words(until).is_some() {}
    assert_eq!(crew.count(), [1, 1], "it is still there");
}

#[test]
fn analyze_tells_what_came_from_proofs() {
    let game = own("breakthroughSmall");
    let args = [
        "analyze",
        &game,
        "--moves",
        FORCED,
        "--seed",
        "1",
        "--seconds",
        "200",
    ];
    let report = json(&[&args[..], &["--workers", "1", "--no-local"]].concat());
    assert_eq!(report["solved"], true);
    let best = &report["moves"][0];
    let forced = &best["forced"];
    assert_eq!(
        (&forced["role"], &forced["goal"]),
        (&json!("black"), &json!(100))
    );
    assert_eq!(forced["by"], best["move"]);
    assert_eq!(
        (&report["local"]["ready"], &report["local"]["workers"]),
        (&json!(1), &json!(1))
    );
    assert!(report["local"]["proofs"].as_u64().unwrap() > 0);
    assert_eq!(report["local"]["targets"][1]["role"], "black");

    // Later, all moves of the other role are refuted.
    let lost = "noop | (move 3 5 3 4); (move 1 4 2 5) | noop; noop | (move 3 6 2 5)";
    let lost = format!("{FORCED}; {lost}");
    let args = [
        "analyze",
        &game,
        "--moves",
        &lost,
        "--seed",
        "1",
        "--seconds",
        "20",
    ];
    let text = stdout(propjit(&[&args[..], &["--workers", "1"]].concat()).success());
    assert!(text.contains("\nrefuted: "), "{text}");
    assert!(text.contains(", black forces 100 in "), "{text}");
    assert!(text.contains("\nlocal search: "), "{text}");
    assert!(text.contains(" of replies spared, "), "{text}");
}

/// In this game cubes spare few replies.
#[test]
fn a_search_that_does_not_pay_is_given_up_and_that_is_told() {
    let game = common::load(&common::own_folder().join("reversi.kif"));
    let source = &game.rules().source;
    let rulesheet = (source.name(), source.text());
    let mut crew = ProofWorkers::start(game.engines().unwrap(), rulesheet, &[], Some(1.0));
    let state = game.ground_game().unwrap().initial().clone();
    loop {
        crew.query(vec![ProofPosition {
            state: state.clone(),
            role: None,
        }]);
        crew.wait(Duration::from_millis(200));
        crew.rest();
        while crew.last_words(Instant::now() + LONG).is_some() {}
        let status = crew.status();
        if let Some(off) = status.iter().find(|status| !status.is_on) {
            assert!(off.nodes >= 5_000 && off.spared().unwrap() < 0.5, "{off:?}");
            break;
        }
        assert!(
            status.iter().all(|status| status.nodes < 1_000_000),
            "{status:?}"
        );
    }
}
