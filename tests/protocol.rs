//! The GGP protocol over real sockets: every request, every answer, and clients that
//! do what clients should not.

mod common;

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use common::http::{body, half_closed, post, raw, status};
use common::players::{crasher, latecomer, parrot, patient, scripted, thinker};
use common::{COUNTER, own_game};
use propjit::player::spec::Spec;
use propjit::player::{Choice, PlayerError};
use propjit::protocol::log::Entry;
use propjit::protocol::server::{Limits, Server};
use propjit::protocol::session::{Config, Session};

/// A player at a free port.
fn serve(player: Spec) -> Server {
    serve_with(Config::new(player), Limits::default())
}

fn serve_with(config: Config, limits: Limits) -> Server {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    Server::start(address, Session::new(config), limits).unwrap()
}

fn legal() -> Spec {
    "legal".parse().unwrap()
}

fn start(id: &str, role: &str, rules: &str, clocks: &str) -> String {
    format!("(START {id} {role} ({rules}) {clocks})")
}

const AVAILABLE: &str = "((name propjit) (status available))";
const BUSY: &str = "((name propjit) (status busy))";

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
    for id in ["m", "other"] {
        assert_eq!(play(&start(id, "up", COUNTER, "10 10")), "busy");
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
}

#[test]
fn every_way_to_send_a_message() {
    let server = serve(legal());
    let at = server.address();
    let umlaut = "(INFO ä)";
    for request in [
        "POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(INFO)".to_string(),
        "POST / HTTP/1.1\r\nHost: a\r\ncontent-length:8\r\n\r\n( info )".to_string(),
        // Without a length: the list closes, and the connection stays open.
        "POST / HTTP/1.0\r\n\r\n\r\n( InFo ; x )\n ignored (and this) )".to_string(),
        "POST / HTTP/1.0\n\n(INFO)\r\n".to_string(),
        // A length that counts characters.
        format!(
            "POST / HTTP/1.0\r\nContent-Length: {}\r\n\r\n{umlaut}",
            umlaut.chars().count()
        ),
        // A parenthesis too many.
        "POST / HTTP/1.0\r\nContent-Length: 7\r\n\r\n(INFO))".to_string(),
        "GET /(INFO) HTTP/1.0\r\n\r\n".to_string(),
        "GET /%28+INFO%20%29 HTTP/1.0\r\nA: b\r\n\r\n".to_string(),
        "get /( INFO ) HTTP/1.1\r\n\r\n".to_string(),
        "GET /(INFO)\r\n\r\n".to_string(),
    ] {
        let answer = raw(at, &request);
        assert_eq!(
            (status(&answer), body(&answer)),
            (200, AVAILABLE),
            "{request}"
        );
        assert!(
            answer.contains("Access-Control-Allow-Origin: *"),
            "{answer}"
        );
    }
    for request in ["GET /(INFO) HTTP/1.0\r\n", "POST / HTTP/1.0\r\n\r\n(INFO)"] {
        assert_eq!(body(&half_closed(at, request)), AVAILABLE, "{request}");
    }
    let options = raw(at, "OPTIONS / HTTP/1.1\r\nOrigin: null\r\n\r\n");
    assert_eq!((status(&options), body(&options)), (200, ""));
    assert!(options.contains("Access-Control-Allow-Methods: POST, GET, OPTIONS"));
    assert!(options.contains("Access-Control-Allow-Headers: Content-Type"));
}

#[test]
fn what_is_no_message_is_refused() {
    let server = serve(legal());
    let at = server.address();
    for (request, expected) in [
        (&b"PUT / HTTP/1.0\r\n\r\n(INFO)"[..], 405),
        (b"\x16\x03\x01\x02\x00\x01\n\n", 405),
        (b"GET / HTTP/1.0\r\n\r\n", 400),
        (b"GET /favicon.ico HTTP/1.1\r\n\r\n", 400),
        (b"GET /%ff HTTP/1.1\r\n\r\n", 400),
        (b"POST / HTTP/1.0\r\nContent-Length: 3\r\n\r\nfoo", 400),
        (b"POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(HELO)", 400),
        (b"POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(PLAY)", 400),
        (b"POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\n()", 400),
        (b"POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n", 400),
        (b"POST / HTTP/1.0\r\nContent-Length: x\r\n\r\n", 400),
        (b"POST / HTTP/1.0\r\nContent-Length: 3\r\n\r\n(\xff)", 400),
        (b"POST / HTTP/1.0\r\nContent-Length: 99999999\r\n\r\n(", 413),
        (
            b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n(INFO)\r\n0\r\n\r\n",
            411,
        ),
    ] {
        let answer = raw(at, request);
        assert_eq!(status(&answer), expected, "{request:?}: {answer}");
        assert!(!body(&answer).is_empty());
    }
    // Nobody to answer to.
    for request in ["", "POST / HTTP/1.0\r\nContent-Length: 9\r\n\r\n(INFO)"] {
        assert_eq!(half_closed(at, request), "");
    }
    assert_eq!(post(at, "(INFO)"), AVAILABLE);
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
    let server = serve(legal());
    let at = server.address();
    for (role, rules) in [
        ("up", "(role up) (<= (next ?x) (does up ?y))"),
        ("up", ""),
        ("down", COUNTER),
    ] {
        assert_eq!(post(at, &start("m", role, rules, "10 10")), "busy");
        assert_eq!(post(at, "(INFO)"), AVAILABLE);
    }
}

