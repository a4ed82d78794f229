//! The record of a match, as data and as JSON.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::printable::{excerpt, printable};

/// A match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchRecord {
    /// The match's name.
    pub id: String,
    /// The roles in rulesheet order.
    pub roles: Vec<String>,
    /// For each role its player; null where the referee played at random.
    pub players: Vec<Option<String>>,
    /// For each role the seed of its player; null where the referee played at random.
    pub seeds: Vec<Option<u64>>,
    /// The seed of the referee's random moves: those of the role `random`, and those in place of others.
    #[serde(default)]
    pub referee_seed: u64,
    /// Time to prepare, in seconds.
    pub start_clock: f64,
    /// Time for each move, in seconds.
    pub play_clock: f64,
    /// For each role how long its player took to prepare, in seconds; null where it was not
    /// prepared in time.
    pub start_seconds: Vec<Option<f64>>,
    /// How many of the steps are the opening, which the players did not choose.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub opening: usize,
    /// For each step the moves in role order.
    pub steps: Vec<Vec<MoveRecord>>,
    /// The errors of players.
    pub errors: Vec<ErrorRecord>,
    /// How the match ended.
    pub end: MatchEnd,
    /// Why the match could not go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// For each role its goal; null where it is undefined. Empty unless the match ended
    /// in a terminal state.
    pub goals: Vec<Option<i32>>,
    /// For each role how long its player took to acknowledge the end, in seconds; null if it did
    /// not in time.
    pub stop_seconds: Vec<Option<f64>>,
}

/// A move that was played.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MoveRecord {
    /// The move in KIF.
    #[serde(rename = "move")]
    pub text: String,
    /// How long the player took, in seconds; null for random moves of the referee.
    pub seconds: Option<f64>,
    /// Statistics that the player gave with its choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistics: Option<Value>,
    /// What the role perceived of the joint move by `sees` rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub percepts: Vec<String>,
}

/// An error of a player.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ErrorRecord {
    /// In which step, from 0; null for the preparation.
    pub step: Option<usize>,
    /// In which role.
    pub role: String,
    /// The kind of the error.
    pub kind: PlayerErrorKind,
    /// The illegal move, or a message.
    pub text: String,
}

/// Kinds of errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlayerErrorKind {
    /// No answer in time.
    Timeout,
    /// No connection, or a broken one.
    Connection,
    /// An answer that is no legal move, or violates the protocol.
    Illegal,
    /// The player failed or crashed, or its reply is no answer at all.
    Failure,
}

impl PlayerErrorKind {
    /// Describes the error in printable form: `text` is the illegal move or answer, or a message.
    /// Moves are illegal in play only.
    pub fn describe(self, text: &str, in_play: bool) -> String {
        match (self, in_play) {
            (PlayerErrorKind::Illegal, true) => format!("`{}` is not legal", excerpt(text)),
            (PlayerErrorKind::Illegal, false) => format!("the answer is `{}`", excerpt(text)),
            _ => printable(text),
        }
    }
}

/// How a match ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MatchEnd {
    /// In a terminal state.
    Terminal,
    /// At the limit of steps.
    Truncated,
    /// In a state where a role has no legal move.
    Stuck,
    /// It was stopped.
    Interrupted,
    /// The game could not be evaluated further.
    Failed,
    /// A player failed too often.
    Abandoned,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl MatchEnd {
    /// Returns whether the match was cut short for a reason that has nothing to do with the game,
    /// so that it should be played again.
    pub fn is_premature(self) -> bool {
        matches!(self, MatchEnd::Interrupted | MatchEnd::Abandoned)
    }
}

impl MoveRecord {
    /// A random move of the referee, or one of an opening.
    pub(super) fn new(text: String) -> MoveRecord {
        MoveRecord {
            text,
            seconds: None,
            statistics: None,
            percepts: Vec::new(),
        }
    }
}

impl MatchRecord {
    /// The last joint move, if there was one.
    pub fn last_moves(&self) -> Option<Vec<String>> {
        let last = self.steps.last()?;
        Some(last.iter().map(|played| played.text.clone()).collect())
    }
}
