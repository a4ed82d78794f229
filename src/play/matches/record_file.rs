//! Files of records: JSON Lines, one match a line, written when it ends.
//!
//! A file belongs to one series. Nothing that was written is ever overwritten: a series that was
//! cut short goes on in its file. Only a last line that was not written to its end, as by a
//! process that was killed, is removed then.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::opening::Openings;
use super::record::MatchRecord;
use super::rulesheet::Rulesheet;
use super::series::Series;
use super::tournament::{Tournament, TournamentGame};
use crate::support::fnv::Fnv64;
use crate::support::input::{read_text, text};

/// What the matches of a series have in common.
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

/// The options of a series. How many matches it has is not one of them: more can be played later.
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
    /// A match is cut off after this many joint moves.
    pub max_steps: usize,
    /// Whether a player may fail as often as it likes.
    pub forgiving: bool,
    /// The backend that was asked for.
    pub backend: Option<String>,
    /// What else a tournament has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tournament: Option<TournamentOptions>,
}

/// The options of a tournament. How many rounds it has, how many matches are played at a time and
/// what test ends it are none of them: they may change.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TournamentOptions {
    /// The names of the games, and the hashes of their rulesheets.
    pub games: Vec<(String, Fnv64)>,
    /// Who plays against whom.
    pub pairing: String,
    /// Where openings come from.
    pub openings: String,
    /// The hash of the file that they come from, if they come from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings_hash: Option<Fnv64>,
}

impl SeriesHead {
    /// Those of the matches of a tournament, one for each of its games.
    pub fn of_tournament(tournament: &Tournament) -> Vec<SeriesHead> {
        let games = tournament.games.iter();
        let options = TournamentOptions {
            games: games
                .map(|game| (game.name.clone(), hash(&game.rulesheet)))
                .collect(),
            pairing: tournament.pairing.to_string(),
            openings: tournament.openings.to_string(),
            openings_hash: match &tournament.openings {
                Openings::File(file) => Some(file.hash()),
                _ => None,
            },
        };
        let players = tournament.players.clone();
        let series = Series::new(players, tournament.config.clone())
            .with_swap(true)
            .with_seed(tournament.seed);
        let head = |game: &TournamentGame| {
            let mut head = SeriesHead::new(&game.name, &series, &game.rulesheet);
            head.series.tournament = Some(options.clone());
            head
        };
        tournament.games.iter().map(head).collect()
    }

    /// That of the matches of a series in a game of this name.
    pub fn new(game: &str, series: &Series, rulesheet: &Rulesheet) -> SeriesHead {
        let players = series
            .players
            .iter()
            .map(|player| player.name().to_string());
        SeriesHead {
            version: env!("CARGO_PKG_VERSION").to_string(),
            game: game.to_string(),
            rulesheet: hash(rulesheet),
            series: SeriesOptions {
                players: players.collect(),
                swap: series.swap,
                seed: series.seed,
                start_clock: series.config.start_clock.as_secs_f64(),
                play_clock: series.config.play_clock.as_secs_f64(),
                grace: series.config.grace.as_secs_f64(),
                max_steps: series.config.max_steps,
                forgiving: series.config.forgiving,
                backend: rulesheet
                    .backend()
                    .map(|backend| backend.name().to_string()),
                tournament: None,
            },
        }
    }

    /// The first thing in which another series differs, if it does: its name and both values.
    fn difference(&self, other: &SeriesHead) -> Option<(String, Value, Value)> {
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
        // What a series does not have, such as a tournament, is missing.
        own.keys().chain(others.keys()).find_map(|name| {
            let (own, other) = (value(&own, name), value(&others, name));
            (own != other).then(|| (name.clone(), own, other))
        })
    }
}

/// The hash of a rulesheet's text.
fn hash(rulesheet: &Rulesheet) -> Fnv64 {
    Fnv64::of(rulesheet.rules().source.text().as_bytes())
}

/// A line of a record file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RecordLine {
    /// What it has in common with the others.
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
        "{} exists; --resume goes on with the series in it, or --output names another file",
        path.display()
    )]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Another process writes to it.
    #[error("another process writes to {}", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// A line is no record.
    #[error("{}:{line} is no record of a match", path.display())]
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
        /// What differs.
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

/// The records in a file, or on standard input if it is called `-`, in order. Where a match was played again, the last one counts.
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

/// The records in the text of a file, as [`read_records`] gives them.
///
/// # Errors
/// When a line is no record.
pub fn parse_records(path: &Path, text: &str) -> Result<Vec<RecordLine>, RecordFileError> {
    let (lines, _) = parse(path, text)?;
    let numbered = lines.into_iter().map(|line| (line.number, line));
    let last: BTreeMap<u64, RecordLine> = numbered.collect();
    Ok(last.into_values().collect())
}

