//! Matches: their state and history, their players, the referee, series and tournaments.
//!
//! - [`Position`](crate::game::position::Position) follows a match, as most players and all referees need;
//!   [`History`](crate::game::position::History) can also go back, and follows a [`Script`] of joint moves.
//! - [`Player`] is the interface of players in a match; a [`PlayerFactory`] makes one for each match. The players
//!   themselves are in [`player`](crate::play::players) and [`protocol`](crate::play::ggp).
//! - [`Observed`] is what a player observes of a joint move: all moves, or its own one and its percepts.
//! - [`HiddenRoles`] are roles of a game that hides information, each with what it believes.
//! - [`Rulesheet`] is a game that several players share, prepared when it is first needed.
//! - A [`SharedPosition`] is a position of a match that the referee shares with the players in its process.
//! - [`play_match`] is the referee; a [`MatchRecord`] is the record of a match. A [`RecordFile`] keeps those of a
//!   series as they end.
//! - [`Series`] plays many matches, and computes the [`Standing`]s of the players.
//! - A [`Tournament`] has several players, games and [`Openings`], [`ratings`], and a [test](Sprt) that may end it.

mod fixture;
pub(crate) mod follower;
pub(crate) mod hidden_choice;
mod hidden_roles;
mod observed;
mod opening;
mod player;
mod player_error;
pub(crate) mod printable;
mod rating;
mod record;
mod record_file;
mod record_lines;
mod referee;
mod rulesheet;
mod script;
mod script_error;
mod series;
mod series_error;
mod shared_position;
mod sprt;
mod standings;
mod tournament;
pub(crate) mod worker;

pub use hidden_roles::HiddenRoles;
pub use observed::Observed;
pub use opening::{GameOpenings, Opening, OpeningError, OpeningFile, Openings};
pub use player::{Choice, Ending, Player, PlayerFactory, Seat};
pub use player_error::PlayerError;
pub use printable::excerpt;
pub use rating::{Meeting, Rating, meetings, ratings};
pub use record::{ErrorRecord, MatchEnd, MatchRecord, MoveRecord, PlayerErrorKind};
pub use record_file::RecordFile;
pub use record_lines::{
    RecordFileError, RecordLine, SeriesHead, SeriesOptions, TournamentOptions, parse_records,
    read_records,
};
pub use referee::{MatchConfig, MatchPosition, play_match};
pub use rulesheet::Rulesheet;
pub use script::Script;
pub use script_error::{ScriptError, ScriptPlace};
pub use series::{Series, SeriesResults};
pub use series_error::SeriesError;
pub use shared_position::SharedPosition;
pub use sprt::{Accepted, NoTest, PairScores, Sprt, SprtStatus, expected_score};
pub use standings::{Standing, standings};
pub use tournament::{
    CoresError, Pairing, Tournament, TournamentError, TournamentGame, TournamentProgress,
    TournamentResults, TournamentTable, UnknownPairing,
};
