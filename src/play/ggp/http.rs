//! The part of HTTP that the GGP protocol needs, for both sides, on plain sockets.
//!
//! Why no server library: game managers and players speak HTTP/1.0 as `ggp-base` does, which differs
//! from the standard where it hurts. A `POST` may come without Content-Length; hyper (and so axum)
//! and tiny_http (and so rouille) then see an empty body, as RFC 9112 says, and would drop the
//! message. Content-Length counts characters where it should count bytes. The target of a `GET` may
//! contain blanks, which all of them refuse. One connection carries one request and the whole traffic
//! of a match is a few hundred of them, so the strengths of those libraries are not needed, and
//! tiny_http has not been released since 2022. Only the parsing of header lines is left: `httparse`,
//! the parser inside hyper, does that.
//! parser inside hyper, does that.
//!
//! The body of a message of the GGP protocol ends when Content-Length is reached *and* no list in it
//! is open; without Content-Length when its first list is closed; in any case when the sender closes. Some senders count
//! too many bytes, or forget a parenthesis: when all that can be missing is that, and no more comes for a while, the body has
//! ended, too. Other bodies have Content-Length bytes, as the standard says.

use std::cell::Cell;
use std::error::Error;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use thiserror::Error;

use propjit_stop::Stop;

/// The largest message that is read, head included: 4 MiB. Rulesheets have less than one.
pub(crate) const MAX_BYTES: usize = 4 << 20;

/// The interval of checks for a stop while waiting for a socket.
const SLICE: Duration = Duration::from_millis(10);

/// How long more is waited for when a list is closed, but bytes are missing.
const AFTER_LIST: Duration = Duration::from_millis(250);

/// How long more is waited for when no bytes are missing, but a list is open.
const WITHIN_LIST: Duration = Duration::from_secs(2);

/// How long the other side gets to take an answer.
const WRITE_TIME: Duration = Duration::from_secs(5);

/// How long to wait for the other side to close after an answer.
const LINGER: Duration = Duration::from_millis(500);

/// Why there is no message.
#[derive(Debug, Error)]
pub(crate) enum HttpError {
    /// The time is up.
    #[error("the message did not arrive in time")]
    TimedOut,
    /// A stop was requested.
    #[error("stopped")]
    Stopped,
    /// The connection was closed before the message was complete.
    #[error("the connection was closed before the message was complete")]
    Closed,
    /// The message is larger than [`MAX_BYTES`].
    #[error("the message is larger than {} MiB", MAX_BYTES >> 20)]
    TooLarge,
    /// The message is malformed.
    #[error("malformed HTTP message: {0}")]
    Malformed(&'static str),
    /// The body is chunked.
    #[error("chunked bodies are not supported; send Content-Length")]
    Chunked,
    /// The connection failed.
    #[error("the connection failed")]
    Io(#[from] io::Error),
}

/// The part of a message before the body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Head {
    /// The request line or status line.
    pub first_line: String,
    /// The length of the body in bytes (some mean characters).
    pub content_length: Option<usize>,
    /// The host that was asked, if it is named.
    pub host: Option<String>,
    /// The type of the body, if it is named.
    pub content_type: Option<String>,
}

impl Head {
    /// The status code in the first line of an answer.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn status(&self) -> Result<u16, HttpError> {
        let mut words = self.first_line.split_whitespace();
        let is_http = words.next().is_some_and(|word| word.starts_with("HTTP/"));
        let status = words.next().filter(|_| is_http);
        status
            .and_then(|status| status.parse().ok())
            .ok_or(HttpError::Malformed("the first line has no status"))
    }
}

/// Reads one message from a connection.
pub(crate) struct Reader<'a> {
    stream: &'a TcpStream,
    deadline: Instant,
    stop: &'a Stop,
    buffer: Vec<u8>,
}

