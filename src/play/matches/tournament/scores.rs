//! The results of a tournament's matches: standings, ratings, and the state of the test.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{RoundMatch, Tournament};
use crate::play::matches::fixture::Seating;
use crate::play::matches::player::PlayerFactory;
use crate::play::matches::rating::{Meeting, Rating, meetings, ratings};
use crate::play::matches::record::{MatchEnd, MatchRecord};
use crate::play::matches::sprt::{PairScores, SprtStatus};
use crate::play::matches::standings::{Standing, standings};

/// The state of a tournament.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct TournamentTable {
    /// The number of matches that were played.
    pub matches: u64,
    /// The score of each player.
    pub standings: Vec<Standing>,
    /// The rating of each player; none if some have not met others yet, or play alone.
    pub ratings: Option<Vec<Rating>>,
    /// The scores of each player in each game.
    pub games: BTreeMap<String, Vec<Standing>>,
    /// The state of the test.
    pub sprt: Option<SprtStatus>,
}

/// The records so far, and the scores computed from them.
pub(super) struct Scores<'a> {
    tournament: &'a Tournament,
    round: &'a [RoundMatch],
    pub(super) records: BTreeMap<u64, MatchRecord>,
    /// The scores of the first player in pairs of matches, up to the first pair that is not over.
    pairs: PairScores,
    /// The number of the first match of the first pair that is not over.
    next_pair: u64,
}

impl<'a> Scores<'a> {
    /// Computes the scores of these records.
    pub(super) fn new(
        tournament: &'a Tournament,
        round: &'a [RoundMatch],
        records: BTreeMap<u64, MatchRecord>,
    ) -> Scores<'a> {
        Scores {
            tournament,
            round,
            records,
            pairs: PairScores::default(),
            next_pair: 0,
        }
    }

    fn of_round(&self, number: u64) -> &RoundMatch {
        &self.round[(number % self.round.len() as u64) as usize]
    }

    /// Returns the player of each role in the match of this number.
    fn seating(&self, number: u64) -> Seating {
        let round = number / self.round.len() as u64;
        self.of_round(number).seating(round)
    }

    /// Adds the pairs that are over.
    pub(super) fn count_pairs(&mut self) {
        // Matches after the decision are irrelevant to it.
        if self.tournament.sprt.is_none() || self.is_decided() {
            return;
        }
        let whole = |record: &&MatchRecord| !record.end.is_premature();
        while let (Some(one), Some(other)) = (
            self.records.get(&self.next_pair).filter(whole),
            self.records.get(&(self.next_pair + 1)).filter(whole),
        ) {
            let points = |number, record| self.points(number, record);
            let scores = [
                points(self.next_pair, one),
                points(self.next_pair + 1, other),
            ];
            // A pair without a result is ignored.
            if let [Some(one), Some(other)] = scores {
                self.pairs[one + other] += 1;
            }
            self.next_pair += 2;
            if self.is_decided() {
                return;
            }
        }
    }

    /// Returns twice the score of the first of two players.
    fn points(&self, number: u64, record: &MatchRecord) -> Option<usize> {
        let meetings = self.meetings(number, record);
        let meeting = meetings.first()?;
        let own = match meeting.first {
            0 => meeting.score,
            _ => 1.0 - meeting.score,
        };
        Some((2.0 * own) as usize)
    }

    /// Returns the scores of each two players of a match against each other; none unless it is
    /// over.
    fn meetings(&self, number: u64, record: &MatchRecord) -> Vec<Meeting> {
        if record.end != MatchEnd::Terminal {
            return Vec::new();
        }
        let seated = self.seating(number).into_iter().zip(&record.goals);
        // No goal is less than any.
        let goals = seated.filter_map(|(player, goal)| Some((player?, *goal)));
        meetings(&goals.collect::<Vec<_>>())
    }

    fn sprt(&self) -> Option<SprtStatus> {
        let sprt = self.tournament.sprt.as_ref()?;
        Some(sprt.status(&self.pairs))
    }

    pub(super) fn is_decided(&self) -> bool {
        self.sprt().is_some_and(|status| status.accepted.is_some())
    }

    pub(super) fn table(&self) -> TournamentTable {
        let players = &self.tournament.players;
        let names: Vec<String> = players.iter().map(PlayerFactory::to_string).collect();
        let of = |wanted: Option<usize>| {
            let is_of = |number: u64| wanted.is_none_or(|game| self.of_round(number).game == game);
            let found = self.records.iter().filter(|(number, _)| is_of(**number));
            let found: Vec<(&MatchRecord, Seating)> = found
                .map(|(&number, record)| (record, self.seating(number)))
                .collect();
            let seated = found
                .iter()
                .map(|(record, seating)| (*record, &seating[..]));
            standings(&names, &seated.collect::<Vec<_>>())
        };
        let games = self.tournament.games.iter().enumerate();
        let meetings = self.records.iter();
        let meetings: Vec<Meeting> = meetings
            .flat_map(|(number, record)| self.meetings(*number, record))
            .collect();
        TournamentTable {
            matches: self.records.len() as u64,
            standings: of(None),
            ratings: ratings(players.len(), &meetings),
            games: games
                .map(|(number, game)| (game.name.clone(), of(Some(number))))
                .collect(),
            sprt: self.sprt(),
        }
    }
}