/// All records in a text, and how many bytes of it these are: a line at the end that was not
/// written as a whole does not count.
fn parse(path: &Path, text: &str) -> Result<(Vec<RecordLine>, usize), RecordFileError> {
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

/// A record file that a series or a tournament writes to.
#[derive(Debug)]
pub struct RecordFile {
    path: PathBuf,
    file: File,
    /// What the matches of each game have in common.
    heads: Vec<SeriesHead>,
    /// The matches that were played before, by number from 0.
    played: BTreeMap<u64, MatchRecord>,
    /// Lines that could not be written yet, with the numbers of the matches from 1.
    unwritten: Vec<(u64, String)>,
    /// How many records there were to write.
    records: usize,
}

/// A file that is open, and what is in it.
struct Opened {
    file: File,
    lines: Vec<RecordLine>,
}

impl RecordFile {
    /// A file for the records of a new series, or of a tournament with these heads for its games. It
    /// must not have anything in it.
    ///
    /// # Errors
    /// When it does, or cannot be written to.
    pub fn create(path: &Path, heads: Vec<SeriesHead>) -> Result<RecordFile, RecordFileError> {
        let Opened { file, .. } = open(path, false)?;
        Ok(RecordFile::new(path, file, heads))
    }

    /// The file of a series that was cut short, or an empty or new one. `heads` are made for the
    /// seed in the file, if there is one.
    ///
    /// # Errors
    /// When another series has written it, or it cannot be read or written to.
    pub fn resume(
        path: &Path,
        heads: impl FnOnce(Option<u64>) -> Vec<SeriesHead>,
    ) -> Result<RecordFile, RecordFileError> {
        let Opened { file, lines } = open(path, true)?;
        let heads = heads(lines.first().map(|line| line.head.series.seed));
        for line in &lines {
            let same = heads.iter().find(|head| head.game == line.head.game);
            let head = same.or(heads.first());
            if let Some((what, there, here)) = head.and_then(|head| line.head.difference(head)) {
                return Err(RecordFileError::OtherSeries {
                    path: path.to_path_buf(),
                    what,
                    there,
                    here,
                });
            }
        }
        let mut records = RecordFile::new(path, file, heads);
        let whole = lines
            .into_iter()
            .filter(|line| !line.record.end.is_premature());
        records.played = whole.map(|line| (line.number - 1, line.record)).collect();
        Ok(records)
    }

    fn new(path: &Path, file: File, heads: Vec<SeriesHead>) -> RecordFile {
        RecordFile {
            path: path.to_path_buf(),
            file,
            heads,
            played: BTreeMap::new(),
            unwritten: Vec::new(),
            records: 0,
        }
    }

    /// The matches that were played to their end before, by number from 0.
    pub fn played(&self) -> &BTreeMap<u64, MatchRecord> {
        &self.played
    }

    /// Writes the record of the match of this number, from 0, in the game of this number among the
    /// heads. One that cannot be written is kept and tried again with the next.
    pub fn write(&mut self, number: u64, game: usize, record: &MatchRecord) {
        let line = RecordLine {
            head: self.heads[game].clone(),
            number: number + 1,
            record: record.clone(),
        };
        let text = serde_json::to_string(&line).expect("a record is plain data");
        self.unwritten.push((number + 1, format!("{text}\n")));
        self.records += 1;
        if let Err(error) = self.write_all() {
            tracing::warn!(%error, path = %self.path.display(), "a record is not written yet");
        }
    }

    /// Tries once more to write what could not be written.
    ///
    /// # Errors
    /// [`RecordFileError::Unwritten`] if it still cannot.
    pub fn finish(mut self) -> Result<(), RecordFileError> {
        let written = self.write_all();
        written.map_err(|source| RecordFileError::Unwritten {
            path: self.path,
            numbers: self.unwritten.iter().map(|(number, _)| *number).collect(),
            of: self.records,
            source,
        })
    }

    fn write_all(&mut self) -> io::Result<()> {
        while let Some((_, line)) = self.unwritten.first() {
            let before = self.file.metadata()?.len();
            if let Err(error) = self.file.write_all(line.as_bytes()) {
                // A part of a line is of no use. What is no file cannot be cut.
                let _ = self.file.set_len(before);
                return Err(error);
            }
            self.unwritten.remove(0);
        }
        Ok(())
    }
}

/// Opens a file to append to, which is read if that is wanted and must be empty if not.
fn open(path: &Path, resumes: bool) -> Result<Opened, RecordFileError> {
    let failed = |source| RecordFileError::Open {
        path: path.to_path_buf(),
        source,
    };
    let exists = || RecordFileError::Exists {
        path: path.to_path_buf(),
    };
    let mut options = File::options();
    options.append(true).create(true);
    // What is no file, such as a terminal, need not be readable.
    let is_file = fs::metadata(path).map_or(true, |data| data.is_file());
    let mut file = options.read(is_file).open(path).map_err(failed)?;
    let mut lines = Vec::new();
    if is_file {
        file.try_lock().or_else(|error| match error {
            TryLockError::WouldBlock => Err(RecordFileError::Busy {
                path: path.to_path_buf(),
            }),
            // Some file systems have no locks.
            TryLockError::Error(_) => Ok(()),
        })?;
        let mut bytes = Vec::new();
        if !resumes && file.metadata().map_err(failed)?.len() > 0 {
            return Err(exists());
        }
        let unreadable = |source| RecordFileError::Read {
            path: path.to_path_buf(),
            source,
        };
        file.read_to_end(&mut bytes).map_err(unreadable)?;
        let (found, length) = parse(path, text(&bytes).map_err(unreadable)?)?;
        lines = found;
        if length < bytes.len() {
            file.set_len(length as u64).map_err(failed)?;
        } else if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            file.write_all(b"\n").map_err(failed)?;
        }
        file.seek(SeekFrom::End(0)).map_err(failed)?;
    }
    Ok(Opened { file, lines })
}
