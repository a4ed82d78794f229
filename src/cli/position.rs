//! The position in a match from which a command begins, and the options for it.

use std::path::PathBuf;

use propjit::game::Game;
use propjit::matches::{History, Script, ScriptError};

use super::output::{Failure, describe};

/// The moves so far.
#[derive(clap::Args)]
pub(super) struct PositionArgs {
    /// The file with the joint moves so far, one a line: `(mark 1 1) | noop` or
    /// `((mark 1 1) noop)`
    #[arg(long, value_name = "FILE", conflicts_with = "moves")]
    history: Option<PathBuf>,

    /// The joint moves so far, separated by semicolons
    #[arg(long, value_name = "MOVES")]
    moves: Option<String>,
}

impl PositionArgs {
    /// Plays the moves so far.
    pub(super) fn position(&self, game: &Game) -> Result<History, Failure> {
        let mut history = History::new(game.follower()?)?;
        let script = match (&self.history, &self.moves) {
            (Some(path), _) => Some(Script::read(path)?),
            (_, Some(moves)) => Some(Script::inline(moves)),
            (None, None) => None,
        };
        script.map_or(Ok(()), |script| history.follow(&script))?;
        Ok(history)
    }
}

impl From<ScriptError> for Failure {
    fn from(error: ScriptError) -> Failure {
        Failure::Work(describe(&error))
    }
}
