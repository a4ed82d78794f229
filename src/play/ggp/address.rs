//! Addresses of players.

use std::fmt;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::str::FromStr;

use thiserror::Error;

/// The address at which a player listens.
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

/// The text is not an address.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("`{0}` is not an address like http://localhost:9147")]
pub struct AddressError(String);

impl FromStr for Address {
    type Err = AddressError;

    /// Reads `http://host:port`, also with `[::1]` for the host, without a port, and with `/` at the end.
    fn from_str(text: &str) -> Result<Address, AddressError> {
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
        read().ok_or_else(|| AddressError(text.to_string()))
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
