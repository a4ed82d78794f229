//! Traces: matches recorded with one engine, to be [replayed](super::replay()) with another.
//!
//! A trace file is JSON: per step the number and hash of the propositions that
//! hold, whether the state is terminal, per role the number and hash of its
//! legal moves, and the joint move played. Some steps list everything in full
//! and some give the goals. Texts are canonical, `(cell 1 2 x)`, sorted bytewise.

use serde::{Deserialize, Serialize};

use crate::fnv::Fnv64;

/// Recorded matches of one game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Trace {
    /// The name of the game.
    pub game: String,
    /// The names of the roles in rulesheet order.
    pub roles: Vec<String>,
    /// The matches.
    pub matches: Vec<TraceMatch>,
}

/// One recorded match. It may be cut off before a terminal state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TraceMatch {
    /// The states from the initial one on, with the moves between them.
    pub steps: Vec<TraceStep>,
}

/// A state of a match, what may be played in it, and what was.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TraceStep {
    /// How many propositions hold.
    pub fluents: usize,
    /// The hash of the propositions, each followed by a line feed.
    pub fluents_fnv: Fnv64,
    /// The propositions, if recorded in full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fluent_list: Option<Vec<String>>,
    /// Whether the match ends here.
    pub terminal: bool,
    /// Each role's goal if recorded; `None` within where not exactly one value holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goals: Option<Vec<Option<i32>>>,
    /// Whether a role has no legal move though the state is not terminal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stuck: bool,
    /// How many legal moves each role has; absent in terminal states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal: Option<Vec<usize>>,
    /// The hash of each role's legal moves, each followed by a line feed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal_fnv: Option<Vec<Fnv64>>,
    /// Each role's legal moves, if recorded in full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal_lists: Option<Vec<Vec<String>>>,
    /// The move that each role played; absent where the match ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<Vec<String>>,
}

impl Trace {
    /// Reads a trace from JSON.
    ///
    /// # Errors
    /// When the text is not the JSON of a trace.
    pub fn from_json(text: &str) -> Result<Trace, serde_json::Error> {
        serde_json::from_str(text)
    }
}
