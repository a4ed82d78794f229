//! The GGP protocol over real sockets: every request, every answer, whatever the player does.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::common;
use crate::common::http::{
    AVAILABLE, BUSY, body, half_closed, legal, post, raw, serve, serve_with, start, status,
};
use crate::common::players::{crasher, latecomer, parrot, patient, scripted, thinker, watched};
use crate::common::{COUNTER, HUGE, TALK, endless_setup};
use crossbeam_channel::unbounded;
use propjit::Stop;
use propjit::game::load::LoadError;
use propjit::play::ggp::{LogEntry, ServerLimits, SessionConfig};
use propjit::play::matches::{
    Choice, Ending, Observed, Player, PlayerError, PlayerFactory, Seat, SharedPosition,
};

#[test]
fn a_match_from_start_to_stop() {
    let server = serve(legal());
    let at = server.address();
    let play = |message: &str| post(at, message);
    assert_eq!(play("(INFO)"), AVAILABLE);
    assert_eq!(play("(PREVIEW ((role a)) 10)"), "ready");
    assert_eq!(play("(PLAY m nil)"), "busy");
    assert_eq!(play("(STOP m nil)"), "busy");
    assert_eq!(play("(ABORT m)"), "busy");
    assert_eq!(play(&start("m", "up", COUNTER, "10 10")), "ready");
    assert_eq!(play("(INFO)"), BUSY);
    assert_eq!(play("(PREVIEW ((role a)) 10)"), "busy");
    assert_eq!(play(&start("m", "up", COUNTER, "10 10")), "ready");
    for (id, role) in [("m", "idle"), ("other", "up")] {
        assert_eq!(play(&start(id, role, COUNTER, "10 10")), "busy");
    }
    assert_eq!(play("(PLAY other nil)"), "busy");
    assert_eq!(play("(STOP other (one wait))"), "busy");
    assert_eq!(play("(ABORT other)"), "busy");
    assert_eq!(play("(PLAY m nil)"), "one");
    assert_eq!(play("(PLAY m (two wait))"), "one");
    assert_eq!(play("(STOP m (two wait))"), "done");
    assert_eq!(play("(INFO)"), AVAILABLE);
    assert_eq!(play("(PLAY m nil)"), "busy");
    assert_eq!(play(&start("m", "idle", COUNTER, "10 10")), "ready");
    assert_eq!(play("(PLAY m nil)"), "wait");
    assert_eq!(play("(ABORT m)"), "aborted");
    assert_eq!(play("(INFO)"), AVAILABLE);
    // A match ends even if its last moves are not sent.
    assert_eq!(play(&start("m", "idle", COUNTER, "10 10")), "ready");
    assert_eq!(play("(STOP m)"), "done");
    assert_eq!(play("(INFO)"), AVAILABLE);
}

#[test]
fn messages_are_read_tolerantly() {
    let server = serve(legal());
    let at = server.address();
    let rules = "
        (role Xo7) (role RANDOM) (init (at zero))
        (<= (legal Xo7 (go (from ?x) (to (s (s ?x))))) (true (at ?x)))
        (legal RANDOM roll) (<= (next (at (s ?x))) (true (at ?x)))
        (<= terminal (true (at nowhere))) (goal Xo7 0) (goal RANDOM 0)
        (<= (next (at nowhere)) (true (at nowhere)))";
    // The role in another case, clocks that are fractions, arguments from the future.
    let message = format!("( start M xo7 ({rules}) 10.5 10 (and so on) 7 )");
    assert_eq!(post(at, &message), "ready");
    for no_moves in ["nil", "NIL", "Nil", "()"] {
        let message = format!("(play M {no_moves})");
        assert_eq!(post(at, &message), "(go (from zero) (to (s (s zero))))");
    }
    // Moves with other blanks and in another case; the terms get deeper and deeper.
    let next = post(
        at,
        "( PLAY M ( ( go ( FROM zero ) (to(s(s zero))) ) Roll ) extra )",
    );
    assert_eq!(next, "(go (from (s zero)) (to (s (s (s zero)))))");
    // Match names are not tolerant.
    assert_eq!(post(at, "(PLAY m nil)"), "busy");
    // What cannot be followed leaves the state as it is.
    for bad in ["(roll)", "(roll roll)", "((((", "(() roll)"] {
        let message = format!("(PLAY M {bad})");
        if bad != "((((" {
            assert_eq!(post(at, &message), next);
        }
    }
}

