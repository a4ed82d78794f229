//! `propjit validate`: checks of rulesheets.

use std::fmt;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Duration;

use propjit::Stop;
use propjit::game::load::{Game, LoadError};
use propjit::lab::inspection::{Inspection, InspectionConfig, inspect};
use propjit::support::error_text::with_causes;
use propjit::support::rng::random_seed;
use propjit_gdl::diagnostic::{Diagnostic, Diagnostics, Severity};
use propjit_gdl::rules::Rules;
use propjit_gdl::{ReadError, ReadOptions};
use serde::{Serialize, Serializer};

use super::options::{GroundArgs, in_range, seconds, seed};
use super::output::{Failure, Output, message, show_progress, warn_left_out};
use super::signals::stop_on_signals;

/// Check rulesheets for errors and, with --play, in random matches
#[derive(clap::Args)]
pub(super) struct Args {
    /// Rulesheets to read
    #[arg(required = true, value_name = "RULESHEET")]
    rulesheets: Vec<PathBuf>,

    /// Also play random matches and report problems found in them
    #[arg(long)]
    play: bool,

    /// Time for random play of each game
    #[arg(long, default_value = "2", value_name = "SECONDS", value_parser = seconds, requires = "play")]
    seconds: Duration,

    /// Maximum number of joint moves per match
    #[arg(long, default_value = "10000", value_name = "N", requires = "play", value_parser = |text: &str| in_range(text, 1usize, 1_000_000))]
    max_steps: usize,

    /// Seed of the random moves [default: random]
    #[arg(long, value_name = "N", requires = "play", value_parser = seed)]
    seed: Option<u64>,

    #[command(flatten)]
    ground: GroundArgs,
}

#[derive(Serialize)]
struct Report {
    valid: usize,
    invalid: usize,
    files: Vec<File>,
    /// Whether files are missing, or were played for less time.
    interrupted: bool,
    /// The files that are missing.
    not_checked: Vec<String>,
}

#[derive(Serialize)]
struct File {
    #[serde(serialize_with = "lossy")]
    path: PathBuf,
    valid: bool,
    errors: usize,
    warnings: usize,
    messages: Vec<Message>,
    /// Whether a match was played, if that was asked for.
    #[serde(rename = "played", skip_serializing_if = "Option::is_none")]
    is_played: Option<bool>,
    /// The results of playing.
    #[serde(skip_serializing_if = "Option::is_none")]
    play: Option<Inspection>,
}

/// A path as text, whatever its bytes are.
fn lossy<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

#[derive(Serialize)]
struct Message {
    severity: &'static str,
    code: String,
    message: String,
    line: Option<usize>,
    column: Option<usize>,
}

/// Checks each file, and fails if one is wrong, or was not checked.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), Failure> {
    let mut report = Report {
        valid: 0,
        invalid: 0,
        files: Vec::new(),
        interrupted: false,
        not_checked: Vec::new(),
    };
    let stop = match args.play {
        true => stop_on_signals(),
        false => Stop::new(),
    };
    for path in &args.rulesheets {
        if stop.is_set() {
            report.not_checked.push(path.display().to_string());
            continue;
        }
        let mut file = check(path, &args.ground.reading.options(), output.is_json());
        if args.play && file.valid {
            play(args, &mut file, &stop)?;
            let played = file.play.as_ref().map_or(0, |play| play.matches);
            file.is_played = Some(played > 0);
        }
        match file.valid {
            true => report.valid += 1,
            false => report.invalid += 1,
        }
        report.files.push(file);
    }
    report.interrupted = stop.is_set();
    output.result(&report)?;
    warn_left_out(&report.not_checked);
    match report.invalid == 0 && report.not_checked.is_empty() {
        true => Ok(()),
        false => Err(Failure::Told),
    }
}

/// Plays a game, and counts the problems as errors and warnings of the file.
fn play(args: &Args, file: &mut File, stop: &Stop) -> Result<(), Failure> {
    let setup = args.ground.setup().with_stop(stop.clone());
    let config = InspectionConfig::default()
        .with_time(args.seconds)
        .with_max_steps(args.max_steps)
        .with_seed(args.seed.unwrap_or_else(random_seed));
    let name = file.path.display().to_string();
    let shown = show_progress(move || format!("playing {name}"));
    let game = match Game::load(&file.path, &setup) {
        Err(LoadError::Stopped) => return Ok(()),
        game => game?,
    };
    let inspection = inspect(&game, &setup, &config, stop)?;
    drop(shown);
    let wrong = inspection.findings.iter();
    let errors = wrong.filter(|finding| finding.is_error).count();
    file.errors += errors;
    file.warnings += inspection.findings.len() - errors;
    file.valid &= errors == 0;
    file.play = Some(inspection);
    Ok(())
}

/// Checks one file; its messages go to stderr unless they are in the JSON.
fn check(path: &PathBuf, reading: &ReadOptions, json: bool) -> File {
    let mut file = File {
        path: path.clone(),
        valid: false,
        errors: 0,
        warnings: 0,
        messages: Vec::new(),
        play: None,
        is_played: None,
    };
    let diagnostics = match Rules::read_with(path, reading) {
        Ok(parsed) => {
            file.valid = true;
            parsed.warnings
        }
        Err(ReadError::Invalid(diagnostics)) => diagnostics,
        Err(error) => {
            file.errors = 1;
            file.messages.push(Message {
                severity: "error",
                code: "unreadable".to_string(),
                message: with_causes(&error),
                line: None,
                column: None,
            });
            if !json {
                message(&format!("error: {}", with_causes(&error)));
            }
            return file;
        }
    };
    file.errors = diagnostics.count(Severity::Error);
    file.warnings = diagnostics.count(Severity::Warning);
    let all = diagnostics.errors().chain(diagnostics.warnings());
    file.messages = all.map(|d| to_message(d, &diagnostics)).collect();
    if !json && !diagnostics.is_empty() {
        message(diagnostics.render(io::stderr().is_terminal()).trim_end());
    }
    file
}

fn to_message(diagnostic: &Diagnostic, all: &Diagnostics) -> Message {
    let start = diagnostic.primary.as_ref().map(|label| label.span.start);
    let position = start.map(|start| all.source().position(start));
    Message {
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        code: diagnostic.code.name().to_string(),
        message: diagnostic.message.clone(),
        line: position.map(|position| position.line),
        column: position.map(|position| position.column),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for file in &self.files {
            let verdict = match (file.valid, file.is_played) {
                (true, Some(false)) => "valid, but not played",
                (true, _) => "valid",
                (false, _) => "invalid",
            };
            write!(f, "{}: {verdict}", file.path.display())?;
            for (count, what) in [(file.errors, "error"), (file.warnings, "warning")] {
                match count {
                    0 => {}
                    1 => write!(f, ", 1 {what}")?,
                    _ => write!(f, ", {count} {what}s")?,
                }
            }
            writeln!(f)?;
            if let Some(played) = &file.play {
                played.fmt(f)?;
            }
        }
        if self.interrupted {
            writeln!(f, "interrupted")?;
        }
        Ok(())
    }
}
