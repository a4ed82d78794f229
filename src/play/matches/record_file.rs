//! Files that records are written to, each when its match ends.
//!
//! A file belongs to one series. Written data is never overwritten: a series that was cut short
//! goes on in its file. Only an incomplete last line, as left by a process that was killed, is
//! removed then.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::opening::Openings;
use super::record::MatchRecord;
use super::record_lines::{
    RecordFileError, RecordLine, SeriesHead, SeriesOptions, TournamentOptions, parse,
};
use super::rulesheet::Rulesheet;
use super::series::Series;
use super::tournament::{Tournament, TournamentGame};
use crate::support::fnv::Fnv64;
use crate::support::input::text;

impl SeriesHead {
    /// Returns the heads of the matches of a tournament, one for each of its games.
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

    /// Returns the head of the matches of a series in a game of this name.
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
}

/// The hash of a rulesheet's text.
fn hash(rulesheet: &Rulesheet) -> Fnv64 {
    Fnv64::of(rulesheet.rules().source.text().as_bytes())
}

/// A record file that a series or a tournament writes to.
#[derive(Debug)]
pub struct RecordFile {
    path: PathBuf,
    file: File,
    /// The common data of the matches of each game.
    heads: Vec<SeriesHead>,
    /// The matches that were played before, by number from 0.
    played: BTreeMap<u64, MatchRecord>,
    /// Lines that could not be written yet, with the numbers of the matches from 1.
    unwritten: Vec<(u64, String)>,
    /// The number of records to be written.
    records: usize,
}

/// An open file, and its content.
struct Opened {
    file: File,
    lines: Vec<RecordLine>,
}

impl RecordFile {
    /// Creates a file for the records of a new series, or of a tournament with these heads for its
    /// games. It must be empty.
    ///
    /// # Errors
    /// When it is not, or cannot be written to.
    pub fn create(path: &Path, heads: Vec<SeriesHead>) -> Result<RecordFile, RecordFileError> {
        let Opened { file, .. } = open(path, false)?;
        Ok(RecordFile::new(path, file, heads))
    }

    /// Opens the file of a series that was cut short, or an empty or new one. `heads` are made for
    /// the seed in the file, if there is one.
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
                // A part of a line is useless. A terminal or pipe cannot be truncated.
                let _ = self.file.set_len(before);
                return Err(error);
            }
            self.unwritten.remove(0);
        }
        Ok(())
    }
}

/// Opens a file to append to, which is read if it `resumes` and must be empty if not.
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
    // A terminal or pipe need not be readable.
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