#[test]
fn games_that_cannot_be_played_are_refused() {
    let logs = tempfile::tempdir().unwrap();
    let config = SessionConfig::new(legal()).with_log(Some(logs.path().to_path_buf()));
    let server = serve_with(config, ServerLimits::default());
    let at = server.address();
    let wrong = [
        ("up", "(role up) (<= (next ?x) (does up ?y))", "`?x`"),
        ("up", "", "the rulesheet is empty"),
        (
            "down",
            COUNTER,
            "no role `down` in these rules; the roles are up, idle",
        ),
    ];
    for (number, (role, rules, why)) in wrong.iter().enumerate() {
        let answer = get(at, &start("m", role, rules, "10 10"));
        assert_eq!(status(&answer), 400, "{answer}");
        assert!(body(&answer).contains(why), "{answer}");
        assert_eq!(post(at, "(INFO)"), AVAILABLE);
        let files = std::fs::read_dir(logs.path()).unwrap();
        assert_eq!(files.count(), number + 1);
    }
}

/// Sends a message by GET and returns all of the answer.
fn get(at: SocketAddr, message: &str) -> String {
    raw(
        at,
        format!("GET /{} HTTP/1.0\r\n\r\n", message.replace('\n', "+")),
    )
}

/// A client that closes the connection while a match starts does not wait for it. A client that closes
/// only its own side of it does.
#[test]
fn a_connection_that_is_lost_at_the_start_frees_the_player() {
    let (gate, closed) = unbounded();
    let server = serve(latecomer(closed));
    let at = server.address();
    let message = start("m", "up", COUNTER, "1000 1000");
    let request = format!(
        "POST / HTTP/1.0\r\nContent-Length: {}\r\n\r\n{message}",
        message.len()
    );
    let mut lost = TcpStream::connect(at).unwrap();
    lost.write_all(request.as_bytes()).unwrap();
    let until = |state| common::wait_until(state, || post(at, "(INFO)") == state);
    until(BUSY);
    drop(lost);
    until(AVAILABLE);
    let waiting = thread::spawn(move || half_closed(at, request));
    until(BUSY);
    // It stays so.
    for _ in 0..200 {
        assert_eq!(post(at, "(INFO)"), BUSY);
    }
    drop(gate);
    let answer = waiting.join().unwrap();
    assert_eq!((status(&answer), body(&answer)), (200, "ready"));
    assert_eq!(post(at, "(ABORT m)"), "aborted");
}

/// A role has as many legal moves as there are numbers.
const NUMBERS: &str = "
    (role up) (init (at 0)) (nat z) (<= (nat (s ?x)) (nat ?x))
    (<= (legal up (count ?x)) (nat ?x)) (<= (next (at 1)) (does up (count ?x)))
    (<= terminal (true (at 1))) (goal up 100)";

/// Where not all legal moves can be found in time, one is.
#[test]
fn a_legal_move_is_ready_where_all_take_too_long() {
    let server = serve(thinker("two"));
    let at = server.address();
    assert_eq!(post(at, &start("m", "up", NUMBERS, "8 8")), "ready");
    let answer = post(at, "(PLAY m nil)");
    assert!(answer.starts_with("(count "), "{answer}");
    assert_eq!(post(at, "(ABORT m)"), "aborted");
}

/// What a match has begun ends with it, though the prover has no end of its own there.
#[cfg(target_os = "linux")]
#[test]
fn matches_that_are_given_up_leave_no_threads() {
    let (mut child, at) = command(&["--player", "mcts:backend=prover"]);
    for number in 0..4 {
        let id = format!("m{number}");
        let asked = start(&id, "up", NUMBERS, "100 100");
        let starting = thread::spawn(move || post(at, &asked));
        common::wait_until("a player", || threads(child.id(), "player") > 0);
        let begun = cpu_time(child.id());
        let is_busy = || cpu_time(child.id()) > begun + Duration::from_millis(300);
        common::wait_until("its work", is_busy);
        assert_eq!(post(at, &format!("(ABORT {id})")), "aborted");
        starting.join().unwrap();
        let given_up = cpu_time(child.id());
        common::wait_until("the end of its threads", || {
            // With its limits alone, a question takes far longer.
            let since = cpu_time(child.id()) - given_up;
            assert!(since < Duration::from_secs(3), "threads go on");
            threads(child.id(), "player") + threads(child.id(), "clerk") == 0
        });
    }
    interrupt(&mut child);
}

