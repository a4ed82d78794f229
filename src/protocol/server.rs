//! The HTTP server, which hands the requests of its connections to a [`Session`].
//!
//! A thread takes connections; each gets a thread of its own, which reads one request,
//! answers and closes. The number of connections is limited. Where it is reached
//! because clients send nothing, the older half of these is cut off, so that slow
//! or broken clients cannot keep others out.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use percent_encoding::percent_decode_str;

use super::http::{self, Asker, Head, HttpError, Reader, SUCCESS};
use super::message::{Reply, Request};
use super::session::Session;
use crate::setters::setters;
use propjit_stop::Stop;

/// The limits of a server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerLimits {
    /// How long a request may take to come in.
    pub read_time: Duration,
    /// How many connections are open at a time.
    pub connections: usize,
}

impl ServerLimits {
    setters! {
        with_read_time(read_time: Duration);
        with_connections(connections: usize);
    }
}

impl Default for ServerLimits {
    /// Ten seconds, and 512 connections.
    fn default() -> ServerLimits {
        ServerLimits {
            read_time: Duration::from_secs(10),
            connections: 512,
        }
    }
}

/// A session at a port. Dropping it closes the port.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

struct Shared {
    session: Session,
    limits: ServerLimits,
    stop: Stop,
    open: Mutex<Connections>,
    closed: Condvar,
}

/// The open connections by number, in the order in which they came.
#[derive(Default)]
struct Connections {
    next: u64,
    open: BTreeMap<u64, Connection>,
}

struct Connection {
    stream: Arc<TcpStream>,
    /// Whether the request has not come in yet.
    is_reading: bool,
}

/// If no connection ends for this long, half of those that send nothing are cut off.
const CROWDED: Duration = Duration::from_millis(50);

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("address", &self.address)
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
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            session,
            limits,
            stop: Stop::new(),
            open: Mutex::default(),
            closed: Condvar::new(),
        });
        let thread = thread::Builder::new().name("acceptor".to_string());
        let acceptor = thread.spawn({
            let shared = shared.clone();
            move || accept(&listener, &shared)
        })?;
        Ok(Server {
            address,
            shared,
            acceptor: Some(acceptor),
        })
    }

    /// The address at which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stop.set();
        self.shared.session.abort();
        // A connection wakes the acceptor.
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(match address.ip() {
                IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
            });
        }
        let woken = TcpStream::connect_timeout(&address, Duration::from_secs(1));
        if let (Ok(_), Some(acceptor)) = (woken, self.acceptor.take()) {
            // It does not panic; and if it did, the port is closed.
            let _ = acceptor.join();
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    loop {
        let accepted = listener.accept();
        // Clocks count from here.
        let received = Instant::now();
        if shared.stop.is_set() {
            return;
        }
        let stream = match accepted {
            Ok((stream, _)) => Arc::new(stream),
            Err(error) => {
                // Most likely there are too many open files, which passes.
                tracing::warn!(%error, "a connection was not taken");
                thread::sleep(Duration::from_millis(20));
                continue;
            }
        };
        let number = shared.admit(stream.clone());
        let thread = thread::Builder::new().name("connection".to_string());
        let spawned = thread.spawn({
            let shared = shared.clone();
            move || {
                // Ends the connection even after a panic.
                let _guest = Guest(&shared, number);
                serve(&stream, number, received, &shared);
            }
        });
        if let Err(error) = spawned {
            tracing::warn!(%error, "there is no thread for a connection");
            shared.leave(number);
        }
    }
}

struct Guest<'a>(&'a Shared, u64);

impl Drop for Guest<'_> {
    fn drop(&mut self) {
        self.0.leave(self.1);
    }
}

impl Shared {
    /// Waits for a free place and takes it.
    fn admit(&self, stream: Arc<TcpStream>) -> u64 {
        let mut connections = self.open.lock();
        while connections.open.len() >= self.limits.connections && !self.stop.is_set() {
            let before = connections.open.len();
            let woken = self.closed.wait_for(&mut connections, CROWDED);
            if woken.timed_out() && connections.open.len() >= before {
                let idle = || connections.open.values().filter(|c| c.is_reading);
                // Their threads see the end and leave.
                for connection in idle().take(idle().count().div_ceil(2)) {
                    let _ = connection.stream.shutdown(Shutdown::Both);
                }
            }
        }
        let number = connections.next;
        connections.next += 1;
        let is_reading = true;
        connections
            .open
            .insert(number, Connection { stream, is_reading });
        number
    }

    fn has_read(&self, number: u64) {
        if let Some(connection) = self.open.lock().open.get_mut(&number) {
            connection.is_reading = false;
        }
    }

    fn leave(&self, number: u64) {
        self.open.lock().open.remove(&number);
        self.closed.notify_one();
    }
}

/// Reads a request and answers it.
fn serve(stream: &TcpStream, number: u64, received: Instant, shared: &Shared) {
    let deadline = received + shared.limits.read_time;
    let message = read(stream, deadline, &shared.stop);
    shared.has_read(number);
    let asker = Asker::new(stream);
    let (status, text) = match message {
        Ok(Message::Request(text)) => match Request::parse(&text) {
            Ok(request) => {
                let is_gone = || asker.is_gone();
                let reply = shared.session.answer_to(&request, received, &is_gone);
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
            "send a message by POST or GET\n".to_string(),
        ),
        Err(error) => {
            tracing::info!(%error, "no request came");
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
        Err(error) => tracing::info!(%error, "the answer was not taken"),
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
    /// To know whether it may ask.
    Options,
    /// Something that we do not do.
    Other,
}

fn read(stream: &TcpStream, deadline: Instant, stop: &Stop) -> Result<Message, HttpError> {
    let mut reader = Reader::new(stream, deadline, stop);
    let head = reader.head()?;
    let method = head.first_line.split(' ').next().unwrap_or_default();
    Ok(match method.to_ascii_uppercase().as_str() {
        "GET" => Message::Request(target(&head)?),
        "POST" => Message::Request(reader.body(&head)?),
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
