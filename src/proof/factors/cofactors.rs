//! Cofactors of moves: what each move leaves of a step in a phase, that is the next propositions and its
//! own legality, with the move and the clock replaced by constants.
//!
//! The part of a proposition that is left for a move is its *cofactor*. Two moves with the same cofactor do
//! the same to it, however many gates read them both: that is how frame axioms, which mention every move,
//! are seen through.

use propjit_jit::circuit::{Builder, Circuit, Edge, Node, NodeId, conjuncts};
use propjit_stop::Stop;

use super::NotFound;
use super::sets::Sets;
use super::substitution::Substitution;
use crate::game::ground::GroundGame;
use crate::game::vocabulary::moves::Move;

/// The most cofactors of all moves together.
const MAX_COFACTORS: usize = 20_000_000;

/// The moves of a role that may be legal in a phase.
pub(super) struct Cofactors {
    pub(super) moves: Vec<Move>,
    /// By move, what is left of each proposition that is not of the clock.
    pub(super) next: Vec<Vec<Edge>>,
    /// By move, the conditions that are met together if it is legal, each with one of the
    /// propositions that it depends on.
    pub(super) legal: Vec<Vec<(Edge, Option<usize>)>>,
}

/// The cofactors of each role's moves in a phase.
pub(super) struct PhaseCofactors {
    pub(super) builder: Builder,
    pub(super) roles: Vec<Cofactors>,
}

impl PhaseCofactors {
    /// Computes the cofactors, given what is known of the clock, for the propositions `free`, which are
    /// those that are not of the clock. Propositions that a cofactor or a condition depends on are united
    /// in `sets`, by their places in `free`.
    pub(super) fn new(
        game: &GroundGame,
        mut wires: Substitution<'_>,
        known: &[(usize, bool)],
        free: &[usize],
        sets: &mut Sets,
        stop: &Stop,
    ) -> Result<PhaseCofactors, NotFound> {
        let layout = game.layout();
        wires.set_known(known)?;
        let roles = layout.does.iter().zip(&layout.legal);
        let possible: Vec<Vec<usize>> = roles
            .map(|(does, legal)| {
                let all = 0..does.len();
                all.filter(|at| wires.output(legal.start + at) != Edge::FALSE)
                    .collect()
            })
            .collect();
        for (does, possible) in layout.does.iter().zip(&possible) {
            let is_only = |at| possible.len() == 1 && possible[0] == at;
            let settled = (0..does.len())
                .filter(|at| possible.len() == 1 || possible.binary_search(at).is_err());
            let settled: Vec<(usize, bool)> =
                settled.map(|at| (does.start + at, is_only(at))).collect();
            wires.set(&settled)?;
        }
        let next = |wires: &Substitution<'_>| -> Vec<Edge> {
            let outputs = free.iter().map(|&base| layout.next.start + base);
            outputs.map(|output| wires.output(output)).collect()
        };
        let cofactors = possible.iter().map(|moves| moves.len() * free.len());
        if cofactors.sum::<usize>() > MAX_COFACTORS {
            return Err(NotFound::TooMuch);
        }
        let settled = wires.edges();
        let mut ticker = stop.ticker();
        let mut all = Vec::new();
        for (role, possible) in possible.iter().enumerate() {
            let does = &layout.does[role];
            let mut rows = Vec::new();
            if possible.len() == 1 {
                rows.push(next(&wires));
            } else {
                let none: Vec<(usize, bool)> =
                    possible.iter().map(|at| (does.start + at, false)).collect();
                wires.set(&none)?;
                let without = wires.edges();
                let unmoved = next(&wires);
                let places = Places::new(game, free);
                for at in possible {
                    if ticker.is_set() {
                        return Err(NotFound::Stopped);
                    }
                    let changed = wires.set(&[(does.start + at, true)])?;
                    let mut row = unmoved.clone();
                    for &(place, edge) in changed.iter().flat_map(|node| places.of(*node)) {
                        row[place] = wires.of(edge);
                    }
                    rows.push(row);
                    wires.restore_nodes(&changed, &without);
                }
                wires.restore(&settled);
            }
            let legal = possible.iter().map(|at| {
                let legal = wires.output(layout.legal[role].start + at);
                conditions(&wires.builder, legal)
            });
            all.push((rows, legal.collect::<Vec<_>>()));
        }
        let builder = wires.builder;
        let mut place_of = vec![None; layout.inputs()];
        for (place, &base) in free.iter().enumerate() {
            place_of[base] = Some(place);
        }
        let mut supports = Supports {
            circuit: game.lowered(),
            builder: &builder,
            seen: independent(&builder, &place_of),
            place_of: &place_of,
            sets,
        };
        let mut roles = Vec::new();
        for ((rows, legal), possible) in all.into_iter().zip(possible) {
            for row in &rows {
                for (place, &edge) in row.iter().enumerate() {
                    if let Some(other) = supports.gather(edge) {
                        supports.sets.unite(place, other);
                    }
                }
            }
            let mut gathered = |conditions: Vec<Edge>| -> Vec<(Edge, Option<usize>)> {
                let conditions = conditions.into_iter();
                conditions
                    .map(|edge| (edge, supports.gather(edge)))
                    .collect()
            };
            roles.push(Cofactors {
                moves: possible.iter().map(|&at| Move(at as u32)).collect(),
                next: rows,
                legal: legal.into_iter().map(&mut gathered).collect(),
            });
        }
        Ok(PhaseCofactors { builder, roles })
    }
}