#[test]
fn whatever_the_player_does_a_legal_move_is_answered() {
    // Does not answer before all is over.
    let (gate, closed) = unbounded::<()>();
    let stubborn = scripted("stubborn", move |_| {
        let _ = closed.recv();
        Ok(Choice::new("two"))
    });
    let helpless = scripted("helpless", |_| Err(PlayerError::NoMove));
    let players = [
        crasher(),
        parrot("three"),
        parrot("(("),
        thinker("two"),
        stubborn,
        helpless,
    ];
    thread::scope(|scope| {
        for player in players {
            scope.spawn(move || {
                let server = serve(player.clone());
                let at = server.address();
                assert_eq!(post(at, &start("m", "up", COUNTER, "1 1")), "ready");
                assert_eq!(post(at, "(PLAY m nil)"), "one", "{player}");
                assert_eq!(post(at, "(PLAY m (one wait))"), "one", "{player}");
                assert_eq!(post(at, "(STOP m (one wait))"), "done");
            });
        }
    });
    drop(gate);
}

#[test]
fn a_player_that_is_not_ready_does_not_delay_the_match() {
    let (gate, wait) = unbounded();
    let server = serve(latecomer(wait));
    let at = server.address();
    assert_eq!(post(at, &start("m", "up", COUNTER, "1 1")), "ready");
    assert_eq!(post(at, "(PLAY m nil)"), "one");
    assert_eq!(post(at, "(PLAY m (one wait))"), "one");
    // Now it is, and catches up.
    drop(gate);
    assert_eq!(post(at, "(PLAY m (one wait))"), "one");
    assert_eq!(post(at, "(ABORT m)"), "aborted");
}

#[test]
fn thinking_is_interrupted_at_once() {
    // Were it not, this would take more than a day.
    let clocks = "100000 100000";
    let (player, _gate, asked) = patient();
    let server = serve(player);
    let at = server.address();
    for farewell in ["(ABORT m)", "(STOP m nil)"] {
        asked.store(0, Ordering::SeqCst);
        let until = |turn| common::wait_until("a turn", || asked.load(Ordering::SeqCst) == turn);
        assert_eq!(post(at, &start("m", "up", COUNTER, clocks)), "ready");
        let thinking = thread::spawn(move || post(at, "(PLAY m nil)"));
        until(1);
        // The next turn, after an answer that has been lost.
        let next = thread::spawn(move || post(at, "(PLAY m (one wait))"));
        until(2);
        assert_ne!(post(at, farewell), "busy");
        for answer in [thinking, next] {
            assert!(["one", "two", "busy"].contains(&&*answer.join().unwrap()));
        }
        assert_eq!(post(at, "(INFO)"), AVAILABLE);
    }
}

/// Grounding is no thinking, and ends all the same.
#[test]
fn grounding_is_interrupted_at_once() {
    let (seen, prepared) = unbounded();
    let config = SessionConfig::new(watched("mcts", seen)).with_setup(endless_setup());
    let server = serve_with(config, ServerLimits::default());
    let at = server.address();
    for farewell in ["(ABORT m)", "(STOP m nil)"] {
        let start = start("m", "up", TALK, "100000 100000");
        let starting = thread::spawn(move || post(at, &start));
        common::wait_until("the start", || post(at, "(INFO)") == BUSY);
        assert_ne!(post(at, farewell), "busy");
        assert_eq!(starting.join().unwrap(), "ready");
        // Were grounding not interrupted, nothing would come.
        let error = prepared.recv().unwrap().unwrap_err();
        assert_eq!(error.to_string(), LoadError::Stopped.to_string());
        assert_eq!(post(at, "(INFO)"), AVAILABLE);
    }
}

