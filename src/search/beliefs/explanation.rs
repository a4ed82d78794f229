//! Explanations of all that was observed, found by a SAT solver.
//!
//! Where a match is long and little of what might have happened explains the percepts, random histories seldom do. All
//! states and moves since the start are then clauses, and so is what was observed: solutions are histories that explain
//! it all, each with the weight that it has by the moves that could have been made instead. But which of them are found is not
//! random.

use batsat::Lit;
use propjit_stop::Stop;

use super::observation::Observation;
use crate::game::ground::GroundGame;
use crate::game::ground::invariants::gates::Gates;
use crate::game::ground::invariants::net::Net;
use crate::game::ground::invariants::solver::Solver;
use crate::game::machine::{Move, RoleId};

/// The most variables of the clauses, and the most conflicts on the way to a history.
const VARIABLES: u32 = 4_000_000;
const CONFLICTS: u64 = 100_000;

/// What a SAT solver says about observations.
pub(super) struct Explanations {
    /// Histories: the joint moves of each, one for each observation. Their last states differ.
    pub(super) histories: Vec<Vec<Vec<Move>>>,
    /// Whether there are no others that lead to another state.
    pub(super) are_all: bool,
}

/// Finds histories that explain what a role observed since the initial state, `most` of them at most. If a stop comes, there are
/// fewer.
pub(super) fn explain<'a>(
    game: &GroundGame,
    role: RoleId,
    observations: impl Iterator<Item = &'a Observation>,
    most: usize,
    stop: &Stop,
) -> Explanations {
    let mut found = Explanations {
        histories: Vec::new(),
        are_all: false,
    };
    let net = Net::new(game, VARIABLES);
    // Clauses do not express what holds by recursion.
    if !net.circuit.loops().is_empty() {
        return found;
    }
    let mut clauses = Clauses::new(&net, role, stop);
    for observation in observations {
        if stop.is_set() || clauses.solver.variables() >= net.variables() {
            return found;
        }
        clauses.observe(observation);
    }
    while found.histories.len() < most {
        clauses.solver.limit(CONFLICTS, stop);
        match clauses.solver.solve(&[]) {
            Some(true) => found.histories.push(clauses.history()),
            Some(false) => {
                found.are_all = true;
                break;
            }
            None => break,
        }
        clauses.exclude_last_state();
    }
    found
}

/// The clauses of a match that a role observed.
struct Clauses<'a> {
    net: &'a Net<'a>,
    role: RoleId,
    solver: Solver,
    /// The gates of legal moves and terminal, and those of percepts and the next state.
    of_state: Gates,
    of_step: Gates,
    /// The literals of the base propositions in the last state.
    bases: Vec<Lit>,
    /// The moves that each role may have made, by step.
    moves: Vec<Vec<Vec<(Move, Lit)>>>,
}

impl<'a> Clauses<'a> {
    fn new(net: &'a Net<'a>, role: RoleId, stop: &Stop) -> Clauses<'a> {
        let layout = net.layout;
        let mut seen = vec![false; net.circuit.nodes().len()];
        let legal = layout.legal.iter().cloned().flatten();
        let of_state = Gates::of(net, legal.chain([layout.terminal]), &mut seen);
        let percepts = layout.percepts[role.index()].clone();
        let of_step = Gates::of(net, layout.next.clone().chain(percepts), &mut seen);
        let solver = Solver::new(CONFLICTS, stop);
        let initial = net.game.initial();
        let bases = 0..layout.bases.len();
        Clauses {
            net,
            role,
            bases: bases
                .map(|base| solver.truth() ^ !initial.contains(base))
                .collect(),
            solver,
            of_state,
            of_step,
            moves: Vec::new(),
        }
    }

    /// Adds a joint move of which the role observed this.
    fn observe(&mut self, observation: &Observation) {
        let (net, layout) = (self.net, self.net.layout);
        let none = !self.solver.truth();
        let mut wires = self.wires();
        let terminal = net.output(&wires, layout.terminal);
        self.solver.clause(&[!terminal]);
        let mut made = Vec::new();
        for role in layout.roles() {
            let mut of_role = Vec::new();
            let inputs = layout.does[role.index()].clone();
            let legal = layout.legal[role.index()].clone();
            let mut one = none;
            for ((number, input), output) in (0..).zip(inputs).zip(legal) {
                let is_own = role == self.role;
                let legal = net.output(&wires, output);
                let lit = match (is_own, observation.own == Move(number)) {
                    (true, false) => continue,
                    (true, true) => legal,
                    (false, _) if legal == none => continue,
                    (false, _) => self.solver.variable(),
                };
                self.solver.clause(&[!lit, legal]);
                one = self.solver.exclusive(one, lit);
                of_role.push((Move(number), lit));
                wires[net.circuit.inputs()[input].index()] = lit;
            }
            self.solver.clause(&[one]);
            made.push(of_role);
        }
        self.of_step.define(&mut wires, &mut self.solver);
        for (percept, output) in layout.percepts[self.role.index()].clone().enumerate() {
            let lit = net.output(&wires, output);
            self.solver.clause(&[lit ^ !observation.has(percept)]);
        }
        self.bases = (layout.next.clone())
            .map(|output| net.output(&wires, output))
            .collect();
        self.moves.push(made);
        let wires = self.wires();
        let terminal = net.output(&wires, layout.terminal);
        self.solver.clause(&[terminal ^ !observation.is_over]);
    }

    /// The literals of the nodes in the last state, as far as they do not depend on moves.
    fn wires(&mut self) -> Vec<Lit> {
        let mut wires = vec![!self.solver.truth(); self.net.circuit.nodes().len()];
        for (&input, &lit) in self.net.circuit.inputs().iter().zip(&self.bases) {
            wires[input.index()] = lit;
        }
        self.of_state.define(&mut wires, &mut self.solver);
        wires
    }

    /// The joint moves of the solution that was found last.
    fn history(&self) -> Vec<Vec<Move>> {
        let made = |of_role: &Vec<(Move, Lit)>| {
            let mut moves = of_role.iter();
            moves
                .find(|(_, lit)| self.solver.was_true(*lit))
                .map(|&(made, _)| made)
        };
        let joint = |roles: &Vec<Vec<(Move, Lit)>>| roles.iter().filter_map(made).collect();
        self.moves.iter().map(joint).collect()
    }

    /// Requires another last state than that of the solution that was found last.
    fn exclude_last_state(&mut self) {
        let others = self.bases.iter();
        let others = others.map(|&lit| lit ^ self.solver.was_true(lit));
        let others: Vec<Lit> = others.collect();
        self.solver.clause(&others);
    }
}
