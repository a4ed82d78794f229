//! Rendering of messages as text, by `codespan-reporting`.
//!
//! Servers send whole rulesheets on one line, so lines are cut around what a
//! message points to. Codespan asks for lines through its `Files` trait; an
//! [`Excerpt`] answers with the cut lines, under their true line and column
//! numbers.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use codespan_reporting::diagnostic as codespan;
use codespan_reporting::files::{Error, Files};
use codespan_reporting::term::{self, Chars, Config, termcolor};

use super::{Diagnostic, Diagnostics, Severity};
use crate::source::{Position, Source, Span};

/// The most messages that are shown.
const MAX_SHOWN: usize = 50;
/// The most bytes of a line that are shown before and after a marked place.
const CONTEXT: usize = 60;
/// The most bytes of a place that are marked.
const MAX_MARKED: usize = 60;

impl Diagnostics {
    /// The messages as text, with ANSI colours if `colour`, each ending with an
    /// empty line. After fifty messages, the rest is only counted.
    pub fn render(&self, colour: bool) -> String {
        render(self, colour)
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.render(false).trim_end())
    }
}

fn render(diagnostics: &Diagnostics, colour: bool) -> String {
    let mut out = if colour {
        termcolor::Buffer::ansi()
    } else {
        termcolor::Buffer::no_color()
    };
    let config = Config {
        chars: Chars::ascii(),
        ..Config::default()
    };
    for diagnostic in diagnostics.list.iter().take(MAX_SHOWN) {
        let excerpt = Excerpt::new(&diagnostics.source, diagnostic);
        let report = report(&diagnostics.source, diagnostic, &excerpt);
        // Writing to memory cannot fail, and the excerpt has every line that
        // the report names.
        let _ = term::emit_to_write_style(&mut out, &config, &excerpt, &report);
    }
    let mut text = String::from_utf8_lossy(out.as_slice()).into_owned();
    let total = diagnostics.count(Severity::Error) + diagnostics.count(Severity::Warning);
    let more = total - diagnostics.list.len().min(MAX_SHOWN);
    if more > 0 {
        text.push_str(&format!("... and {more} more\n\n"));
    }
    text
}

fn report(source: &Source, diagnostic: &Diagnostic, excerpt: &Excerpt) -> codespan::Diagnostic<()> {
    let severity = match diagnostic.severity {
        Severity::Error => codespan::Severity::Error,
        Severity::Warning => codespan::Severity::Warning,
    };
    let mut labels = Vec::new();
    let mut notes = Vec::new();
    match &diagnostic.primary {
        Some(label) => {
            let range = excerpt.range(source, label.span).unwrap_or_default();
            labels.push(codespan::Label::primary((), range).with_message(&label.message));
        }
        // There is no line to show the file's name above.
        None => notes.push(format!("file: {}", source.name())),
    }
    for label in &diagnostic.secondary {
        match excerpt.range(source, label.span) {
            Some(range) => {
                labels.push(codespan::Label::secondary((), range).with_message(&label.message));
            }
            None => {
                let Position { line, column } = source.position(label.span.start);
                let (name, message) = (source.name(), &label.message);
                notes.push(format!("note: {name}:{line}:{column}: {message}"));
            }
        }
    }
    notes.extend(diagnostic.help.iter().map(|help| format!("help: {help}")));
    codespan::Diagnostic::new(severity)
        .with_code(diagnostic.code.name())
        .with_message(&diagnostic.message)
        .with_labels(labels)
        .with_notes(notes)
}

/// The lines that a message points to, cut to a readable length.
struct Excerpt<'a> {
    name: &'a str,
    /// The cut lines, one after the other.
    text: String,
    /// The line number (from 0) of every line in `text`.
    lines: BTreeMap<usize, Line>,
}

/// A cut line.
struct Line {
    /// The place of the line in the excerpt's text.
    range: Range<usize>,
    /// The place of the part that is shown in the source.
    shown: Range<usize>,
    /// The number of bytes of `range` before the part that is shown.
    mark: usize,
    /// The column in the source, from 1, of the first character shown.
    column: usize,
}

const CUT: &str = "...";