/// The time for which a process has had a CPU, whatever else the machine does.
#[cfg(target_os = "linux")]
fn cpu_time(process: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    // The name comes before, and may have blanks in it.
    let fields = stat.rsplit(") ").next().unwrap();
    let mut ticks = fields.split(' ').skip(11).map(|field| field.parse::<u64>());
    let mut next = || ticks.next().unwrap().unwrap();
    // Of 10 ms, on all Linux systems.
    Duration::from_millis(10 * (next() + next()))
}

/// The threads of a process that have this name.
#[cfg(target_os = "linux")]
fn threads(process: u32, name: &str) -> usize {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).unwrap();
    // A thread may end meanwhile.
    let names = tasks
        .flatten()
        .flat_map(|task| std::fs::read_to_string(task.path().join("comm")));
    names.filter(|found| found.trim() == name).count()
}

/// What a preview has begun is ended by another one, joined by a match of the same game and
/// ended by a match of another.
#[cfg(target_os = "linux")]
#[test]
fn a_preview_is_prepared_until_it_is_replaced() {
    let (mut child, at) = command(&["--setup-limit", "100000"]);
    let until = |name, count| {
        common::wait_until(name, || threads(child.id(), name) == count);
    };
    let preview = |rules: &str| assert_eq!(post(at, &format!("(PREVIEW ({rules}) 10)")), "ready");
    preview(HUGE);
    until("preview", 1);
    preview(HUGE);
    assert_eq!(threads(child.id(), "preview"), 1);
    preview(COUNTER);
    until("preview", 0);
    preview(HUGE);
    until("preview", 1);
    // In rules that are wrong there is nothing to be prepared.
    preview("(role up)");
    until("preview", 1);
    for (rules, joined) in [(COUNTER, 0), (HUGE, 1)] {
        preview(HUGE);
        until("preview", 1);
        assert_eq!(post(at, &start("m", "up", rules, "0 100")), "ready");
        until("preview", joined);
        until("player", 1);
        assert_eq!(post(at, "(PREVIEW ((role up)) 10)"), "busy");
        assert_eq!(post(at, "(ABORT m)"), "aborted");
        until("preview", 0);
        until("player", 0);
    }
    interrupt(&mut child);
}

/// The name of the rules says where they come from.
#[test]
fn a_match_takes_over_what_was_previewed() {
    let (seen, games) = unbounded();
    let make = move |seat: &Seat| {
        let source = seat.rulesheet.rules().source.name().to_string();
        seen.send(source).unwrap();
        legal().make(seat)
    };
    let server = serve(PlayerFactory::new("witness", make));
    let at = server.address();
    assert_eq!(post(at, &format!("(PREVIEW ({COUNTER}) 10)")), "ready");
    // The first match takes it over, and takes it away.
    for expected in ["a preview", "m"] {
        let spaced = COUNTER.replace('(', " ( ") + "; a comment\n";
        assert_eq!(post(at, &start("m", "up", &spaced, "10 10")), "ready");
        assert_eq!(games.recv().unwrap(), expected);
        assert_eq!(post(at, "(PLAY m nil)"), "one");
        assert_eq!(post(at, "(ABORT m)"), "aborted");
    }
}

#[test]
fn the_same_request_again_gets_the_same_answer() {
    let (player, gate, asked) = patient();
    let server = serve(player);
    let at = server.address();
    assert_eq!(post(at, &start("m", "up", COUNTER, "100 100")), "ready");
    let ask = |message: &'static str| thread::spawn(move || post(at, message));
    for (turn, message, expected) in [
        (1, "(PLAY m nil)", "one"),
        (2, "(PLAY m (one wait))", "two"),
    ] {
        let answers = [ask(message), ask(message), ask(message)];
        common::wait_until("all requests", || server.pending() == answers.len());
        common::wait_until("the player", || asked.load(Ordering::SeqCst) == turn);
        gate.send(()).unwrap();
        for answer in answers {
            assert_eq!(answer.join().unwrap(), expected);
        }
        assert_eq!(asked.load(Ordering::SeqCst), turn);
    }
}

