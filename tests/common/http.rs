//! A player at a port, and a client that sends given requests.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};

use propjit::play::ggp::{Server, ServerLimits, Session, SessionConfig};
use propjit::play::matches::PlayerFactory;

/// Sends bytes, leaves the connection open, and reads until the other side closes.
pub(crate) fn raw(address: SocketAddr, bytes: impl AsRef<[u8]>) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(bytes.as_ref()).unwrap();
    all(stream)
}

/// Sends bytes and closes its side.
pub(crate) fn half_closed(address: SocketAddr, bytes: impl AsRef<[u8]>) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(bytes.as_ref()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    all(stream)
}

fn all(mut stream: TcpStream) -> String {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// The status of an answer.
pub(crate) fn status(answer: &str) -> u16 {
    let status = answer.split(' ').nth(1).expect("an answer in HTTP");
    status.parse().unwrap()
}

/// The body of an answer.
pub(crate) fn body(answer: &str) -> &str {
    answer.split_once("\r\n\r\n").expect("an answer in HTTP").1
}

/// Sends a message as ggp-base does and returns the answer.
pub(crate) fn post(address: SocketAddr, message: &str) -> String {
    let length = message.len();
    let request = format!(
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: GAMESERVER\r\n\
         Content-Type: text/acl\r\nContent-Length: {length}\r\n\r\n{message}"
    );
    let answer = raw(address, request);
    assert_eq!(status(&answer), 200, "{answer}");
    body(&answer).to_string()
}

/// A player at a free port.
pub(crate) fn serve(player: PlayerFactory) -> Server {
    serve_with(SessionConfig::new(player), ServerLimits::default())
}

/// The same, with limits.
pub(crate) fn serve_with(config: SessionConfig, limits: ServerLimits) -> Server {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    Server::start(address, Session::new(config), limits).unwrap()
}

/// The player of the first legal move.
pub(crate) fn legal() -> PlayerFactory {
    "legal".parse().unwrap()
}

/// A message that starts a match.
pub(crate) fn start(id: &str, role: &str, rules: &str, clocks: &str) -> String {
    format!("(START {id} {role} ({rules}) {clocks})")
}

/// The answer to `INFO` of a player that is free.
pub(crate) const AVAILABLE: &str = "((name propjit) (status available))";

/// The answer to `INFO` of a player that is in a match.
pub(crate) const BUSY: &str = "((name propjit) (status busy))";
