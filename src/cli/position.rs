//! The position in a match from which a command starts, and the options for it.

use std::path::{Path, PathBuf};

use propjit::game::load::Game;
use propjit::game::position::History;
use propjit::play::matches::{Script, ScriptError};
use propjit::support::error_text::with_causes;

use super::options::in_range;
use super::output::Failure;

/// The moves so far.
#[derive(clap::Args)]
pub(super) struct PositionArgs {
    /// File with the joint moves so far, one per line, as `(mark 1 1) | noop` or `((mark 1 1) noop)`, or with
    /// match records written by `propjit match --output`; `-` for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "moves")]
    history: Option<PathBuf>,

    /// Number of the match record to read
    #[arg(long = "match", value_name = "N", value_parser = |text: &str| in_range(text, 0, u64::MAX))]
    number: Option<u64>,

    /// Number of joint moves of the history to play [default: all]
    #[arg(long, value_name = "N", conflicts_with = "moves", value_parser = |text: &str| in_range(text, 0, usize::MAX))]
    first: Option<usize>,

    /// Joint moves so far, separated by semicolons
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
}

impl PositionArgs {
    /// Plays the moves so far.
    pub(super) fn position(&self, game: &Game) -> Result<History, Failure> {
        if self.number.is_some() && self.history.is_none() {
            let why = "--match selects a match in a file of records: see --history";
            return Err(Failure::Usage(why.to_string()));
        }
        if self.first.is_some() && self.history.is_none() {
            let why = "--first limits the joint moves of a history: see --history";
            return Err(Failure::Usage(why.to_string()));
        }
        if self.is_standard_input() && game.rules().source.name() == "-" {
            let why = "the rulesheet and the history cannot both be standard input";
            return Err(Failure::Usage(why.to_string()));
        }
        let (file, moves) = (self.history.as_deref(), self.moves.as_deref());
        play_moves(game, file, self.number, self.first, moves)
    }

    /// Returns the number of the match in a file of records, if one was requested.
    pub(super) fn number(&self) -> Option<u64> {
        self.number
    }

    /// Takes the moves from this file.
    pub(super) fn follow(&mut self, history: PathBuf) -> Result<(), Failure> {
        if self.history.is_some() || self.moves.is_some() {
            let why = "the file of records has the moves: no others can be given";
            return Err(Failure::Usage(why.to_string()));
        }
        self.history = Some(history);
        Ok(())
    }

    /// Returns whether standard input is read for the moves.
    pub(super) fn is_standard_input(&self) -> bool {
        self.history.as_deref() == Some(Path::new("-"))
    }
}

/// Plays the joint moves in a file of moves or of records, where `number` is that of a match, and only
/// the `first` of them if that is given; or else those in the text `moves`, or else none.
pub(super) fn play_moves(
    game: &Game,
    file: Option<&Path>,
    number: Option<u64>,
    first: Option<usize>,
    moves: Option<&str>,
) -> Result<History, Failure> {
    let mut history = History::new(game.follow()?);
    let script = match (file, moves) {
        (Some(path), _) => {
            let script = Script::read(path, number)?;
            Some(match first {
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

impl From<ScriptError> for Failure {
    fn from(error: ScriptError) -> Failure {
        Failure::Work(with_causes(&error))
    }
}
