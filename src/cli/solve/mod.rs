//! `propjit solve`: proved values of games, and their certificates.

mod check;
mod mixed;
mod report;

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use propjit::Stop;
use propjit::proof::solve::{SolveConfig, SolveProgress, Solved, solve};
use serde::Serialize;

use super::options::{SetupArgs, game_name, in_range, mebibytes, seconds, threads};
use super::output::{
    Failure, Output, cannot_write, message, show_diagnostics, show_progress, warn_left_out,
    writable,
};
use super::signals::stop_on_signals;
use super::time_limit::within;
use check::check;
use report::{Report, Value};

/// Prove the value of a game for each role
///
/// The value for a role is the goal that it can force against any play of the others. If it cannot be proved,
/// bounds are printed: what the role can force, and what the others can limit it to. Where roles do not see the
/// whole state, or move at the same time, mixed strategies and bounds of their expected goals are computed. Several
/// rulesheets, or a folder of them, produce a table, or an array in JSON.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Rulesheets to read, or folders of them; `-` for standard input
    #[arg(required = true)]
    rulesheets: Vec<PathBuf>,

    /// Time limit for each game
    #[arg(long, default_value = "60", value_name = "SECONDS", value_parser = seconds)]
    seconds: Duration,

    /// Memory limit for states and proofs
    #[arg(long, default_value = "2048", value_name = "MIB", value_parser = mebibytes)]
    memory: usize,

    /// Threads
    #[arg(long, default_value = "2", value_name = "T", value_parser = threads)]
    threads: usize,

    /// Iterations of regret minimisation, at most
    #[arg(long, default_value = "10000", value_name = "N", value_parser = iterations)]
    iterations: u64,

    /// Exploitability at which regret minimisation ends, in goals
    #[arg(long, default_value = "0.01", value_name = "GOALS", value_parser = exploitability)]
    exploitability: f64,

    /// Print the mixed strategies, if regret minimisation found some
    #[arg(long)]
    strategy: bool,

    /// Write a certificate for `--check` to this file, or for several games to files in this folder
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,

    /// Check a certificate against the rules alone, or for several games the certificates in this folder
    #[arg(long, value_name = "FILE", conflicts_with_all = ["certificate", "seconds", "memory", "threads", "iterations", "exploitability", "strategy"])]
    check: Option<PathBuf>,

    #[command(flatten)]
    setup: SetupArgs,
}

/// A number of iterations.
fn iterations(text: &str) -> Result<u64, String> {
    in_range(text, 0, u64::MAX)
}

/// An exploitability, in goals.
fn exploitability(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(goals) if goals >= 0.0 => Ok(goals),
        _ => Err("must be a number of goals, 0 or more".to_string()),
    }
}