impl<'a> Reader<'a> {
    /// Reads until `deadline` at the latest.
    pub(crate) fn new(stream: &'a TcpStream, deadline: Instant, stop: &'a Stop) -> Reader<'a> {
        Reader {
            stream,
            deadline,
            stop,
            buffer: Vec::new(),
        }
    }

    /// Reads more; false if there is no more.
    fn more(&mut self) -> Result<bool, HttpError> {
        let mut chunk = [0; 16 << 10];
        loop {
            if self.stop.is_set() {
                return Err(HttpError::Stopped);
            }
            let left = self.deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(HttpError::TimedOut);
            }
            self.stream.set_read_timeout(Some(left.min(SLICE)))?;
            match self.stream.read(&mut chunk) {
                Ok(0) => return Ok(false),
                Ok(count) => {
                    self.buffer.extend_from_slice(&chunk[..count]);
                    return match self.buffer.len() > MAX_BYTES {
                        true => Err(HttpError::TooLarge),
                        false => Ok(true),
                    };
                }
                Err(error) if is_pause(&error) => {}
                // Closed, if not politely.
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return Ok(false),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Reads what comes before the body. The blank line may be missing if nothing follows.
    ///
    /// # Errors
    /// When it does not come, or is no HTTP.
    pub(crate) fn head(&mut self) -> Result<Head, HttpError> {
        let mut seen = 0;
        let end = loop {
            if let Some(end) = blank_line(&self.buffer, seen) {
                break end;
            }
            // The blank line may have begun in what was seen.
            seen = self.buffer.len().saturating_sub(3);
            if !self.more()? {
                break self.buffer.len();
            }
        };
        let body = self.buffer.split_off(end);
        let head = std::mem::replace(&mut self.buffer, body);
        if head.iter().all(u8::is_ascii_whitespace) {
            return Err(HttpError::Closed);
        }
        read_head(&head)
    }

    /// Reads a body of as many bytes as the head says, or none if it does not say.
    ///
    /// # Errors
    /// When it does not come, or is not UTF-8.
    pub(crate) fn body(&mut self, head: &Head) -> Result<String, HttpError> {
        let length = head.content_length.unwrap_or(0);
        self.body_until(head, |body| body.len() >= length)?;
        self.buffer.truncate(length);
        self.take_text()
    }

    /// Reads a body that is a message of the GGP protocol.
    ///
    /// # Errors
    /// When it does not come, or is not UTF-8.
    pub(crate) fn lists(&mut self, head: &Head) -> Result<String, HttpError> {
        if head.content_length.is_some_and(|length| length > MAX_BYTES) {
            return Err(HttpError::TooLarge);
        }
        let mut scan = Scan::default();
        let deadline = self.deadline;
        let ended = loop {
            scan.feed(&self.buffer);
            let missing = head
                .content_length
                .map(|length| length.saturating_sub(self.buffer.len()));
            let is_list = scan.closed && scan.depth == 0;
            match missing {
                Some(0) if scan.depth == 0 => break true,
                None if scan.closed => break true,
                _ => {}
            }
            let pause = match (is_list, missing) {
                (true, _) => Some(AFTER_LIST),
                (false, Some(0)) => Some(WITHIN_LIST),
                _ => None,
            };
            let until = pause.map(|pause| Instant::now() + pause);
            self.deadline = until.map_or(deadline, |until| until.min(deadline));
            match self.more() {
                Ok(true) => {}
                Ok(false) => break missing.is_none_or(|missing| missing == 0) || is_list,
                Err(HttpError::TimedOut) if pause.is_some() => break true,
                Err(error) => return Err(error),
            }
        };
        self.deadline = deadline;
        match (ended, scan.depth) {
            (true, 0) => self.take_text(),
            (true, _) => Err(HttpError::Malformed(
                "the message ends within a list: a `)` is missing",
            )),
            (false, _) => Err(HttpError::Closed),
        }
    }

    /// Reads until the body is complete, or the sender closes.
    fn body_until(
        &mut self,
        head: &Head,
        mut is_complete: impl FnMut(&[u8]) -> bool,
    ) -> Result<(), HttpError> {
        let length = head.content_length.unwrap_or(0);
        if length > MAX_BYTES {
            return Err(HttpError::TooLarge);
        }
        while !is_complete(&self.buffer) && self.more()? {}
        match self.buffer.len() < length {
            true => Err(HttpError::Closed),
            false => Ok(()),
        }
    }

    fn take_text(&mut self) -> Result<String, HttpError> {
        let text = String::from_utf8(std::mem::take(&mut self.buffer));
        text.map_err(|_| HttpError::Malformed("the body is not UTF-8"))
    }
}

/// Reads one message of the GGP protocol from a connection; gives its first line and its body.
///
/// # Errors
/// When it does not come in time, or is no HTTP.
pub fn read_message(
    stream: &TcpStream,
    deadline: Instant,
    stop: &Stop,
) -> Result<(String, String), Box<dyn Error + Send + Sync>> {
    let mut reader = Reader::new(stream, deadline, stop);
    let head = reader.head()?;
    let body = reader.lists(&head)?;
    Ok((head.first_line, body))
}

fn is_pause(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}

/// The start of the body, if there is a blank line from `from` on.
fn blank_line(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = &bytes[from..];
    let ends = rest.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
    ends.map(|(at, _)| &rest[at + 1..]).find_map(|after| {
        let blank = match after {
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            _ => return None,
        };
        Some(bytes.len() - after.len() + blank)
    })
}

fn read_head(head: &[u8]) -> Result<Head, HttpError> {
    // Some clients send a blank line first.
    let head = head.trim_ascii_start();
    let line_end = head.iter().position(|&byte| byte == b'\n');
    let (first_line, rest) = head.split_at(line_end.map_or(head.len(), |end| end + 1));
    let first_line = std::str::from_utf8(first_line)
        .map_err(|_| HttpError::Malformed("the first line is not UTF-8"))?;
    let mut headers = [httparse::EMPTY_HEADER; 64];
    // At the end of the stream, the blank line is as good as read.
    let lines = [rest.trim_ascii_end(), b"\r\n\r\n"].concat();
    let lines: &[u8] = if rest.trim_ascii().is_empty() {
        b"\r\n"
    } else {
        &lines
    };
    let parsed = httparse::parse_headers(lines, &mut headers);
    let parsed = parsed.map_err(|_| HttpError::Malformed("cannot read the headers"))?;
    let httparse::Status::Complete((_, headers)) = parsed else {
        return Err(HttpError::Malformed("the headers are incomplete"));
    };
    let value = |name: &str| {
        let mut all = headers.iter();
        let header = all.find(|header| header.name.eq_ignore_ascii_case(name))?;
        Some(header.value.trim_ascii())
    };
    if value("Transfer-Encoding").is_some_and(|value| value.eq_ignore_ascii_case(b"chunked")) {
        return Err(HttpError::Chunked);
    }
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    let length = |value: &[u8]| std::str::from_utf8(value).ok()?.parse().ok();
    let content_length = value("Content-Length").map(length);
    Ok(Head {
        first_line: first_line.trim_end().to_string(),
        host: value("Host").map(text),
        content_type: value("Content-Type").map(text),
        content_length: content_length
            .map(|length| length.ok_or(HttpError::Malformed("Content-Length is not a number")))
            .transpose()?,
    })
}

/// Counts parentheses as the bytes come.
#[derive(Default)]
struct Scan {
    /// The number of bytes that have been scanned.
    seen: usize,
    /// The number of open lists.
    depth: usize,
    /// Whether a list was opened and closed.
    closed: bool,
    in_comment: bool,
}

impl Scan {
    fn feed(&mut self, bytes: &[u8]) {
        for &byte in &bytes[self.seen..] {
            match byte {
                b'\n' | b'\r' => self.in_comment = false,
                b';' => self.in_comment = true,
                _ if self.in_comment => {}
                b'(' => self.depth += 1,
                b')' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.closed |= self.depth == 0;
                }
                _ => {}
            }
        }
        self.seen = bytes.len();
    }
}

