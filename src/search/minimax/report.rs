//! The report of a minimax search.

use std::time::Duration;

use super::deepening::Outcome;
use super::search::{Counts, RootMove};
use super::table::Bound;
use super::value::{self, Value, WIN, is_decided};
use crate::game::machine::{Move, RoleId};

/// The result of a minimax search for one role.
#[derive(Clone, PartialEq, Debug)]
pub struct MinimaxReport {
    /// The role.
    pub role: RoleId,
    /// The best move, unless there is no legal one.
    pub best: Option<Move>,
    /// The goal that the role can expect, if something was searched.
    pub value: Option<f64>,
    /// Whether the value is proved.
    pub solved: bool,
    /// Within how many decisions the match is over if a win or a loss is proved; where only chance plays, that counts
    /// as one.
    pub distance: Option<u32>,
    /// The depth to which all moves were searched, in decisions.
    pub depth: u32,
    /// How many states were expanded.
    pub expansions: u64,
    /// How many states were estimated.
    pub evaluated: u64,
    /// How long it was searched.
    pub time: Duration,
    /// The moves, best first.
    pub moves: Vec<MinimaxMove>,
    /// The decisions that are thought best, each with its role.
    pub line: Vec<(RoleId, Move)>,
}

/// The result of a minimax search for one move.
#[derive(Clone, PartialEq, Debug)]
pub struct MinimaxMove {
    /// The move.
    pub played: Move,
    /// The goal that the role can expect; if [`is_most`](MinimaxMove::is_most), at most that.
    pub value: Option<f64>,
    /// Whether the value is only an upper bound, since the move is worse than the best one.
    pub is_most: bool,
    /// The least and the most that the role can get for certain.
    pub bounds: (f64, f64),
    /// The depth of the search of the move, in decisions.
    pub depth: u32,
}

impl MinimaxReport {
    /// The result for a role with these legal moves, and with a range of goals; `decides` if the outcome is for this
    /// role, and not for the other one.
    pub(super) fn new(
        role: RoleId,
        legal: &[Move],
        decides: bool,
        outcome: Option<&Outcome>,
        (low, high): (i32, i32),
        time: Duration,
    ) -> MinimaxReport {
        let (low, high) = (f64::from(low), f64::from(high));
        let is_proved = outcome.is_some_and(|outcome| outcome.is_proved);
        let goal = |value: Value| {
            let value = if decides { value } else { -value };
            let goal = low + value::share(value) * (high - low);
            // Goals are whole numbers, and logarithms of odds are not as precise.
            if is_proved { goal.round() } else { goal }
        };
        let of_move = |(place, of): (usize, &RootMove)| {
            let goal = goal(of.value);
            let is_most = of.bound == Bound::Upper;
            let bounds = match (is_decided(of.value), of.value > 0, is_most) {
                (true, true, false) => (high, high),
                (true, false, _) => (low, low),
                _ if is_proved && place == 0 => (goal, goal),
                _ => (low, high),
            };
            MinimaxMove {
                played: of.played,
                value: Some(goal),
                is_most,
                bounds,
                depth: of.depth as u32,
            }
        };
        let unknown = |&played: &Move| MinimaxMove {
            played,
            value: None,
            is_most: false,
            bounds: (low, high),
            depth: 0,
        };
        let moves: Vec<MinimaxMove> = match outcome.filter(|_| decides) {
            Some(outcome) => outcome.moves.iter().enumerate().map(of_move).collect(),
            None => legal.iter().map(unknown).collect(),
        };
        let counts = outcome.map_or(Counts::default(), |outcome| outcome.counts);
        let is_won = outcome.is_some_and(|outcome| is_decided(outcome.value));
        let solved = is_won || is_proved;
        MinimaxReport {
            role,
            best: moves.first().map(|best| best.played),
            value: outcome.map(|outcome| goal(outcome.value)),
            solved,
            distance: (outcome.filter(|_| is_won)).map(|of| (WIN - of.value.abs()) as u32),
            depth: outcome.map_or(0, |outcome| outcome.depth as u32),
            expansions: counts.expansions,
            evaluated: counts.evaluated,
            time,
            moves,
            line: outcome.map_or(Vec::new(), |outcome| outcome.line.clone()),
        }
    }
}
