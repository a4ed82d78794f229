//! The position in a match from which a command begins, and the options for it.

use std::path::{Path, PathBuf};

use propjit::error_text::with_causes;
use propjit::game::Game;
use propjit::matches::{History, Script, ScriptError};

use super::output::Failure;

/// The moves so far.
#[derive(clap::Args)]
pub(super) struct PositionArgs {
    /// The file with the joint moves so far, one a line: `(mark 1 1) | noop` or
    /// `((mark 1 1) noop)`; or a file of records, as `propjit match --output` writes them; `-` is
    /// standard input
    #[arg(long, value_name = "FILE", conflicts_with = "moves")]
    history: Option<PathBuf>,

    /// The number of the match in a file of records
    #[arg(long = "match", value_name = "N")]
    number: Option<u64>,

    /// Only the first joint moves of the history
    #[arg(long, value_name = "N", requires = "history")]
    first: Option<usize>,

    /// The joint moves so far, separated by semicolons
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
}

impl PositionArgs {
    /// Plays the moves so far.
    pub(super) fn position(&self, game: &Game) -> Result<History, Failure> {
        if self.number.is_some() && self.history.is_none() {
            let why = "--match is the number of a match in a file of records: see --history";
            return Err(Failure::Usage(why.to_string()));
        }
        let mut history = History::new(game.follower()?)?;
        let script = match (&self.history, &self.moves) {
            (Some(path), _) => {
                if path == Path::new("-") && game.rules().source.name() == "-" {
                    let why = "the rulesheet and the history cannot both be standard input";
                    return Err(Failure::Usage(why.to_string()));
                }
                let script = Script::read(path, self.number)?;
                Some(match self.first {
                    Some(count) => script.first(count)?,
                    None => script,
                })
            }
            (_, Some(moves)) => Some(Script::inline(moves)),
            (None, None) => None,
        };
        script.map_or(Ok(()), |script| history.follow(&script))?;
        Ok(history)
    }

    /// The number of the match in a file of records, if one was asked for.
    pub(super) fn number(&self) -> Option<u64> {
        self.number
    }

    /// Takes the moves from this file.
    pub(super) fn follow(&mut self, history: PathBuf) -> Result<(), Failure> {
        if self.history.is_some() || self.moves.is_some() {
            let why = "there are moves in the file of records; no others can be given";
            return Err(Failure::Usage(why.to_string()));
        }
        self.history = Some(history);
        Ok(())
    }

    /// Whether standard input is read for the moves.
    pub(super) fn is_standard_input(&self) -> bool {
        self.history.as_deref() == Some(Path::new("-"))
    }
}

impl From<ScriptError> for Failure {
    fn from(error: ScriptError) -> Failure {
        Failure::Work(with_causes(&error))
    }
}