/// The next propositions that come from each node.
struct Places(Vec<Vec<(usize, Edge)>>);

impl Places {
    fn new(game: &GroundGame, free: &[usize]) -> Places {
        let circuit = game.lowered();
        let mut places = vec![Vec::new(); circuit.nodes().len()];
        for (place, &base) in free.iter().enumerate() {
            let edge = circuit.outputs()[game.layout().next.start + base];
            places[edge.node().index()].push((place, edge));
        }
        Places(places)
    }

    fn of(&self, node: NodeId) -> &[(usize, Edge)] {
        &self.0[node.index()]
    }
}

/// The edges of which an edge is the conjunction: ascending, none of them a conjunction itself.
fn conditions(builder: &Builder, edge: Edge) -> Vec<Edge> {
    let mut found = conjuncts(|node| builder.node(node), [edge]);
    found.sort_unstable();
    found
}

/// By node, `Some(None)` if it depends on no proposition that counts.
fn independent(builder: &Builder, place_of: &[Option<usize>]) -> Vec<Option<Option<usize>>> {
    let mut known: Vec<Option<Option<usize>>> = Vec::with_capacity(builder.len());
    for node in (0..builder.len() as u32).map(NodeId) {
        let counts = match builder.node(node) {
            Node::False => false,
            Node::Input(input) => place_of[input.index()].is_some(),
            Node::And(a, b) => [a, b]
                .iter()
                .any(|edge| known[edge.node().index()].is_none()),
            // The dependencies of recursion come later.
            Node::Feedback => true,
        };
        known.push((!counts).then_some(None));
    }
    known
}

/// Unites the propositions on which edges depend.
struct Supports<'a> {
    circuit: &'a Circuit,
    builder: &'a Builder,
    /// By input, the place of the proposition, if it counts.
    place_of: &'a [Option<usize>],
    /// By node that was visited, one of the propositions that are united with those it depends on, if
    /// there are any.
    seen: Vec<Option<Option<usize>>>,
    sets: &'a mut Sets,
}

impl Supports<'_> {
    /// Unites the propositions on which an edge depends, and gives one of them.
    fn gather(&mut self, edge: Edge) -> Option<usize> {
        if let Some(found) = self.seen[edge.node().index()] {
            return found;
        }
        let mut found: Option<usize> = None;
        let mut visited = Vec::new();
        let mut open = vec![edge.node()];
        while let Some(node) = open.pop() {
            let place = match self.seen[node.index()] {
                Some(place) => place,
                None => {
                    // It is known when all is visited.
                    self.seen[node.index()] = Some(None);
                    visited.push(node);
                    match self.builder.node(node) {
                        Node::And(a, b) => open.extend([a.node(), b.node()]),
                        Node::Feedback => open.push(self.circuit.source(node).node()),
                        Node::False | Node::Input(_) => {}
                    }
                    match self.builder.node(node) {
                        Node::Input(input) => self.place_of[input.index()],
                        _ => None,
                    }
                }
            };
            if let Some(place) = place {
                self.sets.unite(place, *found.get_or_insert(place));
            }
        }
        for node in visited {
            self.seen[node.index()] = Some(found);
        }
        found
    }
}
