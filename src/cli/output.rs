//! Results on stdout, as text or JSON; messages on stderr.

use std::convert::Infallible;
use std::fmt::{self, Display};
use std::fs::{self, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use clap::ValueEnum;
use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use propjit::game::load::LoadError;
use propjit::game::machine::MachineError;
use propjit::gdl::ground::GroundError;
use propjit::support::error_text::with_causes;
use propjit_gdl::{Diagnostics, ReadError};
use serde::Serialize;

/// How to print results.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Text for people
    Text,
    /// One JSON object, or an array for `solve` with several games
    Json,
    /// A graph in Graphviz DOT format; `facts` only
    Dot,
    /// Comma-separated values; `stats` only
    Csv,
}

/// Why a command fails.
pub(super) enum Failure {
    /// The reader of stdout is gone.
    Pipe,
    /// The work failed, and the results or messages have said how.
    Told,
    /// The rules are wrong.
    Rules(Box<Diagnostics>),
    /// The work failed.
    Work(String),
    /// The options do not go together.
    Usage(String),
}

impl Failure {
    /// A failure of the work with this error.
    pub(super) fn new(error: impl Display) -> Failure {
        Failure::Work(error.to_string())
    }

    /// Returns the reason, in one line: of wrong rules, the first error.
    pub(super) fn line(&self) -> String {
        match self {
            Failure::Pipe => "the reader of the results is gone".to_string(),
            Failure::Told => "see the messages".to_string(),
            Failure::Rules(diagnostics) => {
                let text = diagnostics.to_string();
                text.lines().next().unwrap_or_default().to_string()
            }
            Failure::Work(error) | Failure::Usage(error) => error.replace(['\n', '\r'], " "),
        }
    }
}

/// Returns the failure of a command with a backend that needs a ground game.
pub(super) fn needs_ground(error: &LoadError) -> Failure {
    let remedy = match error {
        LoadError::Ground { source, .. } => format!("; {}", grounding_remedy(source)),
        _ => String::new(),
    };
    Failure::Work(format!("{}{remedy}", with_causes(error)))
}

/// Returns the remedy if grounding was given up.
pub(super) fn grounding_remedy(reason: &GroundError) -> &'static str {
    match reason {
        GroundError::Growth { .. } => {
            "add a condition that bounds the nesting of terms, or a counter that ends the match"
        }
        GroundError::GoalValue { .. } => "correct the goals",
        _ => "raise `--setup-limit` or `--memory-limit`",
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Failure {
        match error {
            LoadError::Read(ReadError::Invalid(diagnostics)) => {
                Failure::Rules(Box::new(diagnostics))
            }
            LoadError::Ground { .. } => needs_ground(&error),
            _ => Failure::Work(with_causes(&error)),
        }
    }
}

impl From<MachineError> for Failure {
    fn from(error: MachineError) -> Failure {
        Failure::new(error)
    }
}

/// Checks that the file can be written to, and is none of the rulesheets. Changes nothing.
pub(super) fn writable<'a>(
    path: &Path,
    rulesheets: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<(), Failure> {
    if let Ok(file) = fs::canonicalize(path) {
        let is_file = |sheet: &PathBuf| fs::canonicalize(sheet).is_ok_and(|sheet| sheet == file);
        if rulesheets.into_iter().any(is_file) {
            let path = path.display();
            let why = format!(
                "{path} is the rulesheet that is read, which this would overwrite; name another file"
            );
            return Err(Failure::Usage(why));
        }
    }
    let is_new = fs::symlink_metadata(path).is_err();
    // The reader of a pipe would take the first close for its end.
    if fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return Ok(());
    }
    let mut options = OpenOptions::new();
    let opened = options.write(true).create(true).truncate(false).open(path);
    opened.map_err(|error| cannot_write(path, &error))?;
    match is_new {
        true => fs::remove_file(path).map_err(|error| cannot_write(path, &error)),
        false => Ok(()),
    }
}

/// The failure to write a file.
pub(super) fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::Work(format!("cannot write {}: {error}", path.display()))
}

/// A number of things, with the word for one of them or for several.
pub(super) fn counted<N: Display + PartialEq + From<u8>>(
    count: N,
    one: &str,
    several: &str,
) -> String {
    let word = if count == N::from(1) { one } else { several };
    format!("{count} {word}")
}

