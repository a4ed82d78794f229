//! The replay of the traces of many games, several at a time.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde::Serialize;

use super::difference::Difference;
use super::replay::replay;
use super::trace::Trace;
use crate::game::load::{Game, LoadError, Setup};
use crate::game::machine::MachineError;
use crate::play::matches::{RecordLine, parse_records};
use crate::support::error_text::with_causes;
use crate::support::fnv::Fnv64;
use crate::support::input::read_text;
use crate::support::threads;
use propjit_stop::Stop;

/// A game to verify.
#[derive(Clone, Debug)]
pub struct SuiteCase {
    /// The game's name.
    pub game: String,
    /// The file with its rules.
    pub rulesheet: PathBuf,
    /// The file with its trace.
    pub trace: PathBuf,
}

/// The result for one game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SuiteStatus {
    /// Nothing differs.
    Ok,
    /// Something differs.
    Differs,
    /// A limit was hit. The part that could still be compared, on the prover, does not differ.
    GaveUp,
    /// The rulesheet or the trace cannot be used.
    Error,
}

/// The outcome of one game.
#[derive(Clone, Debug, Serialize)]
pub struct SuiteRow {
    /// The game's name.
    pub game: String,
    /// The result.
    pub status: SuiteStatus,
    /// The backend that replayed the trace, if any did.
    pub backend: Option<&'static str>,
    /// How long loading took, in milliseconds.
    pub setup_ms: f64,
    /// How many matches were replayed to their end.
    pub matches: usize,
    /// How many states were compared.
    pub steps: usize,
    /// The first difference.
    pub difference: Option<Difference>,
    /// The limit that was hit, or the error.
    pub note: Option<String>,
}

/// The cases of a folder of rulesheets `NAME.kif` and one of traces `NAME.json`,
/// by name: one for each trace.
///
/// # Errors
/// When the folder of traces cannot be listed.
pub fn cases(games: &Path, traces: &Path) -> std::io::Result<Vec<SuiteCase>> {
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(traces)? {
        let trace = entry?.path();
        let is_trace = trace
            .extension()
            .is_some_and(|extension| extension == "json");
        let stem = trace.file_stem().filter(|_| is_trace);
        if let Some(game) = stem.map(|stem| stem.to_string_lossy().into_owned()) {
            let rulesheet = games.join(format!("{game}.kif"));
            cases.push(SuiteCase {
                game,
                rulesheet,
                trace,
            });
        }
    }
    cases.sort_by(|a, b| a.game.cmp(&b.game));
    Ok(cases)
}

/// Verifies all cases, `jobs` at a time, and calls `finished` with each row as
/// it is done. Returns the rows in the order of the cases; after a stop, those done.
pub fn run(
    cases: &[SuiteCase],
    setup: &Setup,
    jobs: usize,
    stop: &Stop,
    finished: impl Fn(&SuiteRow) + Sync,
) -> Vec<SuiteRow> {
    let next = AtomicUsize::new(0);
    let rows = Mutex::new(Vec::new());
    let work = || {
        while let Some((number, case)) = {
            let number = next.fetch_add(1, Ordering::Relaxed);
            cases.get(number).map(|case| (number, case))
        } {
            let Some(row) = verify(case, setup, stop) else {
                break;
            };
            finished(&row);
            let mut rows = rows.lock();
            rows.push((number, row));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs.min(cases.len()) {
            threads::or_without(threads::start_scoped(scope, "job", work));
        }
        work();
    });
    let mut rows = rows.into_inner();
    rows.sort_by_key(|(number, _)| *number);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Verifies one case; `None` if stopped.
pub fn verify(case: &SuiteCase, setup: &Setup, stop: &Stop) -> Option<SuiteRow> {
    if stop.is_set() {
        return None;
    }
    let mut row = SuiteRow {
        game: case.game.clone(),
        status: SuiteStatus::Ok,
        backend: None,
        setup_ms: 0.0,
        matches: 0,
        steps: 0,
        difference: None,
        note: None,
    };
    if let Err(failure) = fill(&mut row, case, setup, stop) {
        row.status = failure.status;
        row.note = Some(failure.note);
    }
    (!stop.is_set()).then_some(row)
}

/// Why a game could not be verified to the end.
struct Failure {
    status: SuiteStatus,
    note: String,
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Failure {
        let status = match error {
            LoadError::Ground { .. } => SuiteStatus::GaveUp,
            _ => SuiteStatus::Error,
        };
        let note = with_causes(&error);
        Failure { status, note }
    }
}

impl From<MachineError> for Failure {
    fn from(error: MachineError) -> Failure {
        Failure {
            status: SuiteStatus::GaveUp,
            note: error.to_string(),
        }
    }
}

/// Reads the trace in a file, or that of the records in it. Records may be of several games: those
/// of the rulesheet with this hash count, unless there are none.
fn read_trace(path: &Path, rulesheet: Fnv64) -> Result<Trace, Failure> {
    let failed = |error: &dyn fmt::Display| Failure {
        status: SuiteStatus::Error,
        note: format!("{}: {error}", path.display()),
    };
    let text = read_text(path).map_err(|error| failed(&error))?;
    let none = "it has no matches";
    let error = match Trace::from_json(&text) {
        Ok(trace) if trace.matches.is_empty() => return Err(failed(&none)),
        Ok(trace) => return Ok(trace),
        Err(_) if text.trim().is_empty() => return Err(failed(&none)),
        Err(error) => format!("no trace and no records of matches: {error}"),
    };
    let mut records = match parse_records(path, &text) {
        Ok(records) => records,
        // A file of records says where it is damaged; any other is no trace.
        Err(damage) => {
            let first = text.lines().next().unwrap_or_default();
            let is_of_records = serde_json::from_str::<RecordLine>(first).is_ok();
            return Err(match is_of_records {
                true => Failure {
                    status: SuiteStatus::Error,
                    note: damage.to_string(),
                },
                false => failed(&error),
            });
        }
    };
    let is_own = |line: &RecordLine| line.head.rulesheet == rulesheet;
    if records.iter().any(is_own) {
        records.retain(is_own);
    }
    let trace = Trace::of_records(&records);
    trace.ok_or_else(|| failed(&error))
}

fn fill(row: &mut SuiteRow, case: &SuiteCase, setup: &Setup, stop: &Stop) -> Result<(), Failure> {
    let mut game = Game::load(&case.rulesheet, setup)?;
    let trace = read_trace(&case.trace, game.fingerprint())?;
    let backend = setup.backend.unwrap_or(game.backend());
    let backend = game.prepare_or_interpret(backend)?;
    row.setup_ms = milliseconds(game.setup_time());
    row.backend = Some(backend.name());
    if let Some(reason) = game.grounding_error() {
        row.status = SuiteStatus::GaveUp;
        row.note = Some(reason.to_string());
    }
    if let Some(reason) = game.not_compiled() {
        row.note = Some(format!("interpreted, as {reason}"));
    }
    if trace
        .rulesheet
        .is_some_and(|hash| hash != game.fingerprint())
    {
        row.note = Some("the matches belong to another version of the rulesheet".to_string());
    }
    let replayed = replay(&trace, &mut *game.machine(backend)?, stop)?;
    row.matches = replayed.matches;
    row.steps = replayed.steps;
    if replayed.difference.is_some() {
        row.status = SuiteStatus::Differs;
        row.difference = replayed.difference;
    }
    Ok(())
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
