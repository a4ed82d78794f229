//! Sharing of values that one move selects.
//!
//! "A queen arrives on d4 if some move from a square to d4 is made and the queen is on
//! that square" is an OR over moves, and there is one like it for each square and
//! piece. But exactly one move is made. So whether the moved piece is a
//! queen can be asked once, over the squares that moves start from, and a queen arrives on d4 if
//! that is so and the move leads to d4.
//!
//! In general: for functions `f = OR of (move & condition)` over sets of moves, in
//! which each move goes with the same condition in all functions that have
//! it, let `g` be the OR over all the moves; then `f = g & OR of f's moves`.
//! Conditions must not depend on moves, or `f` and `g` could depend on each other.

mod indirect;
mod plan;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use self::plan::{ClassId, Plan, Term};
use super::rebuild::{Moved, rebuild_late};
use super::wide::{Wide, conjunction};
use crate::assumptions::Assumptions;
use crate::circuit::{Builder, Circuit, Edge, InputId, Node, NodeId, NodeSet};
pub(super) use indirect::indirection;
use propjit_stop::Stop;

/// The circuit with functions of one move sharing the values that they select. Moves are
/// inputs of [`Assumptions::exactly_one`] that imply something.
pub(super) fn selection(circuit: &Circuit, assumptions: &Assumptions, stop: &Stop) -> Circuit {
    select(circuit, assumptions, stop, |before, after| after < before)
}

/// As [`selection`], for all classes of moves that are worth it, by estimates of the
/// gates before and after.
fn select(
    circuit: &Circuit,
    assumptions: &Assumptions,
    stop: &Stop,
    is_worth_it: impl Fn(f64, f64) -> bool,
) -> Circuit {
    let mut ticker = stop.ticker();
    let roles = roles(circuit, assumptions);
    let mut moves = Moves::new(circuit, &roles);
    let mut plan = Plan::new(&roles);
    for at in 0..circuit.nodes().len() as u32 {
        if moves.wide.is_gate(NodeId(at)) && !ticker.is_set() {
            let terms = moves.terms(NodeId(at));
            if terms.len() > 1 {
                plan.add(NodeId(at), terms);
            }
        }
    }
    plan.classify();
    plan.choose(is_worth_it);
    let Moves { wide, depends, .. } = &moves;
    let mut values: HashMap<ClassId, Edge, FxBuildHasher> = HashMap::default();
    let mut leaves = Vec::new();
    let is_late = |node: NodeId| depends.contains(node);
    rebuild_late(circuit, is_late, |builder, moved, node| {
        if !wide.is_gate(node) {
            return None;
        }
        wide.leaves(node, &mut leaves);
        let mut operands = Vec::new();
        let chosen = plan.selections(node);
        for (class, inputs) in &chosen.selections {
            let selected = *values
                .entry(*class)
                .or_insert_with(|| value(builder, moved, &plan, *class));
            let made = any_of(builder, inputs);
            operands.push(!builder.and(selected, made));
        }
        leaves.retain(|leaf| chosen.replaced.binary_search(leaf).is_err());
        operands.extend(leaves.drain(..).map(|leaf| moved.edge(leaf)));
        Some(conjunction(builder, &mut operands))
    })
}

/// Whether the condition holds that goes with the move that is made, for the
/// moves of a class.
fn value(builder: &mut Builder, moved: &Moved, plan: &Plan, class: ClassId) -> Edge {
    let cases = plan.cases(class).into_iter();
    let cases = cases.map(|(condition, inputs)| (condition, any_of(builder, &inputs)));
    let cases: Vec<(&[Edge], Edge)> = cases.collect();
    any_case(builder, moved, &cases)
}

/// Whether a condition, of edges of the old circuit, holds together with the new edge beside it.
fn any_case(builder: &mut Builder, moved: &Moved, cases: &[(&[Edge], Edge)]) -> Edge {
    let mut excluded = Vec::with_capacity(cases.len());
    for &(condition, with) in cases {
        let mut operands: Vec<Edge> = condition.iter().map(|&edge| moved.edge(edge)).collect();
        operands.push(with);
        excluded.push(!conjunction(builder, &mut operands));
    }
    !conjunction(builder, &mut excluded)
}

fn any_of(builder: &mut Builder, inputs: &[InputId]) -> Edge {
    let edges = inputs.iter().map(|input| builder.input(input.index()));
    let edges: Vec<Edge> = edges.collect();
    builder.or_all(&edges)
}

/// By input, the group of moves that it is in.
fn roles(circuit: &Circuit, assumptions: &Assumptions) -> Vec<Option<u32>> {
    let mut is_move = vec![false; circuit.inputs().len()];
    for (input, _) in &assumptions.implies {
        is_move[input.index()] = true;
    }
    let mut roles = vec![None; circuit.inputs().len()];
    for (group, inputs) in assumptions.exactly_one.iter().enumerate() {
        for input in inputs.iter().filter(|input| is_move[input.index()]) {
            roles[input.index()] = Some(group as u32);
        }
    }
    roles
}

/// The moves, and the nodes that depend on them.
struct Moves<'a> {
    circuit: &'a Circuit,
    wide: Wide<'a>,
    /// By input, the group of moves that it is in.
    roles: &'a [Option<u32>],
    /// The nodes that depend on moves.
    depends: NodeSet,
    /// For leaves of gates.
    buffer: Vec<Edge>,
}