#[test]
fn whatever_the_player_does_a_legal_move_is_answered() {
    let stubborn = scripted("stubborn", |_| {
        thread::sleep(Duration::from_secs(3));
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
}

#[test]
fn a_player_that_is_not_ready_does_not_delay_the_match() {
    let (gate, wait) = mpsc::channel();
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
    let server = serve(thinker("two"));
    let at = server.address();
    for farewell in ["(ABORT m)", "(STOP m nil)"] {
        assert_eq!(post(at, &start("m", "up", COUNTER, clocks)), "ready");
        let thinking = thread::spawn(move || post(at, "(PLAY m nil)"));
        // The next turn, after an answer that has been lost.
        thread::sleep(Duration::from_millis(20));
        let next = thread::spawn(move || post(at, "(PLAY m (one wait))"));
        thread::sleep(Duration::from_millis(20));
        assert_ne!(post(at, farewell), "busy");
        for answer in [thinking, next] {
            assert!(["one", "two", "busy"].contains(&&*answer.join().unwrap()));
        }
        assert_eq!(post(at, "(INFO)"), AVAILABLE);
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
        while asked.load(Ordering::SeqCst) < turn {
            thread::sleep(Duration::from_millis(1));
        }
        // Time for all of them to arrive; should one not, the test is easier to pass.
        thread::sleep(Duration::from_millis(50));
        gate.send(()).unwrap();
        for answer in answers {
            assert_eq!(answer.join().unwrap(), expected);
        }
        assert_eq!(asked.load(Ordering::SeqCst), turn);
    }
}

#[test]
fn a_match_without_a_manager_gives_way() {
    let config = Config {
        patience: Duration::ZERO,
        ..Config::new(legal())
    };
    let server = serve_with(config, Limits::default());
    let at = server.address();
    assert_eq!(post(at, &start("lost", "up", COUNTER, "0 0")), "ready");
    assert_eq!(post(at, &start("m", "up", COUNTER, "10 1000")), "ready");
    assert_eq!(post(at, "(PLAY lost nil)"), "busy");
    assert_eq!(post(at, &start("n", "up", COUNTER, "10 10")), "busy");
    assert_eq!(post(at, "(PLAY m nil)"), "one");
}

#[test]
fn clients_that_send_nothing_do_not_keep_others_out() {
    let limits = Limits {
        read_time: Duration::from_secs(1000),
        connections: 4,
    };
    let server = serve_with(Config::new(legal()), limits);
    let at = server.address();
    assert_eq!(post(at, &start("m", "up", COUNTER, "10 10")), "ready");
    let mut idle = Vec::new();
    for _ in 0..6 {
        let mut stream = TcpStream::connect(at).unwrap();
        stream.write_all(b"POST / HTTP/1.0\r\nContent-Le").unwrap();
        idle.push(stream);
    }
    for _ in 0..3 {
        assert_eq!(post(at, "(PLAY m nil)"), "one");
    }
    // One letter after the other is slow, but a message.
    let mut slow = TcpStream::connect(at).unwrap();
    for byte in b"POST / HTTP/1.0\r\n\r\n(INFO" {
        slow.write_all(&[*byte]).unwrap();
        thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(post(at, "(PLAY m nil)"), "one");
}

#[test]
fn slow_clients_are_told_so() {
    let limits = Limits {
        read_time: Duration::from_millis(50),
        ..Limits::default()
    };
    let server = serve_with(Config::new(legal()), limits);
    for beginning in ["POST / HT", "POST / HTTP/1.0\r\n\r\n(INFO", "GET /"] {
        assert_eq!(
            status(&raw(server.address(), beginning)),
            408,
            "{beginning}"
        );
    }
}

#[test]
fn a_thousand_requests_do_not_disturb_a_match() {
    let server = serve("random".parse().unwrap());
    let at = server.address();
    let game = own_game("ticTacToe");
    let rules = game.rules().source.text();
    assert_eq!(post(at, &start("m", "x", rules, "100 100")), "ready");
    let crowd: Vec<_> = (0..40)
        .map(|client| {
            let intruder = start("n", "x", rules, "100 100");
            thread::spawn(move || {
                for round in 0..25 {
                    let (message, expected) = match (client + round) % 5 {
                        0 => ("(INFO)", BUSY),
                        1 => ("(PLAY n nil)", "busy"),
                        2 => (&*intruder, "busy"),
                        3 => ("(ABORT n)", "busy"),
                        _ => {
                            let garbage = format!("GET /{client} HTTP/1.0\r\n\r\n");
                            assert_eq!(status(&raw(at, garbage)), 400);
                            continue;
                        }
                    };
                    assert_eq!(post(at, message), expected);
                }
            })
        })
        .collect();
    let mut machine = game.machine(game.backend()).unwrap();
    let mut state = machine.initial_state().unwrap();
    let mut message = "(PLAY m nil)".to_string();
    while !machine.is_terminal(&state).unwrap() {
        let mut joint = Vec::new();
        for (role, mover) in propjit::machine::RoleId::first(2).zip([true, false]) {
            let mut moves = Vec::new();
            machine.legal_moves(&state, role, &mut moves).unwrap();
            joint.push(match mover {
                true => machine.parse_move(role, &post(at, &message)).unwrap(),
                false => moves[0],
            });
        }
        // An illegal move fails here.
        state = machine.next_state(&state, &joint).unwrap();
        let text = |role| machine.move_text(propjit::machine::RoleId(role), joint[role as usize]);
        message = format!("(PLAY m ({} {}))", text(0), text(1));
    }
    for client in crowd {
        client.join().unwrap();
    }
    assert_eq!(post(at, &message.replace("PLAY", "STOP")), "done");
}

#[test]
fn a_log_replays_the_match() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config {
        log: Some(folder.path().join("logs")),
        ..Config::new(legal())
    };
    let server = serve_with(config, Limits::default());
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
    let entries: Vec<Entry> = log
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

#[test]
fn a_dropped_server_frees_its_port() {
    let server = serve(thinker("two"));
    let at = server.address();
    post(at, &start("m", "up", COUNTER, "10 100000"));
    let thinking = thread::spawn(move || post(at, "(PLAY m nil)"));
    thread::sleep(Duration::from_millis(20));
    drop(server);
    thinking.join().unwrap();
    let again = Server::start(at, Session::new(Config::new(legal())), Limits::default());
    assert_eq!(post(again.unwrap().address(), "(INFO)"), AVAILABLE);
}

#[test]
fn the_command_serves_until_it_is_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let logs = folder.path().join("logs").display().to_string();
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("propjit"))
        .args(["serve", "--port", "0", "--name", "me", "--player", "legal"])
        .args(["--margin", "100", "--log", &logs])
        .env("PROPJIT_CACHE", "off")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let stdout = child.stdout.as_mut().unwrap();
    BufReader::new(stdout).read_line(&mut line).unwrap();
    let (_, address) = line.trim().rsplit_once("http://").unwrap();
    let at: SocketAddr = address.parse().unwrap();
    assert!(at.ip().is_loopback());
    assert_eq!(post(at, "(INFO)"), "((name me) (status available))");
    assert_eq!(post(at, &start("m", "up", COUNTER, "10 10")), "ready");
    assert_eq!(post(at, "(PLAY m nil)"), "one");
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    assert!(child.wait().unwrap().success());
    assert!(TcpStream::connect(at).is_err());
    assert_eq!(std::fs::read_dir(logs).unwrap().count(), 1);
}

#[test]
fn the_command_tells_what_it_cannot_do() {
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
            ["--threads", "2"],
            2,
            "`random` has no option `threads`; it has seed",
        ),
        (["--name", "a b"], 2, "must be letters, digits"),
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
        while asked.load(Ordering::SeqCst) < turn {
            thread::sleep(Duration::from_millis(1));
        }
    };
    let lost = ask("(PLAY m nil)");
    until(1);
    let next = ask("(PLAY m (one wait))");
    until(2);
    assert_eq!(lost.join().unwrap(), "one");
    let again = ask("(PLAY m (one wait))");
    thread::sleep(Duration::from_millis(50));
    gate.send(()).unwrap();
    assert_eq!(next.join().unwrap(), "two");
    assert_eq!(again.join().unwrap(), "two");
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}