impl<'a> Excerpt<'a> {
    fn new(source: &'a Source, diagnostic: &Diagnostic) -> Excerpt<'a> {
        // The marked places in every line.
        let mut wanted: BTreeMap<usize, Range<usize>> = BTreeMap::new();
        for label in diagnostic.primary.iter().chain(&diagnostic.secondary) {
            let (line, marked) = marked(source, label.span);
            let places = wanted.entry(line).or_insert(marked.clone());
            // Places too far apart to show together: the first one counts.
            if marked.end.max(places.end) - marked.start.min(places.start) <= 4 * CONTEXT {
                *places = marked.start.min(places.start)..marked.end.max(places.end);
            }
        }
        let mut excerpt = Excerpt {
            name: source.name(),
            text: String::new(),
            lines: BTreeMap::new(),
        };
        let lines: Vec<usize> = wanted.keys().copied().collect();
        for pair in lines.windows(2).filter(|pair| pair[1] - pair[0] == 2) {
            // A single line between two others is shown as well.
            let (_, next) = source.line(wanted[&pair[1]].start as u32);
            let (between, line) = source.line(next.start - 1);
            let start = line.start as usize;
            wanted.insert(between, start..start);
        }
        for (line, places) in wanted {
            excerpt.add(source, line, places);
        }
        excerpt
    }

    fn add(&mut self, source: &Source, line: usize, places: Range<usize>) {
        let text = source.text();
        let whole = source.line(places.start as u32).1;
        let length = source.slice(whole).trim_end().len();
        let whole = whole.start as usize..whole.start as usize + length;
        let mut start = text.floor_char_boundary(places.start.saturating_sub(CONTEXT));
        let mut end = text.ceil_char_boundary((places.end + CONTEXT).min(text.len()));
        // Cut no less than the marks of a cut take.
        if start <= whole.start + CUT.len() {
            start = whole.start;
        }
        if end + CUT.len() >= whole.end {
            end = whole.end.max(places.end);
        }
        let from = self.text.len();
        if start > whole.start {
            self.text.push_str(CUT);
        }
        let mark = self.text.len() - from;
        // No character of a rulesheet may move the cursor of a terminal.
        let is_shown = |c: char| {
            let turns_text = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
            c == '\t' || !c.is_control() && !turns_text
        };
        // A blank of as many bytes, so that columns stay.
        let blank = |c: char| match c.len_utf8() {
            1 => ' ',
            2 => '\u{a0}',
            _ => '\u{2007}',
        };
        let shown = text[start..end].chars();
        self.text
            .extend(shown.map(|c| if is_shown(c) { c } else { blank(c) }));
        if end < whole.end {
            self.text.push_str(CUT);
        }
        let range = from..self.text.len();
        self.text.push('\n');
        self.lines.insert(
            line,
            Line {
                range,
                shown: start..end,
                mark,
                column: source.position(start as u32).column,
            },
        );
    }

    /// The place of a span in the excerpt, if it is shown.
    fn range(&self, source: &Source, span: Span) -> Option<Range<usize>> {
        let (line, marked) = marked(source, span);
        let line = self.lines.get(&line)?;
        let is_shown = line.shown.start <= marked.start && marked.end <= line.shown.end;
        let place = |at: usize| line.range.start + line.mark + at - line.shown.start;
        is_shown.then(|| place(marked.start)..place(marked.end))
    }
}

/// Returns the line where a span starts, and the part of the span that is on it.
fn marked(source: &Source, span: Span) -> (usize, Range<usize>) {
    let (line, whole) = source.line(span.start);
    let start = span.start as usize;
    let end = (span.end as usize).min(whole.end as usize).max(start);
    let cut = source.text().floor_char_boundary(start + MAX_MARKED);
    (line, start..end.min(cut))
}

impl<'a> Files<'a> for Excerpt<'_> {
    type FileId = ();
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, (): ()) -> Result<&'a str, Error> {
        Ok(self.name)
    }

    fn source(&'a self, (): ()) -> Result<&'a str, Error> {
        Ok(&self.text)
    }

    fn line_index(&'a self, (): (), byte: usize) -> Result<usize, Error> {
        let mut lines = self.lines.iter();
        let holding = lines.find(|(_, line)| byte <= line.range.end);
        holding.map(|(&index, _)| index).ok_or(Error::FileMissing)
    }

    fn line_range(&'a self, (): (), line: usize) -> Result<Range<usize>, Error> {
        let line = self.lines.get(&line).ok_or(Error::FileMissing)?;
        Ok(line.range.clone())
    }

    fn column_number(&'a self, (): (), line: usize, byte: usize) -> Result<usize, Error> {
        let line = self.lines.get(&line).ok_or(Error::FileMissing)?;
        let start = line.range.start + line.mark;
        Ok(line.column + self.text[start..byte.max(start)].chars().count())
    }
}