impl<'a> Moves<'a> {
    fn new(circuit: &'a Circuit, roles: &'a [Option<u32>]) -> Moves<'a> {
        let inputs = (0..roles.len() as u32).map(InputId);
        let moves = inputs.filter(|input| roles[input.index()].is_some());
        Moves {
            circuit,
            wide: Wide::new(circuit),
            roles,
            depends: circuit.influence(moves.map(|input| circuit.inputs()[input.index()])),
            buffer: Vec::new(),
        }
    }

    /// The leaves of a gate that are of the form "not (a move and a condition)".
    fn terms(&mut self, gate: NodeId) -> Vec<Term> {
        if !self.depends.contains(gate) {
            return Vec::new();
        }
        let mut leaves = Vec::new();
        self.wide.leaves(gate, &mut leaves);
        leaves
            .into_iter()
            .filter_map(|leaf| self.term(leaf))
            .collect()
    }

    fn term(&mut self, leaf: Edge) -> Option<Term> {
        let (selector, condition) = self.split(leaf)?;
        let inputs = match selector.inverted() {
            false => vec![self.as_move(selector)?],
            true => self.moves_excluded_by(selector.node())?,
        };
        Some(Term {
            leaf,
            inputs,
            condition,
        })
    }

    /// The operands of the private gate that a leaf is, if one of several depends on moves: that
    /// one, and the others.
    fn split(&self, leaf: Edge) -> Option<(Edge, Vec<Edge>)> {
        let mut condition = Vec::new();
        self.wide.leaves(self.wide.private(leaf)?, &mut condition);
        condition.dedup();
        let mut dependent = condition.extract_if(.., |edge| self.depends.contains(edge.node()));
        let (Some(found), None) = (dependent.next(), dependent.next()) else {
            return None;
        };
        drop(dependent);
        (!condition.is_empty()).then_some((found, condition))
    }

    fn as_move(&self, edge: Edge) -> Option<InputId> {
        match self.circuit.node(edge.node()) {
            Node::Input(input) => self.roles[input.index()].map(|_| input),
            _ => None,
        }
    }

    /// The moves that a gate says are not made, if it says nothing else.
    fn moves_excluded_by(&mut self, gate: NodeId) -> Option<Vec<InputId>> {
        if !self.wide.is_gate(gate) {
            return None;
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        self.wide.leaves(gate, &mut buffer);
        let inputs = buffer.iter().map(|&leaf| {
            let input = self.as_move(leaf);
            input.filter(|_| leaf.inverted())
        });
        let inputs = inputs.collect();
        self.buffer = buffer;
        inputs
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::passes::sweep::sweep;
    use crate::passes::testing::{assert_same, circuits, one_move};

    /// A board of this many squares and kinds of pieces: a move goes from any
    /// square to any other, and a piece arrives if it was where the move starts.
    fn arrivals(squares: usize, kinds: usize) -> (Circuit, Assumptions) {
        let moves = squares * (squares - 1);
        let mut g = Builder::new(squares * kinds + moves);
        let mut arrivals = vec![Vec::new(); squares * kinds];
        let from_to = (0..squares).flat_map(|from| (0..squares).map(move |to| (from, to)));
        let from_to = from_to.filter(|(from, to)| from != to);
        for (number, (from, to)) in from_to.clone().enumerate() {
            let made = g.input(squares * kinds + number);
            for kind in 0..kinds {
                let piece = g.input(kind * squares + from);
                arrivals[kind * squares + to].push(g.and(piece, made));
            }
        }
        // Moves do not capture the first kind of piece.
        let mut outputs: Vec<Edge> = from_to.map(|(_, to)| !g.input(to)).collect();
        outputs.extend(arrivals.iter().map(|cubes| g.or_all(cubes)));
        (g.finish(outputs), one_move(squares * kinds, moves))
    }

    fn gates(squares: usize, kinds: usize) -> (usize, usize) {
        let (circuit, assumptions) = arrivals(squares, kinds);
        let after = sweep(&selection(&circuit, &assumptions, &Stop::new()));
        (circuit.gates(), after.gates())
    }

    #[test]
    fn the_moved_piece_is_asked_for_once() {
        // Before, for each of 6 kinds and 10 squares: 9 ANDs and 8 ORs. After: moves by
        // origin (80) and target (80), and for each kind the piece at the origin (19) and both (10).
        assert_eq!(gates(10, 6), (6 * 170, 80 + 80 + 6 * 29));
    }

    #[test]
    fn one_kind_of_piece_is_not_worth_it() {
        assert_eq!(gates(10, 1), (170, 170));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn arrivals_are_the_same(board in prop::collection::vec(any::<bool>(), 24), made in 0..12) {
            let (circuit, assumptions) = arrivals(4, 6);
            let after = selection(&circuit, &assumptions, &Stop::new());
            prop_assert!(after != circuit);
            let inputs = (0..12).map(|number| number == made);
            let inputs: Vec<bool> = board.into_iter().chain(inputs).collect();
            prop_assert_eq!(after.evaluate(&inputs), circuit.evaluate(&inputs));
        }

        #[test]
        fn outputs_remain_even_where_it_is_not_worth_it((circuit, assumptions) in circuits()) {
            let after = select(&circuit, &assumptions, &Stop::new(), |_, _| true);
            assert_same(&circuit, &after, &assumptions);
        }
    }
}
