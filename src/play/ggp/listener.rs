//! A port, and its connections: a thread takes them, and each gets a thread of its own, which reads
//! one request, answers and closes.
//!
//! The number of connections is limited. When it is reached because clients send nothing, the older
//! half of these is cut off, so that slow or broken clients cannot keep others out.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::http::Reader;
use crate::support::setters::setters;
use crate::support::threads;
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

/// An open port. Dropping it closes the port.
pub(crate) struct Listener {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

/// The handler of a connection's requests.
type Serve = dyn Fn(&Connection<'_>) + Send + Sync;

/// A connection that was accepted.
pub(crate) struct Connection<'a> {
    stream: &'a TcpStream,
    /// When it was accepted.
    pub(crate) received: Instant,
    number: u64,
    shared: &'a Shared,
}

impl<'a> Connection<'a> {
    pub(crate) fn stream(&self) -> &'a TcpStream {
        self.stream
    }

    /// Reads a request, in the time that it may take.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&mut Reader<'_>) -> T) -> T {
        let deadline = self.received + self.shared.limits.read_time;
        let done = read(&mut Reader::new(self.stream, deadline, &self.shared.stop));
        self.shared.has_read(self.number);
        done
    }
}

struct Shared {
    serve: Box<Serve>,
    limits: ServerLimits,
    stop: Stop,
    open: Mutex<Connections>,
    closed: Condvar,
}

/// The open connections by number, in the order in which they came.
#[derive(Default)]
struct Connections {
    next: u64,
    open: BTreeMap<u64, Open>,
}

struct Open {
    stream: Arc<TcpStream>,
    /// Whether the request has not come in yet.
    is_reading: bool,
}

/// The remedy if a port cannot be listened at, as the end of a sentence.
pub fn listen_remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrNotAvailable => "; choose another address with --bind",
        io::ErrorKind::AddrInUse | io::ErrorKind::PermissionDenied => {
            "; choose another port with --port"
        }
        _ => "",
    }
}

/// If no connection ends for this long, half of those that send nothing are cut off.
const CROWDED: Duration = Duration::from_millis(50);

impl Listener {
    /// Listens at an address; port 0 is any free port. `serve` answers one request.
    ///
    /// # Errors
    /// When the port is not free, or a thread cannot be started.
    pub(crate) fn start(
        address: SocketAddr,
        limits: ServerLimits,
        serve: impl Fn(&Connection<'_>) + Send + Sync + 'static,
    ) -> io::Result<Listener> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            serve: Box::new(serve),
            limits,
            stop: Stop::new(),
            open: Mutex::default(),
            closed: Condvar::new(),
        });
        let acceptor = threads::start("acceptor", {
            let shared = shared.clone();
            move || accept(&listener, &shared)
        });
        let acceptor = acceptor.map_err(io::Error::other)?;
        Ok(Listener {
            address,
            shared,
            acceptor: Some(acceptor),
        })
    }

    /// The address at which it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Listener {
    /// The number of requests that were read and are not answered yet.
    pub(crate) fn pending(&self) -> usize {
        let connections = self.shared.open.lock();
        let mut open = connections.open.values();
        open.by_ref().filter(|open| !open.is_reading).count()
    }

    /// Ends reading, so that no further request is answered.
    pub(crate) fn stop(&self) {
        self.shared.stop.set();
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.shared.stop.set();
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
                tracing::warn!(%error, "connection not accepted");
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
                (shared.serve)(&Connection {
                    stream: &stream,
                    received,
                    number,
                    shared: &shared,
                });
            }
        });
        if let Err(error) = spawned {
            tracing::warn!(%error, "no thread for a connection");
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
        connections.open.insert(number, Open { stream, is_reading });
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
