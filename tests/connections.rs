//! Connections to a player: every way to send a message, and clients that do what clients
//! should not.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use crate::common;
use crate::common::http::{
    AVAILABLE, BUSY, body, half_closed, legal, post, raw, serve, serve_with, start, status,
};
use crate::common::players::patient;
use crate::common::{COUNTER, own_game};
use propjit::game::machine::RoleId;
use propjit::play::ggp::{Server, ServerLimits, Session, SessionConfig};
use rand::RngExt;

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
        // A length that counts a byte too many, while the connection stays open.
        "POST / HTTP/1.0\r\nContent-Length: 7\r\n\r\n(INFO)".to_string(),
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
fn texts_that_are_not_messages_are_refused() {
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
    // What is missing in a message that is complete otherwise is said, also if the client waits for it.
    let lacking = "POST / HTTP/1.0\r\nContent-Length: 5\r\n\r\n(INFO";
    for answer in [raw(at, lacking), half_closed(at, lacking)] {
        assert_eq!(status(&answer), 400);
        assert!(body(&answer).contains("a `)` is missing"), "{answer}");
    }
    // There is no client to answer to.
    for request in ["", "POST / HTTP/1.0\r\nContent-Length: 9\r\n\r\n(INFO"] {
        assert_eq!(half_closed(at, request), "");
    }
    // A client that counts too many bytes has sent a message all the same.
    let answer = half_closed(at, "POST / HTTP/1.0\r\nContent-Length: 9\r\n\r\n(INFO)");
    assert_eq!(body(&answer), AVAILABLE);
    assert_eq!(post(at, "(INFO)"), AVAILABLE);
}

#[test]
fn clients_that_send_nothing_do_not_keep_others_out() {
    let limits = ServerLimits::default()
        .with_read_time(Duration::from_secs(1000))
        .with_connections(4);
    let server = serve_with(SessionConfig::new(legal()), limits);
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
fn slow_clients_get_a_time_out() {
    let limits = ServerLimits::default().with_read_time(Duration::from_millis(50));
    let server = serve_with(SessionConfig::new(legal()), limits);
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
        for (role, mover) in RoleId::first(2).zip([true, false]) {
            let mut moves = Vec::new();
            machine.legal_moves(&state, role, &mut moves).unwrap();
            joint.push(match mover {
                true => machine.parse_move(role, &post(at, &message)).unwrap(),
                false => moves[0],
            });
        }
        // An illegal move fails here.
        state = machine.next_state(&state, &joint).unwrap();
        let text = |role| machine.move_text(RoleId(role), joint[role as usize]);
        message = format!("(PLAY m ({} {}))", text(0), text(1));
    }
    for client in crowd {
        client.join().unwrap();
    }
    assert_eq!(post(at, &message.replace("PLAY", "STOP")), "done");
}

#[test]
fn garbage_leaves_the_server_and_the_match_alone() {
    let server = serve(legal());
    let at = server.address();
    assert_eq!(post(at, &start("m", "up", COUNTER, "10 10")), "ready");
    let mut rng = propjit::support::rng::streams(1).next().unwrap();
    let pieces: [&[u8]; 12] = [
        b"GET ",
        b"POST ",
        b"/",
        b" HTTP/1.0",
        b"\r\n",
        b"\n",
        b"Content-Length: 5",
        b"(PLAY",
        b"%",
        b")",
        b"\xff\0",
        b"(START x y (",
    ];
    for _ in 0..300 {
        let count = rng.random_range(0..12);
        let garbage: Vec<u8> = (0..count)
            .flat_map(|_| pieces[rng.random_range(0..pieces.len())].to_vec())
            .collect();
        let mut stream = TcpStream::connect(at).unwrap();
        // The server may have closed before everything is sent or read.
        let _ = stream.write_all(&garbage);
        let _ = stream.shutdown(Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
    }
    assert_eq!(post(at, "(PLAY m nil)"), "one");
}

#[test]
fn a_lost_connection_loses_nothing() {
    let (player, gate, asked) = patient();
    let server = serve(player);
    let at = server.address();
    assert_eq!(post(at, &start("m", "up", COUNTER, "100 100")), "ready");
    let mut lost = TcpStream::connect(at).unwrap();
    lost.write_all(b"POST / HTTP/1.0\r\n\r\n(PLAY m nil)")
        .unwrap();
    common::wait_until("the player", || asked.load(Ordering::SeqCst) == 1);
    drop(lost);
    let again = thread::spawn(move || post(at, "(PLAY m nil)"));
    common::wait_until("the request", || server.pending() > 0);
    gate.send(()).unwrap();
    assert_eq!(again.join().unwrap(), "one");
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[test]
fn a_dropped_server_frees_its_port() {
    let (player, _gate, asked) = patient();
    let server = serve(player);
    let at = server.address();
    post(at, &start("m", "up", COUNTER, "10 100000"));
    let thinking = thread::spawn(move || post(at, "(PLAY m nil)"));
    common::wait_until("the player", || asked.load(Ordering::SeqCst) == 1);
    drop(server);
    thinking.join().unwrap();
    let again = Server::start(
        at,
        Session::new(SessionConfig::new(legal())),
        ServerLimits::default(),
    );
    assert_eq!(post(again.unwrap().address(), "(INFO)"), AVAILABLE);
}

#[test]
fn endless_messages_are_cut_off() {
    let server = serve(legal());
    let at = server.address();
    for beginning in ["POST / HTTP/1.0\r\n\r\n", "GET /"] {
        let mut stream = TcpStream::connect(at).unwrap();
        stream.write_all(beginning.as_bytes()).unwrap();
        // Goes on for ever unless the server closes.
        while stream.write_all(&[b'('; 1 << 16]).is_ok() {}
    }
    assert_eq!(post(at, "(INFO)"), AVAILABLE);
}
