//! Tallies: counts over many playouts, and the best of them.

use super::played_moves::PlayedMoves;
use crate::game::machine::Move;
use crate::support::statistics::Moments;

/// The way in which a playout ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// In a terminal state.
    Terminal,
    /// At the limit of steps.
    Truncated,
    /// In a state that is not terminal but where a role has no legal move.
    Stuck,
}

/// The goals of one role over many playouts.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct GoalTally {
    /// Over the terminal states where exactly one value held.
    pub values: Moments,
    /// The number of terminal states in which the number of values was not exactly one.
    pub undefined: u64,
}

/// The moves of the only role of a game, from the start of a playout to a terminal state.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Line {
    /// The only goal that it has there.
    pub goal: i32,
    /// All its moves, forced ones included.
    pub moves: Vec<Move>,
}

/// The counts over many playouts.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Tally {
    /// The number of joint moves that were applied, those of unfinished playouts included.
    pub state_changes: u64,
    /// The number of joint moves of each ended playout, however it ended.
    pub lengths: Moments,
    /// The number of playouts that ended at the limit of steps.
    pub truncated: u64,
    /// The number of playouts that ended where a role had no legal move.
    pub stuck: u64,
    /// The number of playouts that were given up because a query took too long. They are not among those that ended,
    /// and are not a fair sample of all: the rest may be biased.
    pub given_up: u64,
    /// The goals of each role at terminal states.
    pub goals: Vec<GoalTally>,
    /// The first of the playouts with the greatest goal, if it is
    /// [tracked](super::PlayoutRunner::track_best_line).
    pub best: Option<Line>,
    /// The playouts that ended in a terminal state, if their moves are
    /// [tracked](super::PlayoutRunner::track_moves).
    pub played_moves: PlayedMoves,
}

impl Tally {
    /// Creates an empty tally, for a game with this number of roles.
    pub fn new(roles: usize) -> Tally {
        Tally {
            goals: vec![GoalTally::default(); roles],
            ..Tally::default()
        }
    }

    /// Clears everything, for a game with this number of roles.
    pub(super) fn reset(&mut self, roles: usize) {
        let mut goals = std::mem::take(&mut self.goals);
        goals.clear();
        goals.resize(roles, GoalTally::default());
        let mut played_moves = std::mem::take(&mut self.played_moves);
        played_moves.clear();
        *self = Tally {
            goals,
            played_moves,
            ..Tally::default()
        };
    }

    /// Returns the number of playouts that ended, however they ended.
    pub fn rollouts(&self) -> u64 {
        self.lengths.count
    }

    /// Counts a playout of `length` joint moves. Its goals are counted separately.
    pub fn end(&mut self, length: u32, ending: Ending) {
        self.lengths.add(length, 1);
        self.state_changes += u64::from(length);
        match ending {
            Ending::Terminal => {}
            Ending::Truncated => self.truncated += 1,
            Ending::Stuck => self.stuck += 1,
        }
    }

    /// Adds the counts of another tally of the same game.
    pub fn merge(&mut self, other: &Tally) {
        self.state_changes += other.state_changes;
        self.lengths.merge(&other.lengths);
        self.truncated += other.truncated;
        self.stuck += other.stuck;
        self.given_up += other.given_up;
        for (own, others) in self.goals.iter_mut().zip(&other.goals) {
            own.values.merge(&others.values);
            own.undefined += others.undefined;
        }
        if let Some(line) = &other.best
            && self.is_better(line.goal)
        {
            self.best = Some(line.clone());
        }
    }

    /// Returns whether the best line so far has a smaller goal.
    pub(super) fn is_better(&self, goal: i32) -> bool {
        self.best.as_ref().is_none_or(|best| goal > best.goal)
    }
}
