//! The input of a person.

use std::io::{self, BufRead, Read};

use crate::cli::output::Failure;

/// What can be entered.
pub(super) const HELP: &str = "\
  3 or (mark 1 1)   play that move, by its number or as text
  1 1               list the moves that begin at that place
  hint              what the machine would play: its best three moves
  undo              take your last move back
  moves             list all moves that you have
  state             show the state again
  quit              end the program; so does the end of the input
A move that is called like one of these, or by a number, is entered in parentheses: (quit).
";

/// The input of a person.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Entry<'a> {
    /// Nothing but blanks.
    Nothing,
    /// The number of a move, from 1.
    Number(usize),
    /// Perhaps a move.
    Text(&'a str),
    Hint,
    Undo,
    Moves,
    State,
    Help,
    Quit,
}

impl Entry<'_> {
    /// What a line means.
    pub(super) fn of(line: &str) -> Entry<'_> {
        match line.trim() {
            "" => Entry::Nothing,
            "hint" => Entry::Hint,
            "undo" => Entry::Undo,
            "moves" => Entry::Moves,
            "state" => Entry::State,
            "help" | "?" => Entry::Help,
            "quit" | "exit" => Entry::Quit,
            text => text.parse().map_or(Entry::Text(text), Entry::Number),
        }
    }
}

/// No more bytes of a line are looked at together.
const LONGEST: u64 = 1 << 16;

/// A line of input; bytes that are no text are replaced. `None` at the end.
pub(super) fn read_line() -> Result<Option<String>, Failure> {
    let mut line = Vec::new();
    let read = io::stdin()
        .lock()
        .take(LONGEST)
        .read_until(b'\n', &mut line);
    match read {
        Ok(0) => Ok(None),
        Ok(_) => Ok(Some(String::from_utf8_lossy(&line).into_owned())),
        Err(error) => Err(Failure::Work(format!("cannot read the input: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_told_apart() {
        for (line, entry) in [
            (" \t\n", Entry::Nothing),
            (" 12\r\n", Entry::Number(12)),
            ("undo\n", Entry::Undo),
            ("(undo)\n", Entry::Text("(undo)")),
            ("mark 1 1", Entry::Text("mark 1 1")),
            ("-1", Entry::Text("-1")),
            ("99999999999999999999", Entry::Text("99999999999999999999")),
        ] {
            assert_eq!(Entry::of(line), entry, "{line:?}");
        }
    }
}