/// Solves games, or checks certificates, and prints the results.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let stop = stop_on_signals();
    let rulesheets = rulesheets(&args.rulesheets)?;
    let reading = args.setup.ground.reading.options();
    let is_table = rulesheets.len() > 1 || args.rulesheets[0].is_dir();
    match (&args.check, is_table) {
        (None, false) => {
            let path = args.certificate.as_deref();
            path.map_or(Ok(()), |path| writable(path, &rulesheets))?;
            let report = solved(args, &rulesheets[0], path, &stop)?;
            // Proved values are printed even if the certificate cannot be written.
            output.result(&report)?;
            report
                .error()
                .map_or(Ok(()), |error| Err(Failure::new(error)))
        }
        (Some(path), false) => output.result(&check(&rulesheets[0], &reading, path, &stop)?),
        (None, true) => {
            let path = |rulesheet: &Path| {
                let folder = args.certificate.as_deref();
                folder.map(|folder| certificate_in(folder, rulesheet))
            };
            if let Some(folder) = &args.certificate {
                fs::create_dir_all(folder).map_err(|error| {
                    Failure::Work(format!(
                        "cannot make the folder {}: {error}",
                        folder.display()
                    ))
                })?;
            }
            for path in rulesheets.iter().filter_map(|rulesheet| path(rulesheet)) {
                writable(&path, &rulesheets)?;
            }
            let row = |rulesheet: &Path| solved(args, rulesheet, path(rulesheet).as_deref(), &stop);
            table(&rulesheets, row, &stop, output)
        }
        (Some(folder), true) => {
            // Games in a folder are skipped if they have no certificate; for others, that is an
            // error.
            let (rulesheets, left_out): (Vec<PathBuf>, Vec<PathBuf>) =
                rulesheets.into_iter().partition(|rulesheet| {
                    args.rulesheets.contains(rulesheet)
                        || certificate_in(folder, rulesheet).is_file()
                });
            if rulesheets.is_empty() {
                let folder = folder.display();
                return Err(Failure::Work(format!(
                    "{folder} has no certificate NAME.json of one of these games"
                )));
            }
            if !left_out.is_empty() {
                let (count, folder) = (left_out.len(), folder.display());
                let all = count + rulesheets.len();
                message(&format!(
                    "note: {count} of {all} games have no certificate in {folder} and are not checked"
                ));
            }
            let row = |rulesheet: &Path| {
                let certificate = certificate_in(folder, rulesheet);
                check(rulesheet, &reading, &certificate, &stop)
            };
            table(&rulesheets, row, &stop, output)
        }
    }
}

/// Returns the selected files: those in folders are in the order of their names.
fn rulesheets(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut all = Vec::new();
    for path in paths {
        if !path.is_dir() {
            all.push(path.clone());
            continue;
        }
        let cannot_list = |error| {
            Failure::Work(format!(
                "cannot list the folder {}: {error}",
                path.display()
            ))
        };
        let mut found = Vec::new();
        for entry in fs::read_dir(path).map_err(cannot_list)? {
            let entry = entry.map_err(cannot_list)?.path();
            if entry
                .extension()
                .is_some_and(|extension| extension == "kif")
            {
                found.push(entry);
            }
        }
        if found.is_empty() {
            let folder = path.display();
            return Err(Failure::Work(format!(
                "there is no rulesheet NAME.kif in {folder}"
            )));
        }
        found.sort();
        all.extend(found);
    }
    Ok(all)
}

/// The certificate of a game in a folder.
fn certificate_in(folder: &Path, rulesheet: &Path) -> PathBuf {
    folder.join(format!("{}.json", game_name(rulesheet)))
}

/// The result for a game, as a row of a table.
trait Row: Serialize {
    /// The row as text.
    fn row(&self) -> String;

    /// The error after the result was found.
    fn error(&self) -> Option<&str> {
        None
    }
}

/// Prints a row for each game as it comes, and as JSON a list in the end. Fails after that if some
/// games fail, or were skipped because a stop came.
fn table<R: Row>(
    rulesheets: &[PathBuf],
    mut row: impl FnMut(&Path) -> Result<R, Failure>,
    stop: &Stop,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut rows = Vec::new();
    let mut has_failed = false;
    let mut left_out = Vec::new();
    for rulesheet in rulesheets {
        if stop.is_set() {
            left_out.push(rulesheet.display().to_string());
            continue;
        }
        let warn = |error: &str| message(&format!("{}: {error}", rulesheet.display()));
        match row(rulesheet) {
            Ok(found) => {
                if !output.is_json() {
                    output.print(&found.row())?;
                }
                if let Some(error) = found.error() {
                    has_failed = true;
                    warn(error);
                }
                rows.push(Element::Found(found));
            }
            Err(failure @ (Failure::Work(_) | Failure::Rules(_))) => {
                has_failed = true;
                rows.push(Element::Failed {
                    game: game_name(rulesheet),
                    error: failure.line(),
                });
                match failure {
                    Failure::Rules(diagnostics) => show_diagnostics(&diagnostics),
                    failure => warn(&failure.line()),
                }
            }
            Err(failure) => return Err(failure),
        }
    }
    if output.is_json() {
        output.result(&Rows(rows))?;
    }
    warn_left_out(&left_out);
    match has_failed || !left_out.is_empty() {
        true => Err(Failure::Told),
        false => Ok(()),
    }
}