/// An answer may be lost after it was sent. What was asked for follows from the moves that are legal then.
#[test]
fn an_answer_that_was_lost_is_given_again() {
    let rules = "(role a) (role b) (other a b) (other b a) (init (turn a)) (n 1) (n 2) (n 3)
        (<= (legal ?r (say ?n)) (true (turn ?r)) (n ?n))
        (<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
        (<= (next (turn ?s)) (true (turn ?r)) (other ?r ?s))
        (<= (next (said ?n)) (does ?r (say ?n))) (<= terminal (true (said 9)))
        (goal a 50) (goal b 50)";
    let (player, gate, asked) = patient();
    let server = serve(player);
    let at = server.address();
    assert_eq!(post(at, &start("m", "a", rules, "100 100")), "ready");
    let turns = [
        ("(PLAY m nil)", "(say 1)"),
        ("(PLAY m ((say 1) noop))", "noop"),
        ("(PLAY m (noop (say 2)))", "(say 3)"),
    ];
    for (message, answer) in turns {
        gate.send(()).unwrap();
        assert_eq!(post(at, message), answer);
        if message == "(PLAY m nil)" {
            assert_eq!(post(at, message), answer);
        }
    }
    // It is not thought about again, for which there is no gate open.
    assert_eq!(post(at, "(PLAY m (noop (say 2)))"), "(say 3)");
    assert_eq!(asked.load(Ordering::SeqCst), 3);
    gate.send(()).unwrap();
    assert_eq!(post(at, "(PLAY m ((say 3) noop))"), "noop");
}

#[test]
fn a_match_without_a_manager_gives_way() {
    let config = SessionConfig::new(legal()).with_patience(Duration::ZERO);
    let server = serve_with(config, ServerLimits::default());
    let at = server.address();
    let lost = start("lost", "up", COUNTER, "0 0");
    for (asked, expected) in [("(INFO)", AVAILABLE), ("(PREVIEW ((role a)) 10)", "ready")] {
        assert_eq!(post(at, &lost), "ready");
        assert_eq!(post(at, asked), expected);
    }
    assert_eq!(post(at, &lost), "ready");
    server.reap_abandoned();
    assert_eq!(post(at, "(PLAY lost nil)"), "busy");
    assert_eq!(post(at, &lost), "ready");
    assert_eq!(post(at, &start("m", "up", COUNTER, "10 1000")), "ready");
    assert_eq!(post(at, "(PLAY lost nil)"), "busy");
    assert_eq!(post(at, &start("n", "up", COUNTER, "10 10")), "busy");
    assert_eq!(post(at, "(PLAY m nil)"), "one");
}

#[test]
fn a_log_replays_the_match() {
    let folder = tempfile::tempdir().unwrap();
    let config = SessionConfig::new(legal()).with_log(Some(folder.path().join("logs")));
    let server = serve_with(config, ServerLimits::default());
    let at = server.address();
    post(at, &start("../m", "up", COUNTER, "10 10"));
    post(at, "(PLAY other nil)");
    post(at, "(PLAY ../m nil)");
    post(at, "(PLAY ../m (two wait))");
    post(at, "(STOP ../m (two wait))");
    let files: Vec<_> = std::fs::read_dir(folder.path().join("logs"))
        .unwrap()
        .collect();
    assert_eq!(files.len(), 1);
    let log = std::fs::read_to_string(files[0].as_ref().unwrap().path()).unwrap();
    let entries: Vec<LogEntry> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let replies: Vec<&str> = entries.iter().map(|entry| &*entry.reply).collect();
    assert_eq!(replies, ["ready", "one", "one", "done"]);
    for entry in &entries {
        assert_eq!(entry.error, None);
        assert_eq!(post(at, &entry.request), entry.reply);
    }
}

/// The command at a free port, with these arguments, and its address.
fn command(args: &[&str]) -> (Child, SocketAddr) {
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("propjit"))
        .args(["serve", "--port", "0"])
        .args(args)
        .env("PROPJIT_CACHE", "off")
        .env("PROPJIT_CONFIG", "off")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let stdout = child.stdout.as_mut().unwrap();
    BufReader::new(stdout).read_line(&mut line).unwrap();
    let (_, address) = line.trim().rsplit_once("http://").unwrap();
    (child, address.parse().unwrap())
}

