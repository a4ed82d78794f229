//! A player at the other end of a connection, which speaks the GGP protocol.

use std::fmt;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::str::FromStr;
use std::time::{Duration, Instant};

use super::spec::SpecError;
use super::{Choice, Ending, Player, PlayerError, Seat};
use crate::protocol::client;
use crate::protocol::message::{Request, Start};
use propjit_stop::Stop;

/// Where a player listens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    host: String,
    port: u16,
}

/// The port on which players listen by convention.
pub const DEFAULT_PORT: u16 = 9147;

impl Address {
    /// The host's addresses.
    ///
    /// # Errors
    /// When the name is unknown.
    pub fn resolve(&self) -> io::Result<Vec<SocketAddr>> {
        Ok((&*self.host, self.port).to_socket_addrs()?.collect())
    }
}

impl FromStr for Address {
    type Err = SpecError;

    /// Reads `http://host:port`, also with `[::1]` for the host, without a port, and with `/` at the end.
    fn from_str(text: &str) -> Result<Address, SpecError> {
        let read = || {
            let place = text.strip_prefix("http://")?;
            let place = place.strip_suffix('/').unwrap_or(place);
            let (host, port) = match place.strip_prefix('[') {
                Some(rest) => {
                    let (host, rest) = rest.split_once(']')?;
                    (
                        host,
                        rest.strip_prefix(':').or(rest.is_empty().then_some("")),
                    )
                }
                None => match place.split_once(':') {
                    Some((host, port)) => (host, Some(port)),
                    None => (place, Some("")),
                },
            };
            let port = match port? {
                "" => DEFAULT_PORT,
                port => port.parse().ok()?,
            };
            let is_host = !host.is_empty() && !host.contains(['/', '?', '#', '@', ' ', '[']);
            let host = host.to_string();
            is_host.then_some(Address { host, port })
        };
        read().ok_or_else(|| SpecError::Address(text.to_string()))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Address { host, port } = self;
        match host.contains(':') {
            true => write!(f, "http://[{host}]:{port}"),
            false => write!(f, "http://{host}:{port}"),
        }
    }
}

/// How long a player may take to notice that a match is over.
const FAREWELL: Duration = Duration::from_secs(1);

/// For how long after its deadline an answer is waited for, unless somebody stops that: who
/// judges time-outs has his own clock.
const PATIENCE: Duration = Duration::from_secs(5);

/// A player at an [`Address`].
pub struct RemotePlayer {
    address: Address,
    seat: Seat,
    /// The joint move that the player has not been told of.
    last: Option<Vec<String>>,
}

impl RemotePlayer {
    /// A player that will be told of the match when it is to prepare.
    pub fn new(address: Address, seat: &Seat) -> RemotePlayer {
        let (seat, last) = (seat.clone(), None);
        RemotePlayer {
            address,
            seat,
            last,
        }
    }

    fn ask(
        &self,
        request: &Request,
        deadline: Instant,
        stop: &Stop,
    ) -> Result<String, PlayerError> {
        client::ask(&self.address, &request.to_string(), deadline, stop)
    }

    fn match_id(&self) -> String {
        self.seat.match_id.clone()
    }
}

impl Player for RemotePlayer {
    fn prepare(&mut self, deadline: Instant, stop: &Stop) -> Result<(), PlayerError> {
        let rulesheet = &self.seat.rulesheet;
        let start = Request::Start(Start {
            match_id: self.match_id(),
            role: rulesheet.roles()[self.seat.role.index()].clone(),
            rules: rulesheet.rules().source.text().to_string(),
            start_clock: self.seat.start_clock,
            play_clock: self.seat.play_clock,
        });
        let reply = self.ask(&start, deadline + PATIENCE, stop)?;
        match reply.trim().to_ascii_lowercase().as_str() {
            "ready" => Ok(()),
            _ => Err(PlayerError::Answer(reply)),
        }
    }

    fn choose(&mut self, deadline: Instant, stop: &Stop) -> Result<Choice, PlayerError> {
        let play = Request::Play {
            match_id: self.match_id(),
            moves: self.last.clone(),
        };
        // Whether the referee takes the answer for a move is his affair.
        self.ask(&play, deadline + PATIENCE, stop).map(Choice::new)
    }

    fn advance(&mut self, joint: &[String]) -> Result<(), PlayerError> {
        self.last = Some(joint.to_vec());
        Ok(())
    }

    fn end(&mut self, ending: &Ending) {
        let match_id = self.match_id();
        let request = match ending {
            Ending::Complete(moves) => Request::Stop {
                match_id,
                moves: moves.clone(),
            },
            Ending::Aborted => Request::Abort { match_id },
        };
        if let Err(error) = self.ask(&request, Instant::now() + FAREWELL, &Stop::new()) {
            tracing::info!(%error, player = %self.address, "the end of the match was not heard of");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (text, shown) in [
            ("http://localhost:80", "http://localhost:80"),
            ("http://localhost/", "http://localhost:9147"),
            ("http://[::1]:8080", "http://[::1]:8080"),
            ("http://[::1]", "http://[::1]:9147"),
        ] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), shown);
        }
        for bad in [
            "http://",
            "http://a:b",
            "http://a:70000",
            "http://a/b",
            "http://[::1]x:1",
            "a:1",
            "http://::1",
            "http://a b",
        ] {
            assert!(bad.parse::<Address>().is_err(), "{bad}");
        }
    }
}
