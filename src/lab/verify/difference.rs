//! The first difference between two accounts of a match.

use std::fmt::{self, Debug};

use serde::Serialize;

use super::snapshot::Snapshot;

/// A difference between the expected property of a state and that of a machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Difference {
    /// The property that differs, such as "terminal".
    pub what: String,
    /// The role, for legal moves and goals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The number of the match, from 1, or the one on record.
    #[serde(rename = "match")]
    pub match_number: u64,
    /// The number of the step within the match, from 0 for the initial state.
    pub step: usize,
    /// The expected value; of lists only the part that the other side lacks.
    pub expected: String,
    /// The machine's value; of lists only the part that the other side lacks.
    pub got: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "match {} step {}: {}",
            self.match_number, self.step, self.what
        )?;
        if let Some(role) = &self.role {
            write!(f, " of {role}")?;
        }
        write!(f, ": expected {}, got {}", self.expected, self.got)
    }
}

/// Takes comparisons one after the other and keeps the first that differs.
#[derive(Default)]
pub(crate) struct Comparison {
    /// The place of the comparisons: the numbers of the match and of the step.
    pub(crate) at: (u64, usize),
    pub(crate) first: Option<Difference>,
}

impl Comparison {
    /// Compares two values. Differences are reported in their debug form.
    pub(crate) fn values<T: PartialEq + Debug + ?Sized>(
        &mut self,
        what: &str,
        role: Option<&str>,
        expected: &T,
        got: &T,
    ) {
        if expected != got {
            self.differs(what, role, format!("{expected:?}"), format!("{got:?}"));
        }
    }

    /// Compares two sorted lists of texts.
    pub(crate) fn texts(
        &mut self,
        what: &str,
        role: Option<&str>,
        expected: &[String],
        got: &[String],
    ) {
        if expected != got {
            self.differs(what, role, only_in(expected, got), only_in(got, expected));
        }
    }

    /// Compares all that two machines report of a state, except for the goals; the match is played
    /// by these roles.
    pub(crate) fn snapshots(&mut self, roles: &[String], expected: &Snapshot, got: &Snapshot) {
        self.texts("propositions", None, &expected.fluents, &got.fluents);
        self.values("terminal", None, &expected.terminal, &got.terminal);
        for ((role, expected), got) in roles.iter().zip(&expected.legal).zip(&got.legal) {
            self.texts("legal moves", Some(role), expected, got);
        }
    }

    /// Records a difference.
    pub(crate) fn differs(
        &mut self,
        what: &str,
        role: Option<&str>,
        expected: String,
        got: String,
    ) {
        let (match_number, step) = self.at;
        self.first.get_or_insert_with(|| Difference {
            what: what.to_string(),
            role: role.map(str::to_string),
            match_number,
            step,
            expected,
            got,
        });
    }
}

/// The first few texts that only one list has.
fn only_in(list: &[String], other: &[String]) -> String {
    const SHOWN: usize = 6;
    let mut only = list
        .iter()
        .filter(|text| other.binary_search(text).is_err());
    let shown: Vec<&str> = only.by_ref().take(SHOWN).map(String::as_str).collect();
    match (shown.is_empty(), only.count()) {
        (true, _) => "nothing more".to_string(),
        (false, 0) => shown.join(" "),
        (false, more) => format!("{} and {more} more", shown.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_kept_and_told() {
        let list = |texts: &[&str]| texts.iter().map(|t| t.to_string()).collect::<Vec<_>>();
        let mut comparison = Comparison {
            at: (1, 7),
            first: None,
        };
        comparison.values("terminal", None, &true, &true);
        assert_eq!(comparison.first, None);
        comparison.texts(
            "legal moves",
            Some("white"),
            &list(&["a", "b"]),
            &list(&["b", "c", "d"]),
        );
        comparison.values("terminal", None, &true, &false);
        assert_eq!(
            comparison.first.unwrap().to_string(),
            "match 1 step 7: legal moves of white: expected a, got c d"
        );
    }
}
