//! The input of a person.

use std::fmt::Display;
use std::io::{self, BufRead, IsTerminal, Read};

use propjit::play::matches::excerpt;
use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{CompletionType, Config, Editor};

use super::completion::Completions;
use crate::cli::output::{Failure, Output};

/// The commands that can be entered instead of a move.
pub(super) const COMMANDS: [&str; 6] = ["hint", "undo", "moves", "state", "help", "quit"];

/// The possible entries.
pub(super) const HELP: &str = "\
  3 or (mark 1 1)   play that move, by its number or as text
  1 1               list the moves that begin at that place
  hint              the three best moves by the search
  undo              take your last move back
  moves             list all your moves
  state             show the state again
  quit              quit; end of input also quits
On a terminal, Tab completes moves, places and these words, and lists the choices.
Enter a move that looks like one of these words or a number in parentheses: (quit).
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
    /// Interprets a line.
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

/// The source of a person's lines.
pub(super) enum Input {
    /// Standard input, as it comes.
    Plain,
    /// A terminal, where a line can be edited and completed.
    Terminal(Box<Editor<Completions, MemHistory>>),
}

impl Input {
    /// Makes the terminal the input, if input comes from one and results go there; else standard
    /// input.
    pub(super) fn new() -> Result<Input, Failure> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Ok(Input::Plain);
        }
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .auto_add_history(true)
            .build();
        let history = MemHistory::with_config(&config);
        let editor = Editor::with_history(config, history);
        Ok(Input::Terminal(Box::new(editor.map_err(unreadable)?)))
    }

    /// Asks for a line, which may be completed to one of `entries`. `None` at the end of the input.
    pub(super) fn read(
        &mut self,
        prompt: &str,
        entries: Vec<String>,
        output: &mut Output,
    ) -> Result<Option<String>, Failure> {
        match self {
            Input::Plain => {
                output.print(prompt)?;
                let line = read_line()?;
                // Input from a terminal is visible there; other input is echoed.
                let seen = line.as_ref().map(|line| excerpt(line.trim()));
                output.print(&format!("{}\n", seen.unwrap_or_default()))?;
                Ok(line)
            }
            Input::Terminal(editor) => {
                editor.set_helper(Some(Completions::new(entries)));
                match editor.readline(prompt) {
                    Ok(line) => Ok(Some(line)),
                    Err(ReadlineError::Eof | ReadlineError::Interrupted) => Ok(None),
                    Err(error) => Err(unreadable(error)),
                }
            }
        }
    }
}

fn unreadable(error: impl Display) -> Failure {
    Failure::Work(format!("cannot read the input: {error}"))
}

/// The most bytes of a line that are read together.
const LONGEST: u64 = 1 << 16;

/// A line of input; bytes that are no text are replaced. `None` at the end.
fn read_line() -> Result<Option<String>, Failure> {
    let mut line = Vec::new();
    let read = io::stdin()
        .lock()
        .take(LONGEST)
        .read_until(b'\n', &mut line);
    match read {
        Ok(0) => Ok(None),
        Ok(_) => Ok(Some(String::from_utf8_lossy(&line).into_owned())),
        Err(error) => Err(unreadable(error)),
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
