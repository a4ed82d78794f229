//! The HTTP server, which hands the requests of its connections to a [`Session`].

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use percent_encoding::percent_decode_str;

use super::http::{self, Asker, Head, HttpError, Reader, SUCCESS};
use super::listener::{Connection, Listener, ServerLimits};
use super::message::{Reply, Request};
use super::session::Session;

/// A session at a port. Dropping it closes the port and [gives up](Session::abort) the match.
pub struct Server {
    session: Arc<Session>,
    listener: Listener,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("address", &self.address())
            .finish_non_exhaustive()
    }
}

impl Server {
    /// Listens at an address; port 0 is any free port.
    ///
    /// # Errors
    /// When the port is not free.
    pub fn start(
        address: SocketAddr,
        session: Session,
        limits: ServerLimits,
    ) -> io::Result<Server> {
        let session = Arc::new(session);
        let listener = Listener::start(address, limits, {
            let session = session.clone();
            move |connection| serve(connection, &session)
        })?;
        Ok(Server { session, listener })
    }

    /// Ends the match that is being played if its manager has [left](Session::reap_abandoned) it.
    pub fn reap_abandoned(&self) {
        self.session.reap_abandoned();
    }

    /// The number of requests that have come in and are not answered yet.
    pub fn pending(&self) -> usize {
        self.listener.pending()
    }

    /// The address at which it listens.
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.listener.stop();
        self.session.abort();
    }
}

/// Reads a request and answers it.
fn serve(connection: &Connection<'_>, session: &Session) {
    let stream = connection.stream();
    let message = connection.read(read);
    let asker = Asker::new(stream);
    let (status, text) = match message {
        Ok(Message::Request(text)) => match Request::parse(&text) {
            Ok(request) => {
                let is_gone = || asker.is_gone();
                let reply = session.answer_to(&request, connection.received, &is_gone);
                tracing::debug!(request = shortened(&text), %reply, "answered");
                match reply {
                    Reply::Refused(why) => (BAD_REQUEST, format!("{}\n", why.trim_end())),
                    reply => (SUCCESS, reply.to_string()),
                }
            }
            Err(error) => (BAD_REQUEST, format!("{error}\n")),
        },
        Ok(Message::Options) => (SUCCESS, String::new()),
        Ok(Message::Other) => (
            "HTTP/1.0 405 Method Not Allowed",
            "send messages with POST or GET\n".to_string(),
        ),
        Err(error) => {
            tracing::info!(%error, "no request received");
            let status = match error {
                HttpError::TimedOut => "HTTP/1.0 408 Request Timeout",
                HttpError::TooLarge => "HTTP/1.0 413 Content Too Large",
                HttpError::Chunked => "HTTP/1.0 411 Length Required",
                HttpError::Malformed(_) => BAD_REQUEST,
                HttpError::Stopped | HttpError::Closed | HttpError::Io(_) => return,
            };
            (status, format!("{error}\n"))
        }
    };
    // With these headers, pages in a browser may talk to the player.
    let headers = "Content-Type: text/acl\r\nConnection: close\r\n\
         Access-Control-Allow-Origin: *\r\n\
         Access-Control-Allow-Methods: POST, GET, OPTIONS\r\n\
         Access-Control-Allow-Headers: Content-Type\r\n\
         Access-Control-Max-Age: 86400";
    match asker.answer(status, headers, &text) {
        Ok(()) => http::close(stream),
        Err(error) => tracing::info!(%error, "the client did not accept the response"),
    }
}

/// The first line of an answer that says what is wrong.
const BAD_REQUEST: &str = "HTTP/1.0 400 Bad Request";

/// The beginning of a message.
fn shortened(text: &str) -> String {
    text.chars().take(200).collect()
}

/// The kinds of requests of a client.
enum Message {
    /// An answer to this message.
    Request(String),
    /// A question for the permitted methods.
    Options,
    /// An unsupported request.
    Other,
}

fn read(reader: &mut Reader<'_>) -> Result<Message, HttpError> {
    let head = reader.head()?;
    let method = head.first_line.split(' ').next().unwrap_or_default();
    Ok(match method.to_ascii_uppercase().as_str() {
        "GET" => Message::Request(target(&head)?),
        "POST" => Message::Request(reader.lists(&head)?),
        "OPTIONS" => Message::Options,
        _ => Message::Other,
    })
}

/// The message in the target of a `GET`: what is between `GET /` and the last
/// blank, in which ` ` may also be written `+` or `%20`.
fn target(head: &Head) -> Result<String, HttpError> {
    let line = &head.first_line;
    let (_, rest) = line.split_once(' ').unwrap_or_default();
    let target = match rest.rsplit_once(' ') {
        Some((target, version)) if version.starts_with("HTTP/") => target,
        _ => rest,
    };
    let message = target.strip_prefix('/').unwrap_or(target).replace('+', " ");
    let decoded = percent_decode_str(&message).decode_utf8();
    let decoded = decoded.map_err(|_| HttpError::Malformed("the target is not UTF-8"))?;
    Ok(decoded.into_owned())
}
