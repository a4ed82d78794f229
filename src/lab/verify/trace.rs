//! Traces: matches recorded with one engine, to be [replayed](super::replay()) with another.
//!
//! A trace file is JSON: per step the number and hash of the propositions that
//! hold, whether the state is terminal, per role the number and hash of its
//! legal moves, and the joint move played. Some steps list everything in full
//! and some give the goals. Texts are canonical, `(cell 1 2 x)`, sorted bytewise.
//!
//! Records of matches make a trace, too, of which only the moves, the ends and the goals are known.

use serde::{Deserialize, Serialize};

use crate::play::matches::{MatchEnd, RecordLine};
use crate::support::fnv::Fnv64;

/// Recorded matches of one game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Trace {
    /// The name of the game.
    pub game: String,
    /// The hash of the rulesheet's text, if recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rulesheet: Option<Fnv64>,
    /// The names of the roles in rulesheet order.
    pub roles: Vec<String>,
    /// The matches.
    pub matches: Vec<TraceMatch>,
}

/// One recorded match. It may be cut off before a terminal state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TraceMatch {
    /// The number of the match, if it has one; that of others is their place in the trace, from 1.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// The names of the roles, if recorded with the match, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<String>>,
    /// The states from the initial one on, with the moves between them.
    pub steps: Vec<TraceStep>,
}

/// A state of a match, the legal moves in it, and those played.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TraceStep {
    /// How many propositions hold, if recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fluents: Option<usize>,
    /// The hash of the propositions, each followed by a line feed, if recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fluents_fnv: Option<Fnv64>,
    /// The propositions, if recorded in full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fluent_list: Option<Vec<String>>,
    /// Whether the match ends here.
    pub terminal: bool,
    /// Each role's goal if recorded; `None` within where not exactly one value holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goals: Option<Vec<Option<i32>>>,
    /// Whether a role has no legal move though the state is not terminal, if recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stuck: Option<bool>,
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
    /// What each role perceived of that by `sees` rules, if recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percepts: Option<Vec<Vec<String>>>,
}

impl Trace {
    /// Reads a trace from JSON.
    ///
    /// # Errors
    /// When the text is not the JSON of a trace.
    pub fn from_json(text: &str) -> Result<Trace, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The trace of recorded matches; none if there are none.
    pub fn of_records(records: &[RecordLine]) -> Option<Trace> {
        let first = records.first()?;
        let matches = records.iter().map(TraceMatch::of);
        Some(Trace {
            game: first.head.game.clone(),
            rulesheet: Some(first.head.rulesheet),
            roles: first.record.roles.clone(),
            matches: matches.collect(),
        })
    }
}

impl TraceMatch {
    fn of(line: &RecordLine) -> TraceMatch {
        let record = &line.record;
        // A record without any is of a game without `sees` rules, or of one in which nothing was perceived.
        let has_percepts = record
            .steps
            .iter()
            .flatten()
            .any(|of| !of.percepts.is_empty());
        let played = record.steps.iter().map(|step| TraceStep {
            joint: Some(step.iter().map(|played| played.text.clone()).collect()),
            percepts: has_percepts.then(|| step.iter().map(|of| of.percepts.clone()).collect()),
            ..TraceStep::unknown()
        });
        let is_over = record.end == MatchEnd::Terminal;
        let last = TraceStep {
            terminal: is_over,
            goals: is_over.then(|| record.goals.clone()),
            // At the limit of steps, moves are not computed.
            stuck: (record.end == MatchEnd::Stuck).then_some(true),
            ..TraceStep::unknown()
        };
        // Nothing is known of a state that could not be evaluated.
        let last = (record.end != MatchEnd::Failed).then_some(last);
        TraceMatch {
            number: Some(line.number),
            roles: Some(record.roles.clone()),
            steps: played.chain(last).collect(),
        }
    }
}

impl TraceStep {
    /// Makes a step of which nothing is known but that its state is not terminal.
    fn unknown() -> TraceStep {
        TraceStep {
            fluents: None,
            fluents_fnv: None,
            fluent_list: None,
            terminal: false,
            goals: None,
            stuck: None,
            legal: None,
            legal_fnv: None,
            legal_lists: None,
            joint: None,
            percepts: None,
        }
    }
}