/// Sends a message, all of it at once.
///
/// # Errors
/// When the other side does not take it in time.
pub(crate) fn send(mut stream: &TcpStream, head: &str, body: &str) -> io::Result<()> {
    stream.set_write_timeout(Some(WRITE_TIME))?;
    let length = body.len();
    let message = format!("{head}\r\nContent-Length: {length}\r\n\r\n{body}");
    stream.write_all(message.as_bytes())?;
    stream.flush()
}

/// The first line of an answer that has what was asked for.
pub(crate) const SUCCESS: &str = "HTTP/1.0 200 OK";

/// Detects whether the other side still waits for an answer.
///
/// A client that has closed its connection for writing may still read. So when that is seen, the
/// first line of the answer is sent at once: if the client is gone, its system resets the
/// connection.
pub(crate) struct Asker<'a> {
    stream: &'a TcpStream,
    /// Whether the first line has been sent.
    has_begun: Cell<bool>,
    is_gone: Cell<bool>,
}

impl<'a> Asker<'a> {
    /// Watches a connection from which a message has been read.
    pub(crate) fn new(stream: &'a TcpStream) -> Asker<'a> {
        Asker {
            stream,
            has_begun: Cell::new(false),
            is_gone: Cell::new(false),
        }
    }

    /// Returns whether the other side has stopped waiting. This is certain only at the next call.
    /// The answer must be a success from then on.
    pub(crate) fn is_gone(&self) -> bool {
        if !self.is_gone.get() {
            self.is_gone.set(self.poll_peer().is_err());
        }
        self.is_gone.get()
    }

    fn poll_peer(&self) -> io::Result<()> {
        let mut stream = self.stream;
        if let Some(error) = stream.take_error()? {
            return Err(error);
        }
        stream.set_read_timeout(Some(Duration::from_millis(1)))?;
        // Bytes after the message are ignored.
        let mut rest = [0; 4 << 10];
        match stream.read(&mut rest) {
            Ok(0) if !self.has_begun.replace(true) => {
                stream.set_write_timeout(Some(WRITE_TIME))?;
                stream.write_all(format!("{SUCCESS}\r\n").as_bytes())
            }
            Ok(_) => Ok(()),
            Err(error) if is_pause(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Sends the answer. The status is the first line of a response.
    ///
    /// # Errors
    /// When the other side does not take it in time.
    pub(crate) fn answer(&self, status: &str, headers: &str, body: &str) -> io::Result<()> {
        match self.has_begun.get() {
            true => send(self.stream, headers, body),
            false => send(self.stream, &format!("{status}\r\n{headers}"), body),
        }
    }
}

/// Closes a connection so that what was sent still arrives: were there bytes left unread,
/// the system would reset the connection and the other side lose the answer.
pub(crate) fn close(mut stream: &TcpStream) {
    let mut rest = [0; 4 << 10];
    let deadline = Instant::now() + LINGER;
    // Whatever fails here, the connection is over.
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.set_read_timeout(Some(LINGER));
    while Instant::now() < deadline {
        match stream.read(&mut rest) {
            Ok(count) if count > 0 => {}
            _ => break,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads() {
        let head = |text: &str| read_head(text.as_bytes());
        let read = head("\r\nPOST / HTTP/1.0\r\nA: b\r\ncontent-length:  12 \r\n\r\n").unwrap();
        assert_eq!(read.first_line, "POST / HTTP/1.0");
        assert_eq!(read.content_length, Some(12));
        let read = head("GET /( a b ) HTTP/1.0\n").unwrap();
        assert_eq!(read.first_line, "GET /( a b ) HTTP/1.0");
        assert_eq!(read.content_length, None);
        let read = head("GET /").unwrap();
        assert_eq!(read.first_line, "GET /");
        for bad in [
            "POST /\nContent-Length: x\n\n",
            "POST /\nContent-Length: -1\n\n",
            "POST /\nContent-Length: 99999999999999999999999\n\n",
            "POST /\nno header\n\n",
        ] {
            assert!(matches!(head(bad), Err(HttpError::Malformed(_))), "{bad}");
        }
        let chunked = head("POST /\nTransfer-Encoding: chunked\n\n");
        assert!(matches!(chunked, Err(HttpError::Chunked)));
    }

    #[test]
    fn blank_lines() {
        assert_eq!(blank_line(b"a\r\n\r\nb", 0), Some(5));
        assert_eq!(blank_line(b"a\n\nb", 0), Some(3));
        assert_eq!(blank_line(b"a\r\nb\r\n", 0), None);
    }

    #[test]
    fn lists_end_where_they_end() {
        let closed = |text: &str| {
            let mut scan = Scan::default();
            for end in 0..=text.len() {
                scan.feed(&text.as_bytes()[..end]);
            }
            scan.closed
        };
        assert!(closed("(a (b) ; )\n)"));
        assert!(!closed("(a (b) ; )"));
        assert!(!closed("a"));
    }
}
