//! Standings: the scores of players over many matches.
//!
//! A goal that the rules leave undefined is less than any other, so that each match that is over has a
//! result for all its players.

use serde::Serialize;

use super::record::{MatchEnd, MatchRecord, PlayerErrorKind};
use crate::support::statistics::{Moments, wilson};

/// The score of one player.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Standing {
    /// The player's name.
    pub player: String,
    /// Matches that ended in a terminal state.
    pub matches: u64,
    /// Matches in which no other player had as good a goal. Alone: in which the goal was 100.
    pub wins: u64,
    /// Matches in which no other player had a better goal, but some had as good a one. Alone: in
    /// which the goal was neither 100 nor 0.
    pub draws: u64,
    /// The other matches.
    pub losses: u64,
    /// Wins and half the draws, as a part of the matches, from 0 to 1.
    pub score: Option<f64>,
    /// An interval around the score: see [`wilson`].
    pub interval: Option<(f64, f64)>,
    /// The mean of its goals, where they are defined.
    pub mean_goal: Option<f64>,
    /// Those of the matches in which its goal is undefined.
    pub undefined: u64,
    /// How often it did not answer in time.
    pub timeouts: u64,
    /// How often it played an illegal move.
    pub illegal: u64,
    /// How often it could not be reached or failed.
    pub failures: u64,
}

/// The standings of `players`, in their order, after matches, each with the number of the player of
/// each role; none where the referee played.
pub fn standings(
    players: &[String],
    matches: &[(&MatchRecord, &[Option<usize>])],
) -> Vec<Standing> {
    let numbered = players.iter().enumerate();
    numbered
        .map(|(number, player)| standing(number, player, matches))
        .collect()
}

fn standing(number: usize, player: &str, matches: &[(&MatchRecord, &[Option<usize>])]) -> Standing {
    let mut goals = Moments::<i128>::default();
    let mut standing = Standing {
        player: player.to_string(),
        matches: 0,
        wins: 0,
        draws: 0,
        losses: 0,
        score: None,
        interval: None,
        mean_goal: None,
        undefined: 0,
        timeouts: 0,
        illegal: 0,
        failures: 0,
    };
    for (record, seats) in matches {
        let Some(role) = seats.iter().position(|&seat| seat == Some(number)) else {
            continue;
        };
        let own = record.errors.iter();
        for error in own.filter(|error| record.roles.get(role) == Some(&error.role)) {
            match error.kind {
                PlayerErrorKind::Timeout => standing.timeouts += 1,
                PlayerErrorKind::Illegal => standing.illegal += 1,
                PlayerErrorKind::Connection | PlayerErrorKind::Failure => standing.failures += 1,
            }
        }
        if record.end != MatchEnd::Terminal {
            continue;
        }
        standing.matches += 1;
        let goal = record.goals.get(role).copied().flatten();
        match goal {
            Some(goal) => goals.add(i64::from(goal), 1),
            None => standing.undefined += 1,
        }
        let others = seats.iter().zip(&record.goals).enumerate();
        // The referee does not compete.
        let best = others
            .filter(|&(other, (seat, _))| other != role && seat.is_some())
            .map(|(_, (_, goal))| *goal)
            .max();
        // No goal is less than any.
        let (win, loss) = match best {
            Some(best) => (goal > best, goal < best),
            None => (goal >= Some(100), goal <= Some(0)),
        };
        match (win, loss) {
            (true, _) => standing.wins += 1,
            (_, true) => standing.losses += 1,
            _ => standing.draws += 1,
        }
    }
    standing.mean_goal = goals.mean();
    if standing.matches > 0 {
        let points = standing.wins as f64 + standing.draws as f64 / 2.0;
        let score = points / standing.matches as f64;
        standing.score = Some(score);
        standing.interval = Some(wilson(score, standing.matches as f64));
    }
    standing
}

#[cfg(test)]
mod tests {
    use super::super::record::ErrorRecord;
    use super::*;

    fn record(goals: &[Option<i32>]) -> MatchRecord {
        MatchRecord {
            id: String::new(),
            roles: ["x", "o", "random"][..goals.len()]
                .iter()
                .map(|r| r.to_string())
                .collect(),
            players: Vec::new(),
            failure: None,
            seeds: Vec::new(),
            referee_seed: 0,
            start_clock: 1.0,
            play_clock: 1.0,
            start_seconds: Vec::new(),
            opening: 0,
            steps: Vec::new(),
            errors: Vec::new(),
            end: MatchEnd::Terminal,
            goals: goals.to_vec(),
            stop_seconds: Vec::new(),
        }
    }

    fn players() -> Vec<String> {
        vec!["first".to_string(), "second".to_string()]
    }

    fn matches<'a>(
        records: &'a [MatchRecord],
        seats: &'a [Vec<Option<usize>>],
    ) -> Vec<(&'a MatchRecord, &'a [Option<usize>])> {
        records
            .iter()
            .zip(seats.iter().map(Vec::as_slice))
            .collect()
    }

    #[test]
    fn wins_follow_the_player_and_not_the_role() {
        let mut stopped = record(&[Some(1), Some(2), None]);
        stopped.end = MatchEnd::Truncated;
        stopped.errors.push(ErrorRecord {
            step: Some(0),
            role: "o".to_string(),
            kind: PlayerErrorKind::Timeout,
            text: String::new(),
        });
        let records = [
            record(&[Some(100), Some(0), Some(100)]),
            record(&[Some(50), Some(50), Some(0)]),
            record(&[Some(40), Some(60), None]),
            record(&[None, Some(-5), None]),
            record(&[None, None, Some(100)]),
            stopped,
        ];
        let straight = vec![Some(0), Some(1), None];
        let swapped = vec![Some(1), Some(0), None];
        let seats = [
            straight.clone(),
            swapped.clone(),
            straight.clone(),
            swapped.clone(),
            swapped,
            straight,
        ];
        let all = standings(&players(), &matches(&records, &seats));
        let of = |s: &Standing| {
            (
                s.matches,
                s.wins,
                s.draws,
                s.losses,
                s.undefined,
                s.timeouts,
            )
        };
        assert_eq!(of(&all[0]), (5, 2, 2, 1, 1, 0));
        assert_eq!(of(&all[1]), (5, 1, 2, 2, 2, 1));
        assert_eq!([all[0].score, all[1].score], [Some(0.6), Some(0.4)]);
        // Of 100, 50, 40 and -5; of 0, 50 and 60.
        assert_eq!(all[0].mean_goal, Some(46.25));
        assert_eq!(all[1].mean_goal, Some(110.0 / 3.0));
    }

    #[test]
    fn alone_the_goal_counts() {
        let records = [Some(100), Some(0), Some(70), None].map(|goal| record(&[goal]));
        let seats = vec![vec![Some(0)]; 4];
        let all = standings(&players()[..1], &matches(&records, &seats));
        assert_eq!((all[0].wins, all[0].draws, all[0].losses), (1, 1, 2));
    }
}
