//! What a search has found out.

use std::time::Duration;

use super::node::{Bounds, Edge, Inside, NodeId};
use super::tree::Tree;
use crate::machine::{Move, RoleId};
use crate::search::successor::Turn;

/// What is known about a role's moves.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
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
}

/// What is known about a move.
#[derive(Clone, PartialEq, Debug)]
pub struct MoveReport {
    /// The move.
    pub played: Move,
    /// How often it was looked at.
    pub visits: u32,
    /// The goal that the role can expect, if it was looked at or is proved.
    pub value: Option<f64>,
    /// The standard error of that as the mean of independent evaluations; none if it is proved.
    pub error: Option<f64>,
    /// The least and the most that the role can get, if everybody plays as well as can be.
    pub bounds: (f64, f64),
    /// The decisions that are thought best after it: who decides, and what.
    pub line: Vec<(RoleId, Move)>,
}

impl Report {
    pub(super) fn new(
        tree: &Tree,
        role: RoleId,
        legal: &[Move],
        playouts: u64,
        time: Duration,
    ) -> Report {
        let root = tree.node(tree.root());
        let range = tree.ranges()[role.index()];
        let mut moves: Vec<MoveReport> = match (&root.inside, &root.turn) {
            // The root is what follows from the state by forced moves.
            _ if let [forced] = *legal => vec![tree.node_report(forced, tree.root(), role)],
            (Inside::Decision(decision), Turn::One(decider)) if *decider == role => {
                let moves = decision.moves.iter().zip(&decision.edges);
                moves
                    .map(|(&played, edge)| tree.edge_report(played, edge, role))
                    .collect()
            }
            (Inside::Joint(joint), _) if joint.arms[role.index()].len() > 1 => {
                let arms = joint.arms[role.index()].iter();
                arms.map(|arm| MoveReport {
                    played: arm.played,
                    visits: arm.visits,
                    value: arm.sum.mean(arm.visits),
                    error: arm.sum.standard_error(arm.visits),
                    bounds: (range.low, range.high),
                    line: Vec::new(),
                })
                .collect()
            }
            // Nothing was looked at, or nothing is to be decided.
            _ => {
                let bounds = root.bounds[role.index()];
                let report = |&played: &Move| MoveReport {
                    played,
                    visits: 0,
                    value: None,
                    error: None,
                    bounds: (bounds.low, bounds.high),
                    line: Vec::new(),
                };
                legal.iter().map(report).collect()
            }
        };
        order(&mut moves);
        Report {
            role,
            best: moves.first().map(|best| best.played),
            value: root.mean(role),
            range: (range.low, range.high),
            solved: root.bounds[role.index()].are_exact(),
            nodes: tree.len(),
            playouts,
            time,
            moves,
        }
    }
}

impl MoveReport {
    /// Whether it is proved what the role gets.
    pub fn is_solved(&self) -> bool {
        let (low, high) = self.bounds;
        Bounds { low, high }.are_exact()
    }
}

/// Puts the best move first. That is the one looked at most; but where the value of a move is
/// proved, no more is looked at it, and it is as good as its value. Moves that are sure to
/// be worse than another come last.
fn order(moves: &mut Vec<MoveReport>) {
    let sure = moves.iter().map(|played| played.bounds.0);
    let sure = sure.fold(f64::NEG_INFINITY, f64::max);
    let is_worse = |played: &MoveReport| played.bounds.1 < sure;
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
    /// What is known about a move by its edge.
    fn edge_report(&self, played: Move, edge: &Edge, role: RoleId) -> MoveReport {
        let report = match edge.node() {
            Some(id) => self.node_report(played, id, role),
            None => {
                let bounds = self.bounds(edge, role);
                MoveReport {
                    played,
                    visits: 0,
                    value: bounds.are_exact().then_some(bounds.low),
                    error: None,
                    bounds: (bounds.low, bounds.high),
                    line: Vec::new(),
                }
            }
        };
        MoveReport {
            visits: edge.visits,
            ..report
        }
    }

    /// What is known about a move by the node that it leads to.
    fn node_report(&self, played: Move, id: NodeId, role: RoleId) -> MoveReport {
        let node = self.node(id);
        let bounds = node.bounds[role.index()];
        let error = node.sums[role.index()].standard_error(node.visits);
        MoveReport {
            played,
            visits: node.visits,
            value: node.mean(role),
            error: error.filter(|_| !bounds.are_exact()),
            bounds: (bounds.low, bounds.high),
            line: self.line(id),
        }
    }

    /// The decisions that are thought best from a node on.
    fn line(&self, mut id: NodeId) -> Vec<(RoleId, Move)> {
        let mut line = Vec::new();
        while line.len() < LONGEST_LINE {
            let node = self.node(id);
            let (Turn::One(role), Inside::Decision(decision)) = (&node.turn, &node.inside) else {
                break;
            };
            let low = node.bounds[role.index()].low;
            // What is proved to be best; then what was looked at most.
            let rank = |edge: &Edge| {
                let bounds = self.bounds(edge, *role);
                let is_best = node.bounds[role.index()].are_exact() && bounds.low >= low;
                (is_best, bounds.high >= low, edge.visits)
            };
            let pairs = decision.moves.iter().zip(&decision.edges);
            let Some((&played, edge)) = pairs.max_by_key(|(_, edge)| rank(edge)) else {
                break;
            };
            if edge.visits == 0 && !self.bounds(edge, *role).are_exact() {
                break;
            }
            line.push((*role, played));
            match edge.node() {
                Some(next) => id = next,
                None => break,
            }
        }
        line
    }
}

/// Longer lines are cut off.
const LONGEST_LINE: usize = 20;
