//! Records as text: JSON Lines, one match a line.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::record::MatchRecord;
use crate::support::fnv::Fnv64;
use crate::support::input::read_text;

/// The common data of the matches of a series.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SeriesHead {
    /// The version of propjit that played them.
    pub version: String,
    /// The name of the game.
    pub game: String,
    /// The hash of the rulesheet's text.
    pub rulesheet: Fnv64,
    /// The options of the series.
    pub series: SeriesOptions,
}

/// The options of a series. The number of matches is not one of them: more can be played later.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SeriesOptions {
    /// The players, in the order of roles in the first match.
    pub players: Vec<String>,
    /// Whether players change their roles from match to match.
    pub swap: bool,
    /// The seed of the series.
    pub seed: u64,
    /// Time to prepare, in seconds.
    pub start_clock: f64,
    /// Time for each move, in seconds.
    pub play_clock: f64,
    /// How much later an answer may come, in seconds.
    pub grace: f64,
    /// The number of joint moves after which a match is cut off.
    pub max_steps: usize,
    /// Whether a player may fail as often as it likes.
    pub forgiving: bool,
    /// The backend that was asked for.
    pub backend: Option<String>,
    /// Further options of a tournament.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tournament: Option<TournamentOptions>,
}

/// The options of a tournament. The number of rounds, the number of parallel matches and the test
/// that ends it are not among them: they may change.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TournamentOptions {
    /// The names of the games, and the hashes of their rulesheets.
    pub games: Vec<(String, Fnv64)>,
    /// The pairing: which players meet.
    pub pairing: String,
    /// The source of the openings.
    pub openings: String,
    /// The hash of the file that they come from, if they come from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings_hash: Option<Fnv64>,
}

impl SeriesHead {
    /// The first thing in which another series differs, if it does: its name and both values.
    pub(super) fn difference(&self, other: &SeriesHead) -> Option<(String, Value, Value)> {
        let fields = |head: &SeriesHead| {
            let head = serde_json::to_value(head).expect("a head is plain data");
            let Value::Object(mut fields) = head else {
                return serde_json::Map::new();
            };
            if let Some(Value::Object(options)) = fields.remove("series") {
                fields.extend(options);
            }
            fields
        };
        let (own, others) = (fields(self), fields(other));
        let value = |fields: &serde_json::Map<String, Value>, name: &str| {
            fields.get(name).cloned().unwrap_or_default()
        };
        // Fields that a series does not have, such as a tournament, are missing.
        own.keys().chain(others.keys()).find_map(|name| {
            let (own, other) = (value(&own, name), value(&others, name));
            (own != other).then(|| (name.clone(), own, other))
        })
    }
}

/// A line of a record file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RecordLine {
    /// The data that it shares with the others.
    #[serde(flatten)]
    pub head: SeriesHead,
    /// The number of the match in its series, from 1.
    #[serde(rename = "match", deserialize_with = "positive")]
    pub number: u64,
    /// The match.
    #[serde(flatten)]
    pub record: MatchRecord,
}

/// A number that is not 0.
fn positive<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    NonZeroU64::deserialize(from).map(NonZeroU64::get)
}

/// Why a record file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordFileError {
    /// It cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// It cannot be opened for writing.
    #[error("cannot write {}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// There is something in it.
    #[error(
        "{} exists; use --resume to continue its series, or another file with --output",
        path.display()
    )]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Another process writes to it.
    #[error("another process is writing to {}", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// A line is no record.
    #[error("{}:{line} is not a match record", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The cause.
        source: serde_json::Error,
    },
    /// It belongs to another series.
    #[error(
        "{} belongs to another series: `{what}` is {there} there and {here} here",
        path.display()
    )]
    OtherSeries {
        /// The file.
        path: PathBuf,
        /// The field that differs.
        what: String,
        /// The value in the file.
        there: Value,
        /// The value of this series.
        here: Value,
    },
    /// Some matches could not be written.
    #[error("{} of {} could not be written to {}", Matches(numbers), of, path.display())]
    Unwritten {
        /// The file.
        path: PathBuf,
        /// The numbers of the matches, from 1.
        numbers: Vec<u64>,
        /// How many matches were to be written.
        of: usize,
        /// The cause.
        source: io::Error,
    },
}

/// Numbers of matches, for messages.
struct Matches<'a>(&'a [u64]);

impl fmt::Display for Matches<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [only] => write!(f, "match {only}"),
            [first, .., last] => write!(f, "{} matches from {first} to {last}", self.0.len()),
            [] => f.write_str("none"),
        }
    }
}

/// Returns the records in a file, or on standard input if it is called `-`, in order. If a match was played again,
/// the last one counts.
///
/// # Errors
/// When the file cannot be read, or a line is no record.
pub fn read_records(path: &Path) -> Result<Vec<RecordLine>, RecordFileError> {
    let text = read_text(path).map_err(|source| {
        let path = path.to_path_buf();
        RecordFileError::Read { path, source }
    })?;
    parse_records(path, &text)
}

/// Returns the records in the text of a file, see [`read_records`].
///
/// # Errors
/// When a line is no record.
pub fn parse_records(path: &Path, text: &str) -> Result<Vec<RecordLine>, RecordFileError> {
    let (lines, _) = parse(path, text)?;
    let numbered = lines.into_iter().map(|line| (line.number, line));
    let last: BTreeMap<u64, RecordLine> = numbered.collect();
    Ok(last.into_values().collect())
}

/// Returns all records in a text, and the number of bytes that they take: an incomplete line at the
/// end does not count.
pub(super) fn parse(path: &Path, text: &str) -> Result<(Vec<RecordLine>, usize), RecordFileError> {
    let mut lines = Vec::new();
    let mut length = 0;
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        let is_blank = line.trim().is_empty();
        match serde_json::from_str(line) {
            Ok(record) => lines.push(record),
            Err(_) if is_blank => {}
            Err(_) if !line.ends_with('\n') => break,
            Err(source) => {
                let path = path.to_path_buf();
                return Err(RecordFileError::Line {
                    path,
                    line: number,
                    source,
                });
            }
        }
        length += line.len();
    }
    Ok((lines, length))
}
