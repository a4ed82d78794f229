//! Search reports.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use super::tree::Tree;
use crate::game::machine::{Move, RoleId};
use crate::proof::plan::{PlanMethod, PlanProgress};
use crate::proof::unproved::Unproved;
use crate::search::mcts::local_report::{Forced, LocalReport};
use crate::search::mcts::tree::decision::Decision;
use crate::search::mcts::tree::joint::Arm;
use crate::search::mcts::tree::node::{Bounds, Decider, NodeId, Stage, is_exact};
use crate::search::mcts::walk::best_line::BestLine;
use crate::search::minimax::MinimaxReport;
use crate::support::statistics::Moments;

/// The result of a search for one role.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchReport {
    /// The role.
    pub role: RoleId,
    /// The best move, unless there is no legal one.
    pub best: Option<Move>,
    /// The goal that the role can expect.
    pub value: Option<f64>,
    /// The least and the most that the role can get in any match.
    pub range: (f64, f64),
    /// Whether the value is proved.
    pub solved: bool,
    /// How many nodes the tree has.
    pub nodes: usize,
    /// How many playouts have ended.
    pub playouts: u64,
    /// How long it was searched.
    pub time: Duration,
    /// The moves, best first.
    pub moves: Vec<MoveReport>,
    /// The results of local search, if there is one.
    pub local: Option<LocalReport>,
    /// The findings of a planner, if there is one.
    pub plan: Option<PlanReport>,
    /// What a minimax search did, if it is what searched.
    pub minimax: Option<MinimaxPart>,
    /// The findings from the states of the game, if all that follow are known.
    pub states: Option<StatesReport>,
    /// By what the value is proved, if it is.
    pub proved_by: Option<ProvedBy>,
    /// The reasons seen that keep the value from being proved, unless it is.
    pub unproved: Vec<Unproved>,
}

/// What a minimax search did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct MinimaxPart {
    /// The depth to which all moves were searched, in decisions.
    pub depth: u32,
    /// How many states were estimated.
    pub evaluated: u64,
}

/// By what the value of a state is proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ProvedBy {
    /// The nodes of the tree, and the best match of a game of one role that was seen.
    Tree,
    /// All states that follow were enumerated.
    States,
    /// Minimax search.
    Minimax,
    /// Proof search, by which the best move is known.
    Proof,
    /// A planner's search through states.
    Plan,
    /// A SAT solver, asked by a planner.
    Satisfiability,
    /// A planner's search through the states of each factor.
    Parts,
}

impl fmt::Display for ProvedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProvedBy::Tree => "tree search",
            ProvedBy::Minimax => "minimax",
            ProvedBy::States => "enumeration",
            ProvedBy::Proof => "proof search",
            ProvedBy::Plan => "planner",
            ProvedBy::Satisfiability => "SAT",
            ProvedBy::Parts => "parts",
        })
    }
}

/// The result of a search for one move.
#[derive(Clone, PartialEq, Debug)]
pub struct MoveReport {
    /// The move.
    pub played: Move,
    /// The number of visits.
    pub visits: u64,
    /// The goal that the role can expect, if it was visited or is proved.
    pub value: Option<f64>,
    /// The standard error of that as the mean of independent evaluations; none if it is proved.
    pub error: Option<f64>,
    /// The least and the most that the role can get, if all roles play as well as can be.
    pub bounds: (f64, f64),
    /// The depth of a minimax search of the move, in decisions, if that searched.
    pub depth: Option<u32>,
    /// Whether the value is only an upper bound, as minimax search gives for moves that are worse than the best one.
    pub is_upper_bound: bool,
    /// The decisions that are thought best after it, each with its role.
    pub line: Vec<(RoleId, Move)>,
    /// The result of local search about it, if any.
    pub forced: Option<Forced>,
}

