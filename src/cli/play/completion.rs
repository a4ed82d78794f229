//! Completion of a person's input: moves, word by word, and other entries.

use rustyline::completion::Completer;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};

/// The possible completions of a line.
pub(super) struct Completions {
    entries: Vec<String>,
}

impl Completions {
    /// Makes completions to these entries; moves also without their outer parentheses.
    pub(super) fn new(entries: Vec<String>) -> Completions {
        Completions { entries }
    }

    /// Returns the possible continuations: the line as it would be one word further on. So a long
    /// list of moves is shown in parts that differ in their first words: the pieces, the places
    /// where they begin.
    fn of(&self, line: &str) -> Vec<String> {
        let line = line.trim_start();
        let bare = |entry| bare(entry).filter(|_| !line.starts_with('('));
        let entries = self.entries.iter().map(String::as_str);
        let entries = entries.map(|entry| bare(entry).unwrap_or(entry));
        let rest = entries.filter(|entry| entry.starts_with(line) && entry.len() > line.len());
        let rest: Vec<&str> = rest.collect();
        if let [only] = rest[..] {
            return vec![only.to_string()];
        }
        let mut found: Vec<String> = Vec::new();
        for entry in rest {
            let word = entry[line.len()..].find(' ');
            let end = word.map_or(entry.len(), |blank| line.len() + blank + 1);
            if !found.iter().any(|other| *other == entry[..end]) {
                found.push(entry[..end].to_string());
            }
        }
        found
    }
}

/// A move without its outer parentheses, which need not be entered.
fn bare(entry: &str) -> Option<&str> {
    entry.strip_prefix('(')?.strip_suffix(')')
}

impl Completer for Completions {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        cursor: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok((0, self.of(&line[..cursor])))
    }
}

impl Helper for Completions {}
impl Highlighter for Completions {}
impl Validator for Completions {}
impl Hinter for Completions {
    type Hint = String;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_completed_word_by_word() {
        let entries = [
            "(move 1 1 2 1)",
            "(move 1 1 2 2)",
            "(move 3 1 4 1)",
            "noop",
            "1 1",
            "moves",
        ];
        let completions = Completions::new(entries.map(String::from).to_vec());
        for (line, expected) in [
            ("", &["move ", "noop", "1 ", "moves"][..]),
            ("m", &["move ", "moves"]),
            ("mo", &["move ", "moves"]),
            ("move ", &["move 1 ", "move 3 "]),
            ("move 3", &["move 3 1 4 1"]),
            ("  move 1 1 2", &["move 1 1 2 "]),
            ("move 1 1 2 ", &["move 1 1 2 1", "move 1 1 2 2"]),
            ("(", &["(move "]),
            ("(move 1 1 ", &["(move 1 1 2 "]),
            ("(move 3", &["(move 3 1 4 1)"]),
            ("n", &["noop"]),
            ("noop", &[]),
            ("x", &[]),
        ] {
            assert_eq!(completions.of(line), expected, "{line:?}");
        }
    }
}
