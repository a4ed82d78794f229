//! Messages of the GGP protocol, and the HTTP that they come in.

use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::time::{Duration, Instant};

use propjit::Stop;
use propjit::play::ggp::{Request, read_message};

use super::bytes::Bytes;

/// How many bytes are sent at most: they have to fit into the system's buffers.
const MOST: usize = 8 << 10;

/// How many packets at most, as the system does not hold many.
const PACKETS: usize = 6;

/// Reads the bytes as a message, and as HTTP with a message inside.
pub(crate) fn check(bytes: &[u8]) {
    check_message(&String::from_utf8_lossy(bytes));
    check_http(&bytes[..bytes.len().min(MOST)]);
}

/// A message that is understood is written so that it is understood again, as the same.
fn check_message(text: &str) {
    if let Ok(request) = Request::parse(text) {
        let written = request.to_string();
        assert_eq!(Request::parse(&written).as_ref(), Ok(&request), "{written}");
    }
}

/// However the bytes are cut into packets, there is a message or an error, at once.
fn check_http(bytes: &[u8]) {
    // A socket of the system that keeps packets apart, and otherwise reads like any other.
    let (sender, receiver) = UnixDatagram::pair().expect("the system has sockets");
    let stream = TcpStream::from(OwnedFd::from(receiver));
    // The first byte says how it is cut.
    let mut cuts = Bytes::new(bytes);
    let size = cuts
        .below(bytes.len() + 1)
        .max(bytes.len() / PACKETS)
        .max(1);
    for packet in cuts.rest().chunks(size) {
        sender.send(packet).expect("there is room for the packets");
    }
    // Two ends, as both head and body may wait for one.
    for _ in 0..2 {
        sender.send(&[]).expect("there is room for the packets");
    }
    let (deadline, stop) = (Instant::now() + Duration::from_secs(10), Stop::new());
    match read_message(&stream, deadline, &stop) {
        Ok((first_line, body)) => {
            assert!(!first_line.contains('\n'));
            check_message(&body);
        }
        Err(error) => {
            assert!(Instant::now() < deadline, "{error}");
            assert!(
                error.source().is_none(),
                "the socket does not fail: {error}"
            );
        }
    }
}
