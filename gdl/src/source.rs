//! Source texts with positions, which every message about a rulesheet points to.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A range of bytes in a source text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// The span of a range of bytes in a text of less than 4 GiB.
    pub(crate) fn new(bytes: Range<usize>) -> Span {
        Span {
            start: bytes.start as u32,
            end: bytes.end as u32,
        }
    }

    /// Whether another span lies within it.
    pub fn covers(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The smallest span that covers both.
    pub fn join(self, other: Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

/// A way to write rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Notation {
    /// Lists in parentheses, as in `(<= terminal (true (step 20)))`: the notation of the Knowledge
    /// Interchange Format, in which the GGP protocol exchanges rules and moves.
    #[default]
    Prefix,
    /// As in `terminal :- true(step(20))`: the notation of logic programs, with `&`, `|` and `~`, and
    /// variables that start with a capital letter.
    Infix,
}

impl fmt::Display for Notation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Notation::Prefix => "prefix",
            Notation::Infix => "infix",
        })
    }
}

/// A named text in some notation. Clones share the text.
#[derive(Clone, Debug)]
pub struct Source {
    named: Arc<NamedText>,
    notation: Notation,
}

#[derive(Debug)]
struct NamedText {
    name: Box<str>,
    text: Box<str>,
    /// The byte at which each line starts.
    line_starts: Box<[u32]>,
}

/// A human-readable position: line and column count from 1, the column in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
}

impl Source {
    /// A source in prefix form with a name for messages (usually the file's path). Texts of
    /// 4 GiB and more are not supported: callers refuse them before.
    pub fn new(name: &str, text: &str) -> Source {
        let bytes = text.as_bytes();
        let ends_line = |at: usize| match bytes[at] {
            b'\n' => true,
            // A carriage return ends a line by itself, too.
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        let starts = (0..bytes.len()).filter(|&at| ends_line(at));
        let starts = std::iter::once(0).chain(starts.map(|at| at as u32 + 1));
        let named = NamedText {
            name: name.into(),
            text: text.into(),
            line_starts: starts.collect(),
        };
        Source {
            named: Arc::new(named),
            notation: Notation::Prefix,
        }
    }

    /// The same text, read in another notation.
    pub fn with_notation(self, notation: Notation) -> Source {
        Source { notation, ..self }
    }

    /// The notation of the text.
    pub fn notation(&self) -> Notation {
        self.notation
    }

    /// The name for messages.
    pub fn name(&self) -> &str {
        &self.named.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.named.text
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &str {
        &self.named.text[span.start as usize..span.end as usize]
    }

    /// The line that a byte is on, counted from 0, and the line's span without
    /// its line break.
    pub fn line(&self, byte: u32) -> (usize, Span) {
        let NamedText {
            text, line_starts, ..
        } = &*self.named;
        let line = line_starts.partition_point(|&start| start <= byte) - 1;
        let start = line_starts[line];
        let end = match line_starts.get(line + 1) {
            Some(&next) => next - 1,
            None => text.len() as u32,
        };
        (line, Span { start, end })
    }

    /// The position of a byte.
    pub fn position(&self, byte: u32) -> Position {
        let (line, Span { start, .. }) = self.line(byte);
        let start = start as usize;
        let text = self.text();
        let column = text[start..(byte as usize).min(text.len())].chars().count();
        Position {
            line: line + 1,
            column: column + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters() {
        let source = Source::new("a.kif", "é(p)\r\n\n x");
        assert_eq!(source.position(2), Position { line: 1, column: 2 });
        assert_eq!(source.position(9), Position { line: 3, column: 2 });
        assert_eq!(source.position(100), Position { line: 3, column: 3 });
        assert_eq!(source.line(3), (0, Span { start: 0, end: 6 }));
        assert_eq!(source.line(7), (1, Span { start: 7, end: 7 }));
        assert_eq!(source.line(9), (2, Span { start: 8, end: 10 }));
    }

    #[test]
    fn lines_end_at_any_line_break() {
        let source = Source::new("a.kif", "a\rbc\r\n\r d");
        let lines: Vec<usize> = (0..9).map(|at| source.position(at).line).collect();
        assert_eq!(lines, [1, 1, 2, 2, 2, 2, 3, 4, 4]);
        assert_eq!(source.line(2).1, Span { start: 2, end: 5 });
    }
}