/// Ctrl-C.
fn interrupt(child: &mut Child) {
    common::command::interrupt(child);
    assert!(child.wait().unwrap().success());
}

#[test]
fn the_command_serves_until_it_is_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let logs = folder.path().join("logs").display().to_string();
    let player = ["--name", "me", "--player", "legal"];
    let (mut child, at) = command(&[&player[..], &["--margin", "100", "--log", &logs]].concat());
    assert!(at.ip().is_loopback());
    assert_eq!(post(at, "(INFO)"), "((name me) (status available))");
    assert_eq!(post(at, &start("m", "up", COUNTER, "10 10")), "ready");
    assert_eq!(post(at, "(PLAY m nil)"), "one");
    interrupt(&mut child);
    assert!(TcpStream::connect(at).is_err());
    assert_eq!(std::fs::read_dir(logs).unwrap().count(), 1);
}

#[test]
fn the_command_reports_wrong_usage() {
    let taken = serve(legal());
    let port = taken.address().port().to_string();
    for (args, code, message) in [
        (["--port", &port], 1, "cannot listen at 127.0.0.1:"),
        (
            ["--player", "nobody"],
            2,
            "there is no player `nobody`; there are",
        ),
        (
            ["--player", "random:threads=2"],
            2,
            "`random` has no option `threads`; it has seed",
        ),
        (["--name", "a b"], 2, "must be letters, digits"),
        (
            ["--player=cmd:propjit engine", "--threads=2"],
            2,
            "--threads is for built-in players",
        ),
        (
            ["--log", "/dev/null/x"],
            1,
            "cannot use the folder /dev/null/x",
        ),
    ] {
        let args = [&["serve"], &args[..]].concat();
        let output = common::command::propjit(&args).code(code);
        let text = common::command::stderr(output);
        assert!(text.contains(message), "{text}");
    }
}

#[test]
fn an_interrupted_turn_leaves_the_next_one_alone() {
    let (player, gate, asked) = patient();
    let server = serve(player);
    let at = server.address();
    assert_eq!(post(at, &start("m", "up", COUNTER, "100 100")), "ready");
    let ask = |message: &'static str| thread::spawn(move || post(at, message));
    let until = |turn: usize| {
        common::wait_until("the player", || asked.load(Ordering::SeqCst) == turn);
    };
    let lost = ask("(PLAY m nil)");
    until(1);
    let next = ask("(PLAY m (one wait))");
    until(2);
    assert_eq!(lost.join().unwrap(), "one");
    let again = ask("(PLAY m (one wait))");
    common::wait_until("both requests", || server.pending() == 2);
    gate.send(()).unwrap();
    assert_eq!(next.join().unwrap(), "two");
    assert_eq!(again.join().unwrap(), "two");
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

/// The player is informed that its match is given up before the session ends.
#[test]
fn the_end_of_a_session_waits_for_the_player() {
    struct Slow(Arc<AtomicBool>);
    impl Player for Slow {
        fn prepare(&mut self, _: Instant, _: &Stop) -> Result<(), PlayerError> {
            Ok(())
        }
        fn choose(&mut self, _: Instant, _: &Stop) -> Result<Choice, PlayerError> {
            Ok(Choice::new("one"))
        }
        fn advance(&mut self, _: &Observed, _: Option<&SharedPosition>) -> Result<(), PlayerError> {
            Ok(())
        }
        fn end(&mut self, ending: &Ending) -> Result<(), PlayerError> {
            assert_eq!(*ending, Ending::Aborted);
            // Were it not waited for, it would come too late.
            thread::sleep(Duration::from_millis(200));
            self.0.store(true, Ordering::SeqCst);
            Ok(())
        }
    }
    let heard = Arc::new(AtomicBool::new(false));
    let told = heard.clone();
    let make = move |_: &Seat| -> Result<Box<dyn Player>, PlayerError> {
        Ok(Box::new(Slow(told.clone())))
    };
    let server = serve(PlayerFactory::new("slow", make));
    assert_eq!(
        post(server.address(), &start("m", "up", COUNTER, "10 10")),
        "ready"
    );
    drop(server);
    assert!(heard.load(Ordering::SeqCst));
}
