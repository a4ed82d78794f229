//! STRIPS effects of moves that have the same effects in all states.
//!
//! The next state's circuit is simplified for each move, given that this and no other is made. If
//! what is left of each proposition is true, false, or the proposition as it was, those are the
//! effects. From them, and from what legality depends on, it follows which moves can be made in
//! any order (Rintanen, Heljanko and Niemelä, "Planning as satisfiability: parallel plans and
//! algorithms for plan search", 2006: "∀-step" plans), provided the match does not end between
//! them.

use propjit_jit::circuit::{Builder, Circuit, Edge, Node, NodeId};
use rustc_hash::FxHashSet;

use crate::game::ground::GroundGame;

use super::ROLE;
use super::clock::Clock;

/// The most gates that are visited, for all moves together.
const MAX_WORK: usize = 100_000_000;

/// The most pairs of moves that exclude each other.
const MAX_CONFLICTS: usize = 1_000_000;

/// The effects of each move.
#[derive(Debug)]
pub(super) struct Effects {
    /// By proposition, the moves that make it true, and those that make it false.
    pub(super) makes: Vec<[Vec<usize>; 2]>,
    /// The pairs of moves that cannot be made in any order.
    pub(super) conflicts: Vec<(usize, usize)>,
    /// The clock: what changes by itself.
    pub(super) clock: Clock,
}

impl Effects {
    /// Finds the effects of the role's moves on all but a clock; `None` if they depend on the state, if
    /// legality depends on the clock, or if there is too much to analyse.
    pub(super) fn of(game: &GroundGame, clock: Clock) -> Option<Effects> {
        let makes = makes(game, &clock)?;
        let mut conflicts = FxHashSet::default();
        let mut exclude = |a: &usize, b: &usize| {
            if a != b {
                conflicts.insert((*a.min(b), *a.max(b)));
            }
            conflicts.len() <= MAX_CONFLICTS
        };
        let needs = needs(game);
        let mut timed = (needs.iter().enumerate()).filter(|(base, _)| clock.contains(*base));
        if timed.any(|(_, [positive, negative])| !(positive.is_empty() && negative.is_empty())) {
            return None;
        }
        for ([adders, deleters], [positive, negative]) in makes.iter().zip(needs) {
            for (makers, needing) in [
                (adders, deleters),
                (adders, &negative),
                (deleters, &positive),
            ] {
                let mut pairs = makers
                    .iter()
                    .flat_map(|a| needing.iter().map(move |b| (a, b)));
                if !pairs.all(|(a, b)| exclude(a, b)) {
                    return None;
                }
            }
        }
        let mut conflicts: Vec<_> = conflicts.into_iter().collect();
        conflicts.sort_unstable();
        Some(Effects {
            makes,
            conflicts,
            clock,
        })
    }

    /// Returns all moves, in groups such that no two moves of a group can be made in the same step.
    pub(super) fn groups(&self) -> Vec<Vec<usize>> {
        let conflicts: FxHashSet<_> = self.conflicts.iter().copied().collect();
        let mut moves: Vec<usize> = self.makes.iter().flatten().flatten().copied().collect();
        moves.sort_unstable();
        moves.dedup();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for made in moves {
            let excludes = |group: &&mut Vec<usize>| {
                group
                    .iter()
                    .all(|&other| conflicts.contains(&(other, made)))
            };
            match groups.iter_mut().find(excludes) {
                Some(group) => group.push(made),
                None => groups.push(vec![made]),
            }
        }
        groups
    }
}