impl SearchReport {
    /// The result in the tree for these legal moves. The statistics are of the values of
    /// evaluations, for each edge of the root and each role.
    pub(super) fn new(
        tree: &Tree,
        root_statistics: &[Moments<f64>],
        role: RoleId,
        legal: &[Move],
        playouts: u64,
        time: Duration,
    ) -> SearchReport {
        let root = tree.node(tree.root());
        let mut moves = match *legal {
            // The root is what follows from the state by forced moves.
            [forced] => {
                let mut all = Moments::default();
                let own = root_statistics.iter().skip(role.index());
                own.step_by(tree.ranges().len())
                    .for_each(|sample| all.merge(sample));
                vec![tree.node_report(forced, tree.root(), role, &all)]
            }
            _ => tree.moves_report(root_statistics, role, legal),
        };
        order(&mut moves);
        let useless = tree.useless_moves(role);
        moves.sort_by_key(|report| useless.contains(&report.played));
        let Bounds { low, high } = tree.ranges()[role.index()];
        SearchReport {
            role,
            best: moves.first().map(|best| best.played),
            value: root.mean(role).map(f64::from),
            range: (low.into(), high.into()),
            solved: root.bounds(role).are_exact(),
            nodes: tree.len(),
            playouts,
            time,
            moves,
            local: None,
            plan: None,
            states: None,
            minimax: None,
            proved_by: root.bounds(role).are_exact().then_some(ProvedBy::Tree),
            unproved: Vec::new(),
        }
    }
}

impl SearchReport {
    /// Adds what keeps the value from being proved, if it is not. In a game that hides information, nothing is proved.
    pub(super) fn add_unproved(&mut self, unproved: impl IntoIterator<Item = Unproved>) {
        self.unproved.extend(unproved);
        self.unproved.sort();
        self.unproved.dedup();
        if self.unproved.contains(&Unproved::HiddenInformation) {
            self.unproved.truncate(1);
            (self.solved, self.proved_by) = (false, None);
            let range = self.range;
            self.moves.iter_mut().for_each(|of| of.unprove(range));
        } else if self.solved {
            self.unproved.clear();
        }
    }

    /// Takes over the result of a minimax search, if it searched.
    pub(in crate::search) fn replace(&mut self, found: &MinimaxReport) {
        if found.value.is_none() {
            return;
        }
        let line = |at: usize| match at {
            0 => found.line.iter().skip(1).copied().collect(),
            _ => Vec::new(),
        };
        let moves = found.moves.iter().enumerate().map(|(at, of)| MoveReport {
            played: of.played,
            visits: 0,
            value: of.value,
            error: None,
            bounds: of.bounds,
            depth: Some(of.depth),
            is_upper_bound: of.is_most,
            line: line(at),
            forced: None,
        });
        self.moves = moves.collect();
        (self.best, self.value, self.solved) = (found.best, found.value, found.solved);
        (self.nodes, self.playouts) = (found.expansions as usize, 0);
        self.time = found.time;
        self.proved_by = found.solved.then_some(ProvedBy::Minimax);
        self.minimax = Some(MinimaxPart {
            depth: found.depth,
            evaluated: found.evaluated,
        });
    }

    /// Puts the move first that is surely best for the only role of a game, which has seen
    /// this line; the root comes after `depth` joint moves. Better may be one that leads to matches which were not
    /// followed to their ends, and count as more.
    pub(super) fn prefer(&mut self, line: &BestLine, depth: u32) {
        let goal = f64::from(line.goal);
        let next = line.played(depth);
        let next = |report: &MoveReport| Some(report.played) == next;
        if let Some(place) = self.moves.iter().position(next) {
            // Of moves that are as good, this is the one that is known to the end.
            self.moves[..=place].rotate_right(1);
            let next = &mut self.moves[0];
            if next.bounds.0 < goal {
                next.bounds.0 = goal;
                next.value = Some(next.value.map_or(goal, |value| value.max(goal)));
                let moves = line.after(depth).take(LONGEST_LINE);
                next.line = moves.map(|played| (self.role, played)).collect();
            }
        }
        let proven = |report: &MoveReport| {
            let counted = report.value.filter(|&value| value > goal + ROUNDING);
            counted.map_or(report.bounds.0, |value| value.max(report.bounds.0))
        };
        self.moves.sort_by(|a, b| proven(b).total_cmp(&proven(a)));
        self.best = self.moves.first().map(|best| best.played);
    }
}

impl MoveReport {
    /// The role gets at least and at most this.
    pub(super) fn narrow(&mut self, (least, most): (f64, f64)) {
        let (low, high) = &mut self.bounds;
        *low = low.max(least);
        *high = high.min(most).max(*low);
        if self.is_solved() {
            (self.value, self.error) = (Some(self.bounds.0), None);
        }
    }

    /// Nothing is proved of it but that the role gets between this.
    fn unprove(&mut self, range: (f64, f64)) {
        (self.bounds, self.forced) = (range, None);
    }

