//! The client: a request to a player and its answer.

use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::bounded;
use propjit_stop::Stop;

use super::address::Address;
use super::http::{self, HttpError, Reader};
use crate::play::matches::PlayerError;
use crate::play::matches::printable::excerpt;

/// How long one of a host's addresses may take to accept a connection.
const CONNECT_TIME: Duration = Duration::from_secs(5);

/// How often the stop token is checked meanwhile.
const INTERVAL: Duration = Duration::from_millis(20);

/// Sends a message and returns the answer, trimmed; waits for it until `deadline`, or
/// until `stop` is set.
///
/// # Errors
/// [`PlayerError::TimedOut`], [`PlayerError::Stopped`], [`PlayerError::Connection`],
/// or [`PlayerError::Failed`] if the answer is no HTTP, or reports a failure.
pub(super) fn query(
    address: &Address,
    message: &str,
    deadline: Instant,
    stop: &Stop,
) -> Result<String, PlayerError> {
    let stream = connected(address, deadline, stop)?;
    // The head as ggp-base sends it.
    let place = address.to_string();
    let host = place.strip_prefix("http://").unwrap_or(&place);
    let head = format!(
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: {host}\r\n\
         Sender: GAMESERVER\r\nContent-Type: text/acl"
    );
    http::send(&stream, &head, message).map_err(failed)?;
    let mut reader = Reader::new(&stream, deadline, stop);
    let failure = |error: HttpError| match error {
        HttpError::TimedOut => PlayerError::TimedOut,
        HttpError::Stopped => PlayerError::Stopped,
        HttpError::Io(error) => failed(error),
        HttpError::Closed => failed(io::ErrorKind::UnexpectedEof.into()),
        error => PlayerError::Failed(error.to_string()),
    };
    let head = reader.head().map_err(failure)?;
    let status = head.status().map_err(failure)?;
    let answer = reader.lists(&head);
    if !(200..300).contains(&status) {
        // The body may say why.
        let why = answer.unwrap_or_default();
        return Err(PlayerError::Failed(match why.trim() {
            "" => format!("HTTP {status}"),
            why => format!("HTTP {status}: {}", excerpt(why)),
        }));
    }
    answer
        .map(|answer| answer.trim().to_string())
        .map_err(failure)
}

/// Connects, unless a stop comes. Name resolution and connecting cannot be interrupted, so they run on a thread of
/// their own.
fn connected(address: &Address, deadline: Instant, stop: &Stop) -> Result<TcpStream, PlayerError> {
    let (say, found) = bounded(1);
    let address = address.clone();
    let started = thread::Builder::new().spawn(move || {
        // If no caller waits any more, the connection is closed.
        let _ = say.send(connect(&address, deadline));
    });
    started.map_err(failed)?;
    loop {
        match found.recv_timeout(INTERVAL) {
            Ok(connected) => return connected.map_err(failed),
            Err(_) if stop.is_set() => return Err(PlayerError::Stopped),
            Err(_) if Instant::now() >= deadline => {
                return Err(failed(io::ErrorKind::TimedOut.into()));
            }
            Err(_) => {}
        }
    }
}

fn failed(error: io::Error) -> PlayerError {
    PlayerError::Connection(Arc::new(error))
}

fn connect(address: &Address, deadline: Instant) -> io::Result<TcpStream> {
    let mut result = Err(io::ErrorKind::AddrNotAvailable.into());
    for place in address.resolve()? {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        result = TcpStream::connect_timeout(&place, left.min(CONNECT_TIME));
        if result.is_ok() {
            break;
        }
    }
    result
}
