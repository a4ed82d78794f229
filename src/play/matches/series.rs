//! Series: many matches of one game between the same players.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use propjit_stop::Stop;

use super::fixture::{Fixture, Seating, player_roles, seating, wait_until_free};
use super::opening::Opening;
use super::player::PlayerFactory;
use super::record::{MatchEnd, MatchRecord};
use super::referee::{MatchConfig, MatchPosition};
use super::rulesheet::Rulesheet;
use super::series_error::SeriesError;
use super::standings::{Standing, standings};
use crate::game::machine::RoleId;
use crate::support::rng::streams;
use crate::support::setters::setters;

/// The matches to be played.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Series {
    /// The players, in the order of roles in the first match.
    pub players: Vec<PlayerFactory>,
    /// How many matches.
    pub matches: u64,
    /// Whether players change their roles from match to match.
    pub swap: bool,
    /// The number of the only match to play, from 0; none for all of them.
    pub only: Option<u64>,
    /// The name of the matches, to which their numbers are added; a KIF name.
    pub name: String,
    /// The [seed](crate::support::rng) of the random moves.
    pub seed: u64,
    /// Clocks and limits.
    pub config: MatchConfig,
}

/// The records and standings of a series.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SeriesResults {
    /// The score of each player.
    pub standings: Vec<Standing>,
    /// The matches, in order; the last one may be interrupted or given up.
    pub records: Vec<MatchRecord>,
    /// Whether it was stopped before the last match was over.
    pub interrupted: bool,
    /// The reason if it could not go on because of a player.
    pub failure: Option<String>,
}

impl Series {
    setters! {
        with_matches(matches: u64);
        with_swap(swap: bool);
        with_only(only: Option<u64>);
        with_name(name: String);
        with_seed(seed: u64);
    }

    /// One match between these players, called `match`, with the seed 0.
    pub fn new(players: Vec<PlayerFactory>, config: MatchConfig) -> Series {
        Series {
            players,
            matches: 1,
            swap: false,
            only: None,
            name: "match".to_string(),
            seed: 0,
            config,
        }
    }

    /// Returns the roles for players: all but that of chance, which the referee plays.
    ///
    /// # Errors
    /// [`SeriesError::Players`] if there is not one player for each.
    pub fn roles(&self, rulesheet: &Rulesheet) -> Result<Vec<RoleId>, SeriesError> {
        let names = rulesheet.roles();
        let roles = player_roles(rulesheet);
        match roles.len() == self.players.len() {
            true => Ok(roles),
            false => Err(SeriesError::Players {
                roles: roles
                    .iter()
                    .map(|role| names[role.index()].clone())
                    .collect(),
                given: self.players.len(),
            }),
        }
    }

    /// For each role of the game, the player of it in the match of this number, from 0.
    fn seating(&self, rulesheet: &Rulesheet, roles: &[RoleId], number: u64) -> Seating {
        let players: Vec<usize> = (0..roles.len()).collect();
        let number = if self.swap { number } else { 0 };
        seating(rulesheet.roles().len(), roles, &players, number)
    }

    /// Plays all matches: [`play_rest`](Series::play_rest) of a series that has just begun.
    ///
    /// # Errors
    /// When the number of players is wrong, or the game cannot be evaluated.
    pub fn play(
        &self,
        rulesheet: &Arc<Rulesheet>,
        stop: &Stop,
        progress: &dyn Fn(u64, &MatchPosition<'_>),
    ) -> Result<SeriesResults, SeriesError> {
        self.play_rest(rulesheet, BTreeMap::new(), stop, progress, &mut |_, _| {})
    }

    /// Plays the matches that are not `played` yet, or those before `stop` is set or a player fails
    /// that must not. `progress` is called with the number of the match, from 0, and each position,
    /// and `ended` with the number and the record of a match when it has ended.
    ///
    /// A match depends on its number and the series' seed, not on the matches before it. The game
    /// is grounded before the first match, for the referee and all players of this process.
    ///
    /// # Errors
    /// When the number of players is wrong, or the game cannot be evaluated.
    pub fn play_rest(
        &self,
        rulesheet: &Arc<Rulesheet>,
        mut played: BTreeMap<u64, MatchRecord>,
        stop: &Stop,
        progress: &dyn Fn(u64, &MatchPosition<'_>),
        ended: &mut dyn FnMut(u64, &MatchRecord),
    ) -> Result<SeriesResults, SeriesError> {
        let roles = self.roles(rulesheet)?;
        rulesheet.game()?;
        let mut records = Vec::new();
        let mut seating = Vec::new();
        let mut failure = None;
        for (number, rng) in (0..self.matches).zip(streams(self.seed)) {
            let is_over = stop.is_set() || failure.is_some();
            if is_over && played.is_empty() {
                break;
            }
            if self.only.is_some_and(|only| only != number) {
                continue;
            }
            let seated = self.seating(rulesheet, &roles, number);
            if let Some(record) = played.remove(&number) {
                records.push(record);
                seating.push(seated);
                continue;
            }
            if is_over {
                continue;
            }
            failure = wait_until_free(&self.players, &self.config, stop);
            if stop.is_set() || failure.is_some() {
                continue;
            }
            let fixture = Fixture {
                number,
                name: &self.name,
                rulesheet,
                players: &self.players,
                seating: &seated,
                opening: Opening::default(),
                config: &self.config,
            };
            let record = fixture.play(rng, stop, &|at| progress(number, at))?;
            ended(number, &record);
            if record.end == MatchEnd::Abandoned {
                failure = record.failure.clone();
            }
            records.push(record);
            seating.push(seated);
        }
        let players: Vec<String> = self.players.iter().map(PlayerFactory::to_string).collect();
        let seats = seating.iter().map(Vec::as_slice);
        let matches: Vec<_> = records.iter().zip(seats).collect();
        Ok(SeriesResults {
            standings: standings(&players, &matches),
            records,
            interrupted: stop.is_set(),
            failure,
        })
    }
}