/// By proposition, the moves that make it true, and those that make it false; none of those of the
/// clock.
fn makes(game: &GroundGame, clock: &Clock) -> Option<Vec<[Vec<usize>; 2]>> {
    let (circuit, layout) = (game.lowered(), game.layout());
    let does = layout.does[ROLE.index()].clone();
    let inputs = &circuit.inputs()[does.clone()];
    let next = &circuit.outputs()[layout.next.clone()];
    if !circuit.loops().is_empty() || circuit.nodes().len() * does.len() > MAX_WORK {
        return None;
    }
    let mut builder = Builder::extend(circuit);
    let nodes = (0..circuit.nodes().len() as u32).map(NodeId);
    let mut edges: Vec<Edge> = nodes.map(Edge::from).collect();
    // The next values if no move was made.
    let cone = circuit.cone(next.iter().copied());
    let influence = circuit.influence(inputs.iter().copied());
    let depending = cone.iter().filter(|&node| influence.contains(node));
    for node in depending {
        edges[node.index()] = simplified(circuit, &edges, node, &mut builder);
    }
    let none = edges.clone();
    let mut makes = vec![[Vec::new(), Vec::new()]; next.len()];
    for (made, &input) in inputs.iter().enumerate() {
        let influence = circuit.influence([input]);
        for node in influence.iter().filter(|&node| cone.contains(node)) {
            edges[node.index()] = match node == input {
                true => Edge::TRUE,
                false => simplified(circuit, &edges, node, &mut builder),
            };
        }
        let own = next.iter().enumerate();
        for (base, edge) in own.filter(|&(base, _)| !clock.contains(base)) {
            let after = edges[edge.node().index()].invert_if(edge.inverted());
            let before = builder.input(layout.bases.start + base);
            match after {
                Edge::TRUE => makes[base][0].push(made),
                Edge::FALSE => makes[base][1].push(made),
                _ if after == before => {}
                _ => return None,
            }
        }
        for node in influence.iter() {
            edges[node.index()] = none[node.index()];
        }
    }
    Some(makes)
}

/// A gate of what its operands have become; a move is not made.
fn simplified(circuit: &Circuit, edges: &[Edge], node: NodeId, builder: &mut Builder) -> Edge {
    let of = |edge: Edge| edges[edge.node().index()].invert_if(edge.inverted());
    match circuit.node(node) {
        Node::And(a, b) => builder.and(of(a), of(b)),
        _ => Edge::FALSE,
    }
}

/// By proposition, the moves that it may help to be legal that it is true, and those that it may
/// help that it is false.
fn needs(game: &GroundGame) -> Vec<[Vec<usize>; 2]> {
    let (circuit, layout) = (game.lowered(), game.layout());
    let mut needs = vec![[Vec::new(), Vec::new()]; layout.bases.len()];
    for (number, output) in layout.legal[ROLE.index()].clone().enumerate() {
        for (base, is_false) in literals(circuit, circuit.outputs()[output]) {
            needs[base - layout.bases.start][usize::from(is_false)].push(number);
        }
    }
    needs
}

/// The inputs that it may help an edge to be true that they are true, or that they are false.
fn literals(circuit: &Circuit, edge: Edge) -> Vec<(usize, bool)> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut open = vec![edge];
    while let Some(edge) = open.pop() {
        if !seen.insert(edge) {
            continue;
        }
        match circuit.node(edge.node()) {
            Node::And(a, b) => {
                open.extend([a, b].map(|operand| operand.invert_if(edge.inverted())));
            }
            Node::Input(input) => found.push((input.index(), edge.inverted())),
            Node::False | Node::Feedback => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tests::task;
    use super::*;

    #[test]
    fn moves_conflict_if_one_undoes_or_hinders_the_other() {
        let rules = "(role r) (init closed) (init dark)
            (<= (legal r open) (true closed)) (<= (legal r light) (true dark))
            (<= (legal r read) (not (true dark))) (legal r douse)
            (<= (next closed) (true closed) (not (does r open)))
            (<= (next dark) (true dark) (not (does r light)))
            (<= (next dark) (does r douse))
            (<= (next wise) (true wise)) (<= (next wise) (does r read))
            (<= terminal (true wise)) (goal r 100)";
        let task = task(rules);
        let game = task.engines.game();
        let number = |text: &str| game.parse_move(ROLE, text).unwrap().index();
        let [open, light, read, douse] = ["open", "light", "read", "douse"].map(number);
        let clock = Clock::new(game, &task.root.state);
        let effects = Effects::of(game, clock).unwrap();
        assert_eq!(effects.groups().concat().len(), 4);
        let pair = |a: usize, b: usize| (a.min(b), a.max(b));
        let mut expected = vec![pair(light, douse), pair(read, douse)];
        expected.sort_unstable();
        assert_eq!(effects.conflicts, expected);
        let closed = game.parse_state(&["closed"]).unwrap();
        let closed = closed.iter().next().unwrap();
        assert_eq!(effects.makes[closed], [vec![], vec![open]]);
    }

    #[test]
    fn effects_that_depend_on_the_state_are_none() {
        let rules = "(role r) (init off) (legal r toggle) (legal r wait)
            (<= (next off) (true off) (does r wait))
            (<= (next off) (not (true off)) (does r toggle))
            (<= terminal (not (true off))) (goal r 100)";
        let task = task(rules);
        let game = task.engines.game();
        assert!(Effects::of(game, Clock::new(game, &task.root.state)).is_none());
    }
}
