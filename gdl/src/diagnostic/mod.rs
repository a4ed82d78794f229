//! Diagnostics: messages about a rulesheet, with the places that they are about.
//!
//! Everything that reads a rulesheet collects its messages in [`Diagnostics`] and
//! continues, so that one run shows all problems. An *error* leaves the game
//! undefined; a *warning* is about something that real rulesheets do and players
//! cope with. The text of the messages is made by `render`.

mod code;
mod render;

use rustc_hash::FxHashSet;

use crate::source::{Source, Span};
pub use code::Code;

/// The severity of a message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The game is undefined, and the rulesheet is refused.
    Error,
    /// The game is defined, but perhaps not as intended.
    Warning,
}

/// A place in the source, with a remark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The remark; may be empty.
    pub message: String,
}

/// A message about a rulesheet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Whether it is an error or a warning.
    pub severity: Severity,
    /// The kind of error or warning.
    pub code: Code,
    /// The problem, in a sentence.
    pub message: String,
    /// The place of the problem. `None` if it is the whole file.
    pub primary: Option<Label>,
    /// Other places that explain the problem.
    pub secondary: Vec<Label>,
    /// Advice on what to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    fn new(severity: Severity, code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity,
            code,
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            help: None,
        }
    }

    pub(crate) fn error(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, message)
    }

    pub(crate) fn warning(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, message)
    }

    /// Sets the place that it is about.
    pub(crate) fn at(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        let message = message.into();
        self.primary = Some(Label { span, message });
        self
    }

    /// Adds another place.
    pub(crate) fn also(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        let message = message.into();
        self.secondary.push(Label { span, message });
        self
    }

    /// The warning in place of an error that is accepted in this way.
    pub(crate) fn accepted(self, how: &str) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            code: Code::Lenient,
            help: Some(how.to_string()),
            ..self
        }
    }

    /// Sets what to do about it.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// The start of the place, for sorting.
    fn start(&self) -> u32 {
        let place = self.primary.as_ref().map(|label| label.span.start);
        place.unwrap_or(u32::MAX)
    }
}

/// All messages about one rulesheet. As an error, and with `{}`, they print like
/// a compiler's output: each message with the lines that it is about, errors first.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    source: Source,
    list: Vec<Diagnostic>,
    /// The code, place and message of each message in `list` that has a place.
    seen: FxHashSet<(Code, Span, String)>,
    /// The number of messages by severity, including those that `list` does not have.
    counts: [usize; 2],
}

/// The most messages of one severity that are kept. Further ones are only counted: a file of
/// garbage has millions.
const MAX_KEPT: usize = 1000;

impl Diagnostics {
    /// A list without messages about a source.
    pub fn new(source: Source) -> Diagnostics {
        Diagnostics {
            source,
            list: Vec::new(),
            seen: FxHashSet::default(),
            counts: [0; 2],
        }
    }

    /// Adds a message, unless there is already the same about the same place. Beyond a
    /// thousand errors, or warnings, messages are only counted.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let count = &mut self.counts[diagnostic.severity as usize];
        if *count < MAX_KEPT {
            if let Some(label) = &diagnostic.primary
                && !self
                    .seen
                    .insert((diagnostic.code, label.span, diagnostic.message.clone()))
            {
                return;
            }
            self.list.push(diagnostic);
        }
        *count += 1;
    }

    /// Rewrites the messages from number `first` on.
    pub(crate) fn rephrase(&mut self, first: usize, rephrase: impl Fn(&str) -> String) {
        for diagnostic in self.list.iter_mut().skip(first) {
            diagnostic.message = rephrase(&diagnostic.message);
            let labels = diagnostic.primary.iter_mut();
            for label in labels.chain(&mut diagnostic.secondary) {
                label.message = rephrase(&label.message);
            }
            if let Some(help) = &mut diagnostic.help {
                *help = rephrase(help);
            }
        }
    }

    /// Adds a remedy by an option to the errors about these places that do not name it yet.
    pub(crate) fn advise(&mut self, is_place: impl Fn(Span) -> bool, option: &str, remedy: &str) {
        let errors = self
            .list
            .iter_mut()
            .filter(|d| d.severity == Severity::Error);
        for diagnostic in errors {
            if let (Some(label), Some(help)) = (&diagnostic.primary, &mut diagnostic.help)
                && is_place(label.span)
                && !help.contains(option)
            {
                help.push_str(&format!("; or let `{option}` {remedy}"));
            }
        }
    }

    /// Makes warnings of the errors about these places.
    pub(crate) fn demote(&mut self, mut is_place: impl FnMut(Span) -> bool) {
        for diagnostic in &mut self.list {
            if diagnostic.severity == Severity::Error
                && let Some(label) = &diagnostic.primary
                && is_place(label.span)
            {
                diagnostic.severity = Severity::Warning;
                self.counts[Severity::Error as usize] -= 1;
                self.counts[Severity::Warning as usize] += 1;
            }
        }
    }

    /// The number of messages that are kept.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    fn of(&self, severity: Severity) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter().filter(move |d| d.severity == severity)
    }

    /// The source that the messages are about.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The errors, by place.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.of(Severity::Error)
    }

    /// The warnings, by place.
    pub fn warnings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.of(Severity::Warning)
    }

    /// The warnings about rules that the specification forbids, and that were read nevertheless.
    pub fn lenient(&self) -> impl Iterator<Item = &Diagnostic> {
        self.warnings().filter(|d| d.code == Code::Lenient)
    }

    /// The number of errors or warnings, including those that are only counted.
    pub fn count(&self, severity: Severity) -> usize {
        self.counts[severity as usize]
    }

    /// Whether there is an error.
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    /// Whether there is no message at all.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Sorts by severity and place; messages about the whole file come last.
    pub(crate) fn sort(&mut self) {
        self.list.sort_by_key(|d| (d.severity, d.start()));
    }
}

impl std::error::Error for Diagnostics {}

/// A number of arguments in a message.
pub(crate) fn arguments(count: usize) -> String {
    match count {
        0 => "no arguments".to_string(),
        1 => "1 argument".to_string(),
        n => format!("{n} arguments"),
    }
}

/// A name in a message: in backquotes, and cut if it is very long.
pub(crate) fn quote(name: &str) -> String {
    const MAX_CHARS: usize = 60;
    match name.char_indices().nth(MAX_CHARS) {
        None => format!("`{name}`"),
        Some((cut, _)) => format!("`{}...`", &name[..cut]),
    }
}
