//! The GGP communication protocol: how a game manager talks to players.
//!
//! A manager sends KIF in HTTP requests: `START` with rules, role and clocks, `PLAY` with the last
//! joint move, `STOP` or `ABORT`; `INFO` and `PREVIEW` at any time. The reply is a word or a move.
//! (Genesereth and Love, *General Game Playing: Game Description Language Specification*, Stanford
//! 2005, section 5; as `ggp-base` has it.)
//!
//! - [`Request`] and [`Reply`] are the messages, as data and as text.
//! - [`RemotePlayer`] is a player at an [`Address`]; `client` sends its requests.
//! - A [`Session`] answers for a player, one match at a time (`live` is that match); `clerk` keeps
//!   a legal move ready for it, and a [`LogEntry`] records a request and its answer.
//! - A [`Server`] accepts connections and passes their requests to a session.
//! - The [line protocol](super::line_protocol) is another protocol, for programs on this machine.
//! - `http` is the part of HTTP that the protocol needs, for both sides; `listener` is a port.

mod address;
mod clerk;
mod client;
pub(crate) mod http;
pub(crate) mod listener;
mod live;
mod log;
mod message;
mod remote;
mod server;
mod session;

pub use address::{Address, AddressError, DEFAULT_PORT};
#[doc(hidden)] // For fuzzing.
pub use http::read_message;
pub use listener::{ServerLimits, listen_remedy};
pub use log::LogEntry;
pub use message::{LONGEST_CLOCK, LastTurn, MessageError, Reply, Request, Start};
pub use remote::RemotePlayer;
pub use server::Server;
pub use session::{Session, SessionConfig};
