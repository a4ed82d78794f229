//! The referee with players elsewhere, which may be busy, sloppy, silent or wrong.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::common::series::{own_sheet, play, series, sheet, spec};
use crate::common::{self, COUNTER};
use propjit::Stop;
use propjit::play::ggp::Server;
use propjit::play::matches::{ErrorRecord, MatchEnd, PlayerErrorKind, PlayerFactory};

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

/// Games that are soon solved, so that no player waits for clocks.
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
    // It has not joined. Later, `busy` might be the name of a move.
    let [start, moves @ ..] = &record.errors[..] else {
        unreachable!("one for each step, and one more");
    };
    assert_eq!(start.kind, PlayerErrorKind::Failure);
    assert_eq!(start.text, "the player is busy with another match");
    let is_illegal = |error: &ErrorRecord| error.kind == PlayerErrorKind::Illegal;
    assert!(moves.iter().all(is_illegal));
    // It has not been disturbed.
    assert_eq!(
        common::http::post(server.address(), "(ABORT other)"),
        "aborted"
    );
}

/// A player that is in another match does not join, which ends a series that tolerates no failures.
#[test]
fn a_busy_player_elsewhere_ends_the_series() {
    let (server, remote) = serve(spec("random"));
    let rules = COUNTER.replace('\n', " ");
    let start = format!("(START other up ({rules}) 10 10)");
    assert_eq!(common::http::post(server.address(), &start), "ready");
    let mut series = series(&[remote, spec("legal")], 5);
    series.config.forgiving = false;
    let results = play(&series, &sheet(COUNTER));
    assert_eq!(results.records, []);
    let failure = results.failure.unwrap();
    assert!(failure.contains("accepts no matches: "), "{failure}");
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
    let others = [
        (foreign(None), PlayerErrorKind::Timeout),
        (foreign(Some(b"")), PlayerErrorKind::Connection),
        (foreign(Some(b"\xff\xfe\r\n\r\n")), PlayerErrorKind::Failure),
        (foreign(Some(b"one\r\n\r\none")), PlayerErrorKind::Failure),
        (
            foreign(Some(
                b"HTTP/1.0 500 Internal Server Error\r\nContent-Length: 3\r\n\r\none",
            )),
            PlayerErrorKind::Failure,
        ),
        (
            foreign(Some(
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n0\r\n\r\n",
            )),
            PlayerErrorKind::Failure,
        ),
        (
            foreign(Some(b"HTTP/1.0 200 OK\r\n\r\nfly")),
            PlayerErrorKind::Illegal,
        ),
        (
            foreign(Some(b"HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\none")),
            PlayerErrorKind::Connection,
        ),
    ];
    // The others have their ports by now, and cannot get this one.
    let nobody = {
        let listener = TcpListener::bind(loopback()).unwrap();
        spec(&format!("http://{}", listener.local_addr().unwrap()))
    };
    let nobody = (nobody, PlayerErrorKind::Connection);
    for (player, kind) in others.into_iter().chain([nobody]) {
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
