//! Matches: their state and history, their players, the referee, and series of them.
//!
//! - [`Board`] follows a match, as most players and all referees need; [`History`] also knows
//!   the way back, and follows a [`Script`] of joint moves.
//! - [`Player`] is what a match knows of a player; a [`PlayerFactory`] makes one for each
//!   match. The players themselves are in [`player`](crate::player) and
//!   [`protocol`](crate::protocol).
//! - [`Rulesheet`] is a game that several players share, prepared when it is first needed.
//! - [`play_match`] is the referee; a [`MatchRecord`] is what is kept of a match.
//!   A [`RecordFile`] keeps those of a series as they end.
//! - [`Series`] plays many matches, and gives the [`Standing`]s of the players.

mod board;
mod history;
mod player;
mod record;
mod record_file;
mod referee;
mod rulesheet;
mod script;
mod script_error;
mod series;
mod standings;
pub(crate) mod worker;

pub use board::{Board, find_text};
pub use history::History;
pub use player::{Choice, Ending, Player, PlayerError, PlayerFactory, Seat};
pub use record::{ErrorRecord, MatchEnd, MatchRecord, MoveRecord, PlayerErrorKind};
pub use record_file::{
    RecordFile, RecordFileError, RecordLine, SeriesHead, SeriesOptions, parse_records, read_records,
};
pub use referee::{MatchConfig, play_match};
pub use rulesheet::Rulesheet;
pub use script::Script;
pub use script_error::{ScriptError, ScriptPlace};
pub use series::{Series, SeriesError, SeriesResults};
pub use standings::{Standing, standings, wilson};