/// Returns the width of a column, given the number of characters of its longest text. Texts that are far longer than
/// others stick out: formatting refuses widths beyond 65535.
pub(super) fn column_width(longest: usize) -> usize {
    longest.min(1000)
}

/// Writes the errors in rules to stderr.
pub(super) fn show_diagnostics(diagnostics: &Diagnostics) {
    message(diagnostics.render(io::stderr().is_terminal()).trim_end());
}

/// Writes a message to stderr. It is no failure if its reader is gone.
pub(super) fn message(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Names the files that were skipped because the work was interrupted, if there are any.
pub(super) fn warn_left_out(files: &[String]) {
    if !files.is_empty() {
        let files = files.join(", ");
        message(&format!(
            "note: interrupted before these files were processed: {files}"
        ));
    }
}

/// The output of results.
pub(super) struct Output {
    format: Format,
}

impl Output {
    pub(super) fn new(format: Format) -> Output {
        Output { format }
    }

    /// Returns whether results are for programs.
    pub(super) fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Returns whether results are for drawing.
    pub(super) fn is_dot(&self) -> bool {
        self.format == Format::Dot
    }

    /// Returns whether results are for spreadsheets.
    pub(super) fn is_csv(&self) -> bool {
        self.format == Format::Csv
    }

    /// Prints a result: its serialisation as JSON, or its display as text. Other formats are
    /// written with [`print`](Output::print).
    pub(super) fn result(&mut self, result: &(impl Serialize + Display)) -> Result<(), Failure> {
        match self.format {
            Format::Text => self.print(&result.to_string()),
            Format::Json => {
                let json = serde_json::to_string_pretty(result).map_err(Failure::new)?;
                self.print(&format!("{json}\n"))
            }
            Format::Dot | Format::Csv => {
                Err(Failure::new("this result supports neither `dot` nor `csv`"))
            }
        }
    }

    /// Prints text as it is.
    pub(super) fn print(&mut self, text: &str) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        let written = stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush());
        written.map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Pipe,
            _ => Failure::Work(format!("cannot write the results: {error}")),
        })
    }
}

/// Shows `status` in a line on stderr, if that is a terminal, until the returned value is dropped.
pub(super) fn show_progress(
    status: impl Fn() -> String + Clone + Send + Sync + 'static,
) -> impl Drop {
    let key = move |_: &ProgressState, line: &mut dyn fmt::Write| {
        // The line is a string: writing to it does not fail.
        let _ = line.write_str(&status());
    };
    let style = ProgressStyle::with_template("{spinner} {elapsed} {status}");
    let style = style
        .expect("the template is valid")
        .with_key("status", key);
    Spinner::start(style)
}

/// A bar on stderr, if that is a terminal, which is drawn from time to time until this is dropped.
struct Spinner {
    bar: ProgressBar,
    /// The thread that draws, and the channel that ends it when dropped.
    drawing: Option<(Sender<Infallible>, JoinHandle<()>)>,
}

impl Spinner {
    /// Starts to draw. If no thread can be started for that, the bar is not drawn.
    fn start(style: ProgressStyle) -> Spinner {
        let bar = ProgressBar::new_spinner().with_style(style);
        let (end, ended) = bounded(0);
        let drawn = bar.clone();
        let draw = move || {
            while ended.recv_timeout(FRAME) == Err(RecvTimeoutError::Timeout) {
                drawn.tick();
            }
        };
        let started = match bar.is_hidden() {
            true => None,
            false => thread::Builder::new().spawn(draw).ok(),
        };
        let drawing = started.map(|thread| (end, thread));
        Spinner { bar, drawing }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.drawing.take() {
            drop(end);
            // A thread that panicked has said so.
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}

/// The time between two pictures of a bar.
const FRAME: Duration = Duration::from_millis(100);

/// Text of some lines on stderr, if that is a terminal, which is replaced when it is shown again
/// and removed when this is dropped.
pub(super) struct LiveText(Spinner);

/// Makes an empty text.
pub(super) fn live_text() -> LiveText {
    let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}");
    LiveText(Spinner::start(style.expect("the template is valid")))
}

impl LiveText {
    /// Shows a text instead of the last one.
    pub(super) fn show(&self, text: &str) {
        self.0.bar.set_message(text.to_string());
    }

    /// Keeps the current text above the next one.
    pub(super) fn keep(&self) {
        self.0.bar.println(self.0.bar.message());
    }
}
