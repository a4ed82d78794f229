//! Strategies on a graph: the choices of the roles that choose first, in every state that may come.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::game::machine::RoleId;

use super::extraction::include;
use super::graph::{Edge, Graph};
use super::split::{Side, Split, places};
use super::values::Values;

/// A question about a graph: the values of a role for one side, and how joint moves are split.
pub(super) struct Question {
    pub(super) role: RoleId,
    pub(super) side: Side,
    /// The roles that choose first.
    pub(super) group: Vec<RoleId>,
    /// By shape.
    pub(super) splits: Vec<Split>,
    pub(super) values: Arc<Values>,
    /// The value of the initial state, if that is sure.
    pub(super) answer: Option<i32>,
}

/// The choices of a strategy, and their outcomes.
pub(super) struct Strategy {
    /// The states in which the roles that choose first have a choice, each with a joint move in which they
    /// choose what they should.
    pub(super) decisions: Vec<(usize, usize)>,
    /// The least and the greatest goal of each role in the ends to which it leads, if it leads to
    /// any.
    pub(super) goals: Vec<Option<(i32, i32)>>,
}

impl Question {
    /// Returns the strategy by which the value of the initial state is reached, or not exceeded. `None` if
    /// it is about more than `most` states.
    pub(super) fn strategy(&self, graph: &Graph, most: usize) -> Option<Strategy> {
        let mut strategy = Strategy {
            decisions: Vec::new(),
            goals: vec![None; graph.shapes().first().map_or(0, |counts| counts.len())],
        };
        let mut seen = vec![false; graph.len()];
        seen[0] = true;
        let mut open = vec![0];
        let mut visited = 0;
        while let Some(at) = open.pop() {
            visited += 1;
            if visited > most {
                return None;
            }
            let split = &self.splits[graph.shape(at)];
            let Some(joint) = self.choose(graph, at) else {
                // No role can move.
                continue;
            };
            if split.choices() > 1 {
                strategy.decisions.push((at, joint));
            }
            let choice = split.choice(joint);
            for (joint, edge) in graph.edges(at).enumerate() {
                match edge {
                    _ if split.choice(joint) != choice => {}
                    Edge::State(state) if !seen[state] => {
                        seen[state] = true;
                        open.push(state);
                    }
                    Edge::State(_) => {}
                    Edge::End(end) => include(&mut strategy.goals, &graph.ends()[end]),
                }
            }
        }
        Some(strategy)
    }

    /// Returns a joint move with what the roles that choose first should choose in a state, unless no role
    /// can move.
    pub(super) fn choose(&self, graph: &Graph, at: usize) -> Option<usize> {
        let split = &self.splits[graph.shape(at)];
        // The first joint move of each choice that is as good as the value says.
        let mut good = vec![None; split.choices()];
        let mut is_bad = vec![false; split.choices()];
        for (joint, edge) in graph.edges(at).enumerate() {
            let choice = split.choice(joint);
            good[choice].get_or_insert(joint);
            is_bad[choice] |= match self.side {
                Side::Role => self.values.of_state(at) > 0 && !self.values.brings_nearer(at, edge),
                Side::Others => self.values.level(edge) > self.values.of_state(0),
            };
        }
        let mut good = good.into_iter().zip(is_bad);
        good.find(|&(_, is_bad)| !is_bad)?.0
    }
}

/// Joint moves from the initial state on, in which each role chooses what it would if it chose
/// first: as places among the legal moves, as long as the graph has them, and until a state comes again.
pub(super) fn best_line(graph: &Graph, questions: &[&Question]) -> Vec<(usize, Vec<usize>)> {
    let mut line = Vec::new();
    let mut met = FxHashSet::default();
    let mut at = 0;
    while at < graph.expanded() && met.insert(at) {
        let counts = &graph.shapes()[graph.shape(at)];
        if counts.contains(&0) {
            break;
        }
        let mut joint = vec![0; counts.len()];
        for question in questions {
            let Some(chosen) = question.choose(graph, at) else {
                continue;
            };
            let places: Vec<usize> = places(chosen, counts).collect();
            let role = question.role.index();
            joint[role] = places[counts.len() - 1 - role];
        }
        let number = joint
            .iter()
            .zip(counts)
            .fold(0, |number, (place, count)| number * count + place);
        line.push((at, joint));
        match graph.edges(at).nth(number) {
            Some(Edge::State(next)) => at = next,
            _ => break,
        }
    }
    line
}