    /// Whether it is proved what the role gets.
    pub fn is_solved(&self) -> bool {
        let (low, high) = self.bounds;
        is_exact(low, high)
    }
}

/// Puts the best move first. That is the one with the most visits; but once the value of a move is proved,
/// it gets no more visits, and it is as good as its value. Moves that are sure to be worse than another
/// come last.
pub(super) fn order(moves: &mut Vec<MoveReport>) {
    let proven = moves.iter().map(|played| played.bounds.0);
    let proven = proven.fold(f64::NEG_INFINITY, f64::max);
    let is_worse = |played: &MoveReport| played.bounds.1 < proven;
    let solved = moves.extract_if(.., |played| played.is_solved());
    let mut solved: Vec<MoveReport> = solved.collect();
    let visits = |played: &MoveReport| std::cmp::Reverse(played.visits);
    moves.sort_by_key(|played| (is_worse(played), visits(played)));
    solved.sort_by(|a, b| {
        let value = |played: &MoveReport| played.bounds.0;
        value(b).total_cmp(&value(a)).then(b.visits.cmp(&a.visits))
    });
    let mut place = 0;
    for solved in solved {
        let is_better = |other: &MoveReport| {
            !is_worse(other) && other.value.is_some_and(|value| value > solved.bounds.0)
        };
        while moves.get(place).is_some_and(is_better) {
            place += 1;
        }
        moves.insert(place, solved);
        place += 1;
    }
}

impl Tree {
    /// Returns the results for the moves of a role in the root that has several.
    fn moves_report(
        &self,
        root_statistics: &[Moments<f64>],
        role: RoleId,
        legal: &[Move],
    ) -> Vec<MoveReport> {
        let root = self.node(self.root());
        match (root.inside(), root.meta().decider()) {
            ((Stage::Expanded, inside), Decider::One(decider)) if decider == role => {
                let decision = self.decision(inside);
                let report = |place: usize| {
                    let sample = root_statistics.get(place * self.ranges().len() + role.index());
                    self.edge_report(decision, place, role, sample)
                };
                (0..decision.len()).map(report).collect()
            }
            ((Stage::Expanded, _), Decider::Several) => {
                let joint = self.joint(self.root());
                let mut joint = joint.lock();
                let proved = self.prove(&mut joint);
                let range = self.ranges()[role.index()];
                let report = |(place, arm): (usize, &Arm)| {
                    let proved = proved.as_ref();
                    let bounds = proved.and_then(|proved| proved.arms[role.index()][place]);
                    let bounds = bounds.unwrap_or(range);
                    let (low, high) = (bounds.low.into(), bounds.high.into());
                    let mean = arm.values.mean().map(|mean| mean.clamp(low, high));
                    let is_known = bounds.are_exact();
                    MoveReport {
                        visits: arm.values.count,
                        value: if is_known { Some(low) } else { mean },
                        error: arm.values.standard_error().filter(|_| !is_known),
                        ..MoveReport::unknown(arm.played, bounds)
                    }
                };
                let arms = joint.arms[role.index()].iter();
                arms.enumerate().map(report).collect()
            }
            // Nothing was visited. Proofs about the root are not proofs about each of its moves.
            _ => {
                let range = self.ranges()[role.index()];
                let report = |&played: &Move| MoveReport::unknown(played, range);
                legal.iter().map(report).collect()
            }
        }
    }

    /// Returns the moves of a role that are proved to be useless, in a root in which several roles decide.
    fn useless_moves(&self, role: RoleId) -> Vec<Move> {
        let root = self.node(self.root());
        let ((Stage::Expanded, _), Decider::Several) = (root.inside(), root.meta().decider())
        else {
            return Vec::new();
        };
        let joint = self.joint(self.root());
        let joint = joint.lock();
        let arms = joint.arms[role.index()].iter();
        let closed = arms.filter(|arm| arm.is_closed);
        closed.map(|arm| arm.played).collect()
    }

