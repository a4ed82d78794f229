//! The ranking of moves, for people and programs.

use std::fmt;

use propjit::game::machine::{MachineError, Move, RoleId};
use propjit::game::position::History;
use propjit::search::chooser::Search;
use propjit::search::mcts::{MoveReport, SearchReport};
use serde::Serialize;

use super::output::column_width;

/// The result for a move, for programs and people.
#[derive(Serialize)]
pub(super) struct Ranked {
    #[serde(rename = "move")]
    pub played: String,
    pub visits: u64,
    pub value: Option<f64>,
    pub stderr: Option<f64>,
    pub proof: Option<String>,
    /// The depth of a minimax search of the move, if that searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Whether the value is only an upper bound.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_upper_bound: bool,
    pub line: Vec<Decision>,
    /// The proof by local search, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forced: Option<Forcing>,
}

/// A role forces a goal.
#[derive(Serialize)]
pub(super) struct Forcing {
    pub role: String,
    pub goal: i32,
    /// The number of joint moves, that of the ranking included.
    pub depth: u32,
    /// The move of the role by which it does.
    pub by: String,
}

/// A move in a line of play.
#[derive(Serialize)]
pub(super) struct Decision {
    pub role: String,
    #[serde(rename = "move")]
    pub played: String,
}

/// Returns the best move of a report, if there is a reason to play it: the search has examined it, or it is proved,
/// or it has a value as the match goes on no further after it, or it is the only one, or all states are known, so
/// that the first move is the best by them.
pub(super) fn advised(report: &SearchReport) -> Option<Move> {
    let best = report.moves.first()?;
    let is_known = best.is_solved() || report.states.is_some();
    let has_reason = best.visits > 0 || best.value.is_some() || is_known || report.moves.len() == 1;
    report.best.filter(|_| has_reason)
}

/// The moves of a report, best first.
pub(super) fn ranking(report: &SearchReport, search: &mut Search, roles: &[String]) -> Vec<Ranked> {
    let mut decision = |(role, played): (RoleId, _)| Decision {
        role: roles[role.index()].clone(),
        played: search.move_text(role, played),
    };
    let ranked = |played: &MoveReport| Ranked {
        played: decision((report.role, played.played)).played,
        visits: played.visits,
        value: played.value,
        stderr: played.error,
        proof: proof(played.bounds, report.range),
        depth: played.depth,
        is_upper_bound: played.is_upper_bound,
        line: played.line.iter().copied().map(&mut decision).collect(),
        forced: played.forced.map(|forced| {
            let Decision { role, played } = decision((forced.target.role, forced.by));
            Forcing {
                role,
                goal: forced.target.value,
                depth: forced.depth,
                by: played,
            }
        }),
    };
    report.moves.iter().map(ranked).collect()
}

/// Returns the proof of a goal in these bounds, if they are narrower than the range of the game.
fn proof((low, high): (f64, f64), (least, most): (f64, f64)) -> Option<String> {
    let [from, to] = [low, high].map(number);
    match (low > least, high < most) {
        _ if high - low < 1e-9 => Some(format!("= {from}")),
        (true, true) => Some(format!("{from} to {to}")),
        (true, false) => Some(format!(">= {from}")),
        (false, true) => Some(format!("<= {to}")),
        (false, false) => None,
    }
}

/// The goals of all roles at the end.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct Goals(pub Vec<Goal>);

/// The goal of a role.
#[derive(Serialize)]
pub(super) struct Goal {
    pub role: String,
    /// None where it does not have exactly one value.
    pub goal: Option<i32>,
}

impl Goals {
    /// The goals in the current state.
    pub(super) fn of(history: &mut History) -> Result<Goals, MachineError> {
        let goals = history.goals()?.into_iter().zip(history.roles());
        let goals = goals.map(|(goal, role)| Goal {
            role: role.clone(),
            goal,
        });
        Ok(Goals(goals.collect()))
    }
}

impl fmt::Display for Goals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|Goal { role, goal }| match goal {
                Some(goal) => writeln!(f, "goal {goal:>4}   {role}"),
                None => writeln!(f, "goal none   {role}"),
            })
    }
}

/// A goal with as many decimals as it needs, but at most two.
pub(super) fn number(goal: f64) -> String {
    let text = format!("{goal:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// The first moves of a ranking as a table.
pub(super) struct Table<'a> {
    pub moves: &'a [Ranked],
    /// The number of moves that are shown.
    pub most: usize,
}

/// The number of decisions of a line that are shown.
const LINE: usize = 4;

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = &self.moves[..self.moves.len().min(self.most)];
        let widest = shown.iter().map(|ranked| ranked.played.chars().count());
        let width = column_width(widest.max().unwrap_or(0).max(4));
        // Minimax has no visits.
        let by_depth = shown.iter().any(|ranked| ranked.depth.is_some());
        let effort = if by_depth { " depth" } else { "visits" };
        writeln!(
            f,
            "    {effort}     value           proved  {:width$}  line",
            "move"
        )?;
        for ranked in shown {
            let value = ranked.value.map_or_else(String::new, |v| format!("{v:.2}"));
            let value = match ranked.is_upper_bound {
                true => format!("<= {value}"),
                false => value,
            };
            let effort = ranked.depth.map_or(ranked.visits, u64::from);
            let error = ranked
                .stderr
                .map_or_else(String::new, |e| format!("\u{b1} {e:.2}"));
            let proof = ranked.proof.as_deref().unwrap_or_default();
            let mut line: Vec<String> = (ranked.line.iter().take(LINE))
                .map(|decision| format!("{} {}", decision.role, decision.played))
                .collect();
            if ranked.line.len() > LINE {
                line.push("...".to_string());
            }
            let line = line.join(", ");
            let row = format!(
                "{:>10}  {value:>8} {error:<8} {proof:>6}  {:width$}  {line}",
                effort, ranked.played
            );
            writeln!(f, "{}", row.trim_end())?;
        }
        match self.moves.len() - shown.len() {
            0 => Ok(()),
            more => writeln!(f, "... and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimax_has_depths_and_bounds() {
        let ranked = |played: &str, is_upper_bound| Ranked {
            played: played.to_string(),
            visits: 0,
            value: Some(61.5),
            stderr: None,
            proof: None,
            depth: Some(12),
            is_upper_bound,
            line: Vec::new(),
            forced: None,
        };
        let moves = [ranked("(move 1 2)", false), ranked("(move 1 3)", true)];
        let table = Table {
            moves: &moves,
            most: 2,
        };
        let text = table.to_string();
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert_eq!(lines[0], ["depth", "value", "proved", "move", "line"]);
        assert_eq!(lines[1], ["12", "61.50", "(move", "1", "2)"]);
        assert_eq!(lines[2], ["12", "<=", "61.50", "(move", "1", "3)"]);
    }

    #[test]
    fn proofs_say_what_is_known() {
        let all = (0.0, 100.0);
        for (bounds, range, text) in [
            ((100.0, 100.0), all, Some("= 100")),
            ((0.0, 0.0), all, Some("= 0")),
            ((33.0, 33.0 + 1e-12), all, Some("= 33")),
            ((100.0 / 3.0, 100.0 / 3.0), all, Some("= 33.33")),
            ((50.0, 100.0), all, Some(">= 50")),
            ((0.0, 50.0), all, Some("<= 50")),
            ((25.0, 75.5), all, Some("25 to 75.5")),
            (all, all, None),
            ((-1.0, 1.0), (-1.0, 1.0), None),
        ] {
            assert_eq!(proof(bounds, range).as_deref(), text, "{bounds:?}");
        }
    }
}
