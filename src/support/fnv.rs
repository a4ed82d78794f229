//! FNV-1a-64, the hash by which traces and saved states name sets of terms.
//!
//! Not for security: it detects accidental differences, and is short to write in any language
//! (Fowler, Noll and Vo, <http://www.isthe.com/chongo/tech/comp/fnv/>).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An FNV-1a-64 hash; its text is 16 lower-case hexadecimal digits.
///
/// ```
/// use propjit::lab::verify::Fnv64;
/// assert_eq!(Fnv64::of_lines(["foobar"]).to_string(), "345316a7168b8506");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Fnv64(u64);

impl Fnv64 {
    /// The hash of some bytes.
    pub fn of(bytes: &[u8]) -> Fnv64 {
        Fnv64(0xcbf2_9ce4_8422_2325).and(bytes)
    }

    /// The hash of texts, each followed by a line feed.
    pub fn of_lines<T: AsRef<str>>(lines: impl IntoIterator<Item = T>) -> Fnv64 {
        lines.into_iter().fold(Fnv64::of(b""), |hash, line| {
            hash.and(line.as_ref().as_bytes()).and(b"\n")
        })
    }

    /// Returns the hash of the bytes hashed so far followed by `bytes`.
    fn and(self, bytes: &[u8]) -> Fnv64 {
        Fnv64(bytes.iter().fold(self.0, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        }))
    }
}

impl fmt::Display for Fnv64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for Fnv64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not 16 hexadecimal digits.
#[derive(Clone, Debug, thiserror::Error)]
#[error("`{0}` is not a hash of 16 hexadecimal digits")]
pub struct BadHash(String);

impl FromStr for Fnv64 {
    type Err = BadHash;
    fn from_str(text: &str) -> Result<Fnv64, BadHash> {
        let digits = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        match u64::from_str_radix(text, 16) {
            Ok(hash) if digits => Ok(Fnv64(hash)),
            _ => Err(BadHash(text.to_string())),
        }
    }
}

impl TryFrom<String> for Fnv64 {
    type Error = BadHash;
    fn try_from(text: String) -> Result<Fnv64, BadHash> {
        text.parse()
    }
}

impl From<Fnv64> for String {
    fn from(hash: Fnv64) -> String {
        hash.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_values() {
        // From the appendix of the IETF draft "The FNV Non-Cryptographic Hash Algorithm".
        assert_eq!(Fnv64::of(b"").to_string(), "cbf29ce484222325");
        assert_eq!(Fnv64::of(b"a").to_string(), "af63dc4c8601ec8c");
        assert_eq!(Fnv64::of(b"foobar").to_string(), "85944171f73967e8");
    }

    #[test]
    fn text_round_trips_and_nothing_else_is_read() {
        let hash = Fnv64::of(b"x");
        assert_eq!(hash.to_string().parse::<Fnv64>().unwrap(), hash);
        for bad in [
            "",
            "12",
            "+123456789abcdef",
            "0123456789abcdefg",
            "0123456789abcde\u{e9}",
        ] {
            assert!(bad.parse::<Fnv64>().is_err(), "{bad}");
        }
    }
}