    /// The result for a move, from its edge.
    fn edge_report(
        &self,
        decision: Decision<'_>,
        place: usize,
        role: RoleId,
        sample: Option<&Moments<f64>>,
    ) -> MoveReport {
        let edge = decision.edge(place);
        let report = match edge.node() {
            Some(id) => {
                let sample = sample.copied().unwrap_or_default();
                self.node_report(edge.played(), id, role, &sample)
            }
            None => {
                let bounds = self.bounds(decision, place, role);
                let known = bounds.are_exact().then_some(bounds.low);
                let value = known.or_else(|| self.counted_behind(decision, place, role));
                MoveReport {
                    value: value.map(f64::from),
                    ..MoveReport::unknown(edge.played(), bounds)
                }
            }
        };
        MoveReport {
            visits: edge.visits(),
            ..report
        }
    }

    /// The result for a move, from the node that it leads to; the sample has values of
    /// evaluations below.
    fn node_report(
        &self,
        played: Move,
        id: NodeId,
        role: RoleId,
        sample: &Moments<f64>,
    ) -> MoveReport {
        let node = self.node(id);
        let bounds = node.bounds(role);
        let error = sample.standard_error_of(node.visits());
        MoveReport {
            visits: node.visits(),
            value: node.mean(role).map(f64::from),
            error: error.filter(|_| !bounds.are_exact()),
            line: self.line(id),
            ..MoveReport::unknown(played, bounds)
        }
    }

    /// The decisions that are thought best from a node on.
    fn line(&self, mut id: NodeId) -> Vec<(RoleId, Move)> {
        let mut line = Vec::new();
        while line.len() < LONGEST_LINE {
            let node = self.node(id);
            let (Decider::One(role), (Stage::Expanded, inside)) =
                (node.meta().decider(), node.inside())
            else {
                break;
            };
            let decision = self.decision(inside);
            let low = node.bounds(role).low;
            // Moves that are proved to be best come first; then those with the most visits.
            let rank = |place: &usize| {
                let bounds = self.bounds(decision, *place, role);
                let is_best = node.bounds(role).are_exact() && bounds.low >= low;
                (is_best, bounds.high >= low, decision.edge(*place).visits())
            };
            let Some(best) = (0..decision.len()).max_by_key(rank) else {
                break;
            };
            let edge = decision.edge(best);
            if edge.visits() == 0 && !self.bounds(decision, best, role).are_exact() {
                break;
            }
            line.push((role, edge.played()));
            match edge.node() {
                Some(next) => id = next,
                None => break,
            }
        }
        line
    }
}

impl MoveReport {
    /// Returns the report of a move that was not visited.
    fn unknown(played: Move, Bounds { low, high }: Bounds) -> MoveReport {
        MoveReport {
            played,
            visits: 0,
            value: None,
            error: None,
            bounds: (low.into(), high.into()),
            depth: None,
            is_upper_bound: false,
            line: Vec::new(),
            forced: None,
        }
    }
}

/// Means of goals are no more exact than this.
const ROUNDING: f64 = 1e-3;

/// Longer lines are cut off.
const LONGEST_LINE: usize = 20;

/// The findings of a planner.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct PlanReport {
    /// The least and the greatest goal that the role may get with best play.
    pub range: (i32, i32),
    /// The number of moves of the best match that it found, and the method that found it.
    pub found: Option<(usize, PlanMethod)>,
    /// By what it was proved that no greater goal can be got, if one was possible at first.
    pub proof: Option<PlanMethod>,
    /// How far it has come.
    pub progress: PlanProgress,
}

impl fmt::Display for PlanReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = self.range;
        match low == high {
            true => write!(f, "plan: {low}")?,
            false => write!(f, "plan: {low} to {high}")?,
        }
        if let Some((moves, method)) = self.found {
            write!(f, ", {moves} moves found by {method}")?;
        }
        if let Some(method) = self.proof {
            write!(f, ", more excluded by {method}")?;
        }
        let PlanProgress {
            states,
            width,
            steps,
        } = self.progress;
        writeln!(
            f,
            "; {states} states, {width} a layer; SAT to {steps} steps"
        )
    }
}

/// The findings from the states of a game.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct StatesReport {
    /// The number of states that follow from where the search has begun: all are known.
    pub states: usize,
    /// How long it took to find them, and what they are worth, in seconds.
    pub seconds: f64,
    /// After how many joint moves the role has won or lost at best, if that is sure.
    pub distance: Option<u32>,
}

impl fmt::Display for StatesReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "states: all {} known after {:.2} s",
            self.states, self.seconds
        )?;
        match self.distance {
            Some(distance) => writeln!(f, "; decided in {distance}"),
            None => writeln!(f),
        }
    }
}