/// Solves a game, and writes the certificate if requested. If it cannot be written, the report says
/// so.
fn solved(
    args: &Args,
    rulesheet: &Path,
    certificate: Option<&Path>,
    stop: &Stop,
) -> Result<Report, Failure> {
    // The compilation takes a token when the game is loaded, and ends with the time, too.
    let making = stop.by(None);
    let setup = &args.setup;
    let game = setup.load_ground(rulesheet, &making)?;
    let name = game_name(rulesheet);
    let config = SolveConfig::default()
        .with_memory(args.memory << 20)
        .with_threads(args.threads)
        .with_iterations(args.iterations)
        .with_exploitability(args.exploitability);
    let progress = Arc::new(SolveProgress::default());
    let shown = show_progress({
        let (name, progress) = (name.clone(), progress.clone());
        let start = Instant::now();
        move || status(&name, &progress, start.elapsed())
    });
    let start = Instant::now();
    let mut solved = within(&making, args.seconds, || {
        solve(&game, &config, &stop.within(args.seconds), &progress)
    })??;
    let mut report = Report::new(&game, &solved, &name, start.elapsed(), stop.is_set());
    if args.strategy {
        report.add_strategy(&game, &solved);
    }
    if let Some(path) = certificate {
        let limited = stop.within(args.seconds);
        match write_certificate(&mut solved, &name, path, &limited) {
            Ok(proved) => report.certificate = proved,
            Err(Failure::Work(error)) => report.error = Some(error),
            Err(failure) => return Err(failure),
        }
    }
    drop(shown);
    Ok(report)
}

/// Describes the progress.
fn status(name: &str, progress: &SolveProgress, time: Duration) -> String {
    let regret = progress.regret();
    match (regret.iterations(), regret.histories()) {
        (0, 0) => {}
        (0, histories) => {
            let steps = regret.steps();
            return format!("{name}: {histories} histories in {steps} joint moves");
        }
        (iterations, _) => {
            let exploitability = regret.exploitability();
            return format!(
                "{name}: exploitability {exploitability:.4} after {iterations} iterations"
            );
        }
    }
    let bounds = progress.bounds();
    let bounds = bounds.iter().map(|(low, high)| format!("{low}..{high}"));
    let bounds: Vec<String> = bounds.collect();
    let states = progress.states();
    format!(
        "{name}: {} states in {} steps, {:.0} a second; values {}",
        states,
        progress.depth(),
        states as f64 / time.as_secs_f64().max(1e-3),
        bounds.join(", ")
    )
}

/// Writes the certificate, and reports what it does not prove. Returns what it proves, if anything.
fn write_certificate(
    solved: &mut Solved<'_>,
    name: &str,
    path: &Path,
    stop: &Stop,
) -> Result<Option<Vec<Value>>, Failure> {
    let (certificate, missing) = solved.certificate(name, stop);
    for missing in missing {
        message(&format!("note: {name}: {missing}"));
    }
    if certificate.claims.is_empty() && !solved.is_solved() {
        message(&format!("note: {name}: nothing to certify"));
        return Ok(None);
    }
    let text = serde_json::to_vec(&certificate).map_err(Failure::new)?;
    fs::write(path, text).map_err(|error| cannot_write(path, &error))?;
    Ok(Some(certificate.values.iter().map(Value::from).collect()))
}

/// An element of the output for a game, as JSON.
#[derive(Serialize)]
#[serde(untagged)]
enum Element<R> {
    Found(R),
    Failed { game: String, error: String },
}

/// Elements as JSON.
#[derive(Serialize)]
#[serde(transparent)]
struct Rows<R>(Vec<R>);

impl<R> Display for Rows<R> {
    /// Rows are printed as they come.
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Ok(())
    }
}
