//! Pairings: which players meet.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// The pairing: which players meet.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pairing {
    /// Each against each other.
    #[default]
    RoundRobin,
    /// The first player against each other; in games of one role, each alone.
    Gauntlet,
}

/// There is no such pairing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no pairing `{0}`; there are round-robin and gauntlet")]
pub struct UnknownPairing(String);

impl FromStr for Pairing {
    type Err = UnknownPairing;

    fn from_str(text: &str) -> Result<Pairing, UnknownPairing> {
        match text {
            "round-robin" => Ok(Pairing::RoundRobin),
            "gauntlet" => Ok(Pairing::Gauntlet),
            _ => Err(UnknownPairing(text.to_string())),
        }
    }
}

impl fmt::Display for Pairing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Pairing::RoundRobin => "round-robin",
            Pairing::Gauntlet => "gauntlet",
        })
    }
}

/// All groups of `size` of the first `count` numbers, ascending.
pub(super) fn groups(count: usize, size: usize) -> Vec<Vec<usize>> {
    let mut groups = vec![Vec::new()];
    for _ in 0..size {
        let longer = groups.iter().flat_map(|group: &Vec<usize>| {
            let first = group.last().map_or(0, |last| last + 1);
            (first..count).map(move |next| [&group[..], &[next]].concat())
        });
        groups = longer.collect();
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::groups;

    #[test]
    fn groups_are_all_and_once() {
        assert_eq!(groups(3, 2), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(groups(3, 3), [[0, 1, 2]]);
        assert_eq!(groups(2, 1), [[0], [1]]);
        assert_eq!(groups(5, 3).len(), 10);
        assert!(groups(2, 3).is_empty());
    }
}
