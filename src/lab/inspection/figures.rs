//! Figures of a game for its designer.

use serde::Serialize;

use super::probes::DeadRule;

/// A part of a whole, with a 95% confidence interval: see [`wilson`](crate::wilson). The intervals
/// for states take into account that the states of a match are alike.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Share {
    /// The number of cases.
    pub count: f64,
    /// The number of all cases.
    pub of: u64,
    /// The part, from 0 to 1.
    pub share: f64,
    /// The interval.
    pub interval: (f64, f64),
}

/// The lengths of matches, in joint moves.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Lengths {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// The shortest.
    pub least: usize,
    /// A quarter of the matches are not longer.
    pub lower_quartile: usize,
    /// Half of the matches are not longer.
    pub median: usize,
    /// Three quarters of the matches are not longer.
    pub upper_quartile: usize,
    /// The longest.
    pub greatest: usize,
    /// For each length its number of matches, ascending.
    pub counts: Vec<(usize, u64)>,
}

/// The moves after some number of joint moves.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Depth {
    /// The number of joint moves before.
    pub depth: usize,
    /// The number of matches that came so far, and went on.
    pub matches: u64,
    /// The mean number of legal joint moves.
    pub branching: f64,
}

/// The figures of random matches for a role.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RoleFigures {
    /// Its name.
    pub role: String,
    /// The states in which it has more than one move, of all states in which moves are made.
    pub choices: Option<Share>,
    /// The mean number of moves where it has more than one.
    pub branching: Option<f64>,
    /// The mean number of percepts of a joint move; none in games without `sees` rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percepts: Option<f64>,
    /// The matches with a goal in which no other role had as good a one. In games of one role: in
    /// which the goal was 100.
    pub wins: u64,
    /// The matches in which no other role had a better goal, but some had as good a one. In games
    /// of one role: in which the goal was neither 100 nor 0.
    pub draws: u64,
    /// The other matches with a goal.
    pub losses: u64,
    /// Wins and half the draws, of all matches with a goal.
    pub score: Option<Share>,
    /// The mean goal.
    pub mean_goal: Option<f64>,
    /// For each goal its number of matches, ascending.
    pub goals: Vec<(i32, u64)>,
    /// Terminal states in which it did not have exactly one goal.
    pub undefined: u64,
}

/// The advantage of moving first, in games of two roles.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FirstPlayer {
    /// The role that has a choice before the other has, in all matches.
    pub role: String,
    /// Its score less the other's, from -1 to 1.
    pub advantage: f64,
    /// A 95% confidence interval around it.
    pub interval: (f64, f64),
}

/// The figures of a game, from random matches.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Figures {
    /// The seed.
    pub seed: u64,
    /// The number of matches that were played.
    pub matches: u64,
    /// The number of states in them in which moves were made.
    pub states: u64,
    /// Matches that were cut off at the limit of joint moves.
    pub truncated: u64,
    /// Matches that ended where a role had no legal move.
    pub stuck: u64,
    /// The lengths of matches.
    pub lengths: Lengths,
    /// The mean number of legal joint moves.
    pub branching: f64,
    /// The same by depth.
    pub by_depth: Vec<Depth>,
    /// The figures for each role.
    pub roles: Vec<RoleFigures>,
    /// The advantage of moving first; none if it is not the same role that does in all matches.
    pub first_player: Option<FirstPlayer>,
    /// The matches in which some role had a better goal than all others, of all with goals; in
    /// games of several roles.
    pub decided: Option<Share>,
    /// The states in which the only role with a choice can end the match at once with its greatest
    /// goal, of those states that were examined.
    pub decisive_moves: Option<Share>,
    /// The rules that did not apply in any match; none if that could not be determined.
    pub dead_rules: Option<Vec<DeadRule>>,
    /// The reason why it could not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dead_rules_unknown: Option<String>,
}
