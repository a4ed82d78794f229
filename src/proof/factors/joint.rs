//! The result of a match as a function of observables of the parts and of the clock.

use propjit_jit::circuit::{Builder, Circuit, Edge, Node, NodeId};
use rustc_hash::FxHashMap;

use super::Factors;
use crate::game::ground::GroundGame;
use crate::game::vocabulary::moves::RoleId;
use crate::game::vocabulary::state::State;

/// `terminal` and the goals, with some of their dependencies settled.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Outcome(Vec<Edge>);

/// The residuals of `terminal` and the goals.
pub(crate) struct Joint {
    builder: Builder,
    /// By part, the first of the inputs that stand for its observables.
    starts: Vec<usize>,
    /// The propositions of the clock, with their inputs.
    clock: Vec<(usize, usize)>,
    /// By role, the values of its goals.
    goals: Vec<Vec<i32>>,
    open: Outcome,
    /// The residuals of nodes when some inputs were settled.
    memo: FxHashMap<NodeId, Edge>,
}

impl Joint {
    /// The function for a game; `None` if recursion goes through several parts.
    pub(crate) fn new(game: &GroundGame, factors: &Factors) -> Option<Joint> {
        let (circuit, layout) = (game.lowered(), game.layout());
        let mut inputs = 0;
        let starts = factors.parts.iter().map(|part| {
            inputs += part.observables.len();
            inputs - part.observables.len()
        });
        let starts: Vec<usize> = starts.collect();
        let clock = factors.clock.propositions.iter().copied().zip(inputs..);
        let clock: Vec<(usize, usize)> = clock.collect();
        let mut builder = Builder::new(inputs + clock.len());
        let mut edges: Vec<Option<Edge>> = vec![None; circuit.nodes().len()];
        edges[0] = Some(Edge::FALSE);
        for (part, &start) in factors.parts.iter().zip(&starts) {
            for (node, input) in part.observables.iter().zip(start..) {
                edges[node.index()] = Some(builder.input(input));
            }
        }
        for &(base, input) in &clock {
            edges[circuit.inputs()[base].index()] = Some(builder.input(input));
        }
        let goals = layout.goals.iter().cloned().flatten();
        let roots = [layout.terminal].into_iter().chain(goals);
        let open = roots.map(|output| {
            let edge = circuit.outputs()[output];
            Some(copy(circuit, edge.node(), &mut edges, &mut builder)?.invert_if(edge.inverted()))
        });
        let open = Outcome(open.collect::<Option<Vec<Edge>>>()?);
        let roles = game.propnet().roles.iter();
        Some(Joint {
            goals: roles
                .map(|role| role.goals.iter().map(|goal| goal.value).collect())
                .collect(),
            builder,
            starts,
            clock,
            open,
            memo: FxHashMap::default(),
        })
    }

    /// Nothing is settled.
    pub(crate) fn open(&self) -> Outcome {
        self.open.clone()
    }

    /// Returns the residual outcome if the observables of a part have these values.
    pub(crate) fn with_part(&mut self, outcome: &Outcome, part: usize, values: &[bool]) -> Outcome {
        let inputs = (self.starts[part]..).zip(values);
        let inputs: Vec<(usize, bool)> = inputs.map(|(input, &value)| (input, value)).collect();
        self.with(outcome, &inputs)
    }

    /// Returns the residual outcome if the clock is as in a state.
    pub(crate) fn with_clock(&mut self, outcome: &Outcome, state: &State) -> Outcome {
        let clock = self.clock.iter();
        let inputs: Vec<(usize, bool)> = clock
            .map(|&(base, input)| (input, state.contains(base)))
            .collect();
        self.with(outcome, &inputs)
    }

    /// Returns the residual outcome if these propositions of the clock have these values.
    pub(crate) fn with_known(&mut self, outcome: &Outcome, known: &[(usize, bool)]) -> Outcome {
        let find = |&(base, value): &(usize, bool)| {
            let mut clock = self.clock.iter();
            clock
                .find(|&&(other, _)| other == base)
                .map(|&(_, input)| (input, value))
        };
        let inputs: Vec<(usize, bool)> = known.iter().filter_map(find).collect();
        self.with(outcome, &inputs)
    }

    fn with(&mut self, outcome: &Outcome, inputs: &[(usize, bool)]) -> Outcome {
        self.memo.clear();
        self.memo.insert(Edge::FALSE.node(), Edge::FALSE);
        for &(input, value) in inputs {
            let node = self.builder.input(input).node();
            self.memo.insert(node, Edge::FALSE.invert_if(value));
        }
        let edges = outcome.0.iter();
        let edges: Vec<Edge> = edges.map(|&edge| self.settle(edge)).collect();
        Outcome(edges)
    }

    fn settle(&mut self, edge: Edge) -> Edge {
        let mut open = vec![edge.node()];
        while let Some(&node) = open.last() {
            if self.memo.contains_key(&node) {
                open.pop();
                continue;
            }
            let Node::And(a, b) = self.builder.node(node) else {
                self.memo.insert(node, Edge::from(node));
                continue;
            };
            let known = |edge: Edge| {
                let found = self.memo.get(&edge.node());
                found.map(|found| found.invert_if(edge.inverted()))
            };
            match (known(a), known(b)) {
                (Some(a), Some(b)) => {
                    let both = self.builder.and(a, b);
                    self.memo.insert(node, both);
                }
                (a_known, b_known) => {
                    open.extend(a_known.is_none().then_some(a.node()));
                    open.extend(b_known.is_none().then_some(b.node()));
                }
            }
        }
        self.memo[&edge.node()].invert_if(edge.inverted())
    }

    /// Whether the match is over; `None` if that is not settled.
    pub(crate) fn is_over(&self, outcome: &Outcome) -> Option<bool> {
        constant(outcome.0[0])
    }

    /// The goal of a role; `None` if that is not settled, or if it has not exactly one.
    pub(crate) fn goal(&self, outcome: &Outcome, role: RoleId) -> Option<i32> {
        let before = self.goals[..role.index()]
            .iter()
            .map(Vec::len)
            .sum::<usize>();
        let values = &self.goals[role.index()];
        let edges = &outcome.0[1 + before..][..values.len()];
        let holds: Option<Vec<bool>> = edges.iter().map(|&edge| constant(edge)).collect();
        let holds = holds?;
        let mut held = values.iter().zip(holds).filter(|(_, holds)| *holds);
        match (held.next(), held.next()) {
            (Some((&value, _)), None) => Some(value),
            _ => None,
        }
    }
}

fn constant(edge: Edge) -> Option<bool> {
    match edge {
        Edge::TRUE => Some(true),
        Edge::FALSE => Some(false),
        _ => None,
    }
}

/// A node of a circuit as a node of the builder, where some have one.
fn copy(
    circuit: &Circuit,
    node: NodeId,
    edges: &mut [Option<Edge>],
    builder: &mut Builder,
) -> Option<Edge> {
    let mut open = vec![node];
    while let Some(&node) = open.last() {
        if edges[node.index()].is_some() {
            open.pop();
            continue;
        }
        let Node::And(a, b) = circuit.node(node) else {
            return None;
        };
        let known = |edge: Edge| edges[edge.node().index()].map(|e| e.invert_if(edge.inverted()));
        match (known(a), known(b)) {
            (Some(a), Some(b)) => edges[node.index()] = Some(builder.and(a, b)),
            (a_known, b_known) => {
                open.extend(a_known.is_none().then_some(a.node()));
                open.extend(b_known.is_none().then_some(b.node()));
            }
        }
    }
    edges[node.index()]
}
