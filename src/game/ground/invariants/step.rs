//! A step of a game as clauses: a state, a joint move that is legal in it, and the next state. A
//! SAT solver determines whether something is impossible there.
//!
//! Only queried parts are encoded as clauses, and the rules of moves are added incrementally: most
//! questions are answered by the next state's logic alone. Everything left out, because it was not
//! needed or for lack of space or time, allows more than the game does. So a result of "impossible"
//! is sound.
//!
//! A node and the nodes that only it reads become one set of clauses (Tseitin 1968, on
//! wide gates). In loops any fixpoint is allowed where the game has the least: again,
//! more than the game allows; a step that the solver finds there is checked by evaluation.

use batsat::Lit;
use propjit_jit::circuit::{Edge, Node, NodeId};
use rustc_hash::FxHashMap;

use super::net::Net;
use super::solver::Solver;
use propjit_stop::Stop;

/// One of the two states of a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum When {
    /// The state in which the moves are made.
    Now,
    /// The state after them.
    Next,
}

/// The maximum part of the game that is encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    /// The queried parts, and the legality of the moves in them. The verdict is never "possible".
    Near,
    /// All moves.
    Whole,
    /// A state by itself, terminal or not: whether a move can be made in it does not matter.
    State,
}

/// An answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// The premises do not hold together in any step.
    Impossible,
    /// The premises hold in a step from some state in which the invariants hold, reachable or not.
    Possible,
    /// The query was not decided within the time and the other limits.
    Unknown,
}

/// The part of the rules of moves that is in the clauses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Rules {
    /// A role makes at most one of the moves that are in the clauses.
    OneMove,
    /// These moves are also legal.
    Legal,
    /// All moves are in the clauses, and each role makes one.
    All,
}

/// The clauses of a step.
pub(crate) struct Step<'a> {
    net: &'a Net<'a>,
    solver: Solver,
    known: FxHashMap<(When, NodeId), Lit>,
    scope: Scope,
    rules: Rules,
    roles: Vec<Choice>,
    /// Feedback nodes in the clauses, with sources that are not in them yet.
    feedback: Vec<(When, NodeId, Lit)>,
    /// Whether there are loops in the clauses.
    has_feedback: bool,
    /// Whether nothing more may be added to the clauses, for lack of space or time.
    is_full: bool,
}

/// The moves of a role that are in the clauses.
#[derive(Default)]
struct Choice {
    /// True if one of those so far is made.
    made: Option<Lit>,
    /// Moves for which legality is not in the clauses, with their number.
    unruled: Vec<(usize, Lit)>,
}

impl<'a> Step<'a> {
    /// Creates a step from any state. A query ends after `conflicts` conflicts, and all of them end
    /// when `stop` is set.
    pub(crate) fn new(net: &'a Net<'a>, scope: Scope, conflicts: u64, stop: &Stop) -> Step<'a> {
        Step {
            net,
            solver: Solver::new(conflicts, stop),
            known: FxHashMap::default(),
            scope,
            rules: Rules::OneMove,
            roles: net.layout.does.iter().map(|_| Choice::default()).collect(),
            feedback: Vec::new(),
            has_feedback: false,
            is_full: false,
        }
    }

    /// Returns the literal of a base proposition.
    pub(crate) fn base(&mut self, when: When, proposition: usize) -> Lit {
        let input = self.net.circuit.inputs()[proposition];
        self.edge(when, Edge::from(input))
    }

    /// Returns the literal of an edge, which must not depend on moves in the next state.
    pub(crate) fn edge(&mut self, when: When, edge: Edge) -> Lit {
        let lit = self.node(when, edge.node());
        lit ^ edge.inverted()
    }

    /// Returns a literal that is always true.
    pub(crate) fn truth(&self) -> Lit {
        self.solver.truth()
    }

    /// Returns a literal that is true if both are, and otherwise false.
    pub(crate) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        self.and_all(&[a, b])
    }

    /// Returns a literal that is true if all are, and otherwise false.
    pub(crate) fn and_all(&mut self, all: &[Lit]) -> Lit {
        self.solver.and_all(all)
    }

    /// Requires one of the literals to be true.
    pub(crate) fn clause(&mut self, lits: &[Lit]) {
        self.solver.clause(lits);
    }

    /// Returns whether all of these can be true in a step.
    pub(crate) fn query(&mut self, premises: &[Lit]) -> Verdict {
        if self.solver.is_stopped() {
            return Verdict::Unknown;
        }
        loop {
            self.close();
            match self.solver.solve(premises) {
                Some(false) => return Verdict::Impossible,
                None => return Verdict::Unknown,
                Some(true) => {}
            }
            match (self.scope, self.rules) {
                (Scope::Near | Scope::Whole, Rules::OneMove) => self.rules = Rules::Legal,
                (Scope::Near, _) => return Verdict::Unknown,
                (Scope::Whole, Rules::Legal) => {
                    self.rules = Rules::All;
                    self.all_moves();
                }
                (Scope::State, _) | (Scope::Whole, Rules::All) => {
                    let is_certain = !self.is_full && (!self.has_feedback || self.is_genuine());
                    return match is_certain {
                        true => Verdict::Possible,
                        false => Verdict::Unknown,
                    };
                }
            }
        }
    }

    /// Returns whether loops have their least fixpoints in the step that was found possible, judged
    /// by the outputs.
    fn is_genuine(&self) -> bool {
        let circuit = self.net.circuit;
        let value = |when, node| {
            self.known
                .get(&(when, node))
                .map(|&lit| self.solver.was_true(lit))
        };
        let inputs = circuit.inputs().iter();
        let inputs: Vec<bool> = inputs
            .map(|&input| value(When::Now, input).unwrap_or(false))
            .collect();
        let agrees = |when, outputs: &[bool]| {
            let mut outputs = circuit.outputs().iter().zip(outputs);
            outputs.all(|(edge, &output)| {
                let value = value(when, edge.node());
                value.is_none_or(|value| (value != edge.inverted()) == output)
            })
        };
        let now = circuit.evaluate(&inputs);
        if !agrees(When::Now, &now) {
            return false;
        }
        let mut after = vec![false; inputs.len()];
        let layout = self.net.layout;
        after[layout.bases.clone()].copy_from_slice(&now[layout.next.clone()]);
        agrees(When::Next, &circuit.evaluate(&after))
    }

    /// Adds the clauses that the existing ones need.
    fn close(&mut self) {
        loop {
            if let Some((when, node, lit)) = self.feedback.pop() {
                let source = self.edge(when, self.source(node));
                self.clause(&[!lit, source]);
                self.clause(&[lit, !source]);
            } else if let Some((role, number, lit)) = self.next_unruled() {
                let legal = self.net.layout.legal[role].start + number;
                let legal = self.edge(When::Now, self.net.circuit.outputs()[legal]);
                self.clause(&[!lit, legal]);
            } else {
                break;
            }
        }
    }

    /// Returns a move for which legality has to be added to the clauses.
    fn next_unruled(&mut self) -> Option<(usize, usize, Lit)> {
        if self.rules == Rules::OneMove {
            return None;
        }
        let mut roles = self.roles.iter_mut().enumerate();
        roles.find_map(|(role, choice)| {
            let (number, lit) = choice.unruled.pop()?;
            Some((role, number, lit))
        })
    }

    /// Adds all moves to the clauses, and the condition that each role makes one.
    fn all_moves(&mut self) {
        for (role, does) in self.net.layout.does.iter().enumerate() {
            for &input in &self.net.circuit.inputs()[does.clone()] {
                self.node(When::Now, input);
            }
            // The move may be one of those for which there was no space.
            if let Some(made) = self.roles[role].made.filter(|_| !self.is_full) {
                self.clause(&[made]);
            }
        }
    }

    /// Returns the source of a feedback node.
    fn source(&self, feedback: NodeId) -> Edge {
        let loops = self.net.circuit.loops();
        let at = loops.partition_point(|l| l.nodes.end <= feedback.0);
        let pairs = loops.get(at).map_or(&[][..], |l| &l.feedback);
        let at = pairs.binary_search_by_key(&feedback, |&(node, _)| node);
        pairs[at.expect("feedback nodes have sources")].1
    }

    /// Returns the literal of a node, after encoding everything that it depends on.
    fn node(&mut self, when: When, node: NodeId) -> Lit {
        let mut waiting = vec![(when, node)];
        while let Some(&(when, node)) = waiting.last() {
            if !self.known.contains_key(&(when, node)) {
                let waits = waiting.len();
                let Some(lit) = self.define(when, node, &mut waiting) else {
                    debug_assert!(waiting.len() > waits, "something is missing");
                    continue;
                };
                self.known.insert((when, node), lit);
            }
            waiting.pop();
        }
        self.known[&(when, node)]
    }

    /// Returns the literal of a new node, unless its operands are missing, which are then added to
    /// the waiting nodes.
    fn define(
        &mut self,
        when: When,
        node: NodeId,
        waiting: &mut Vec<(When, NodeId)>,
    ) -> Option<Lit> {
        if self.is_full() {
            return Some(self.solver.variable());
        }
        match (self.net.circuit.node(node), when) {
            (Node::False, _) => Some(!self.truth()),
            (Node::Input(input), When::Now) => {
                let lit = self.solver.variable();
                self.add_move(input.index(), lit);
                Some(lit)
            }
            (Node::Input(input), When::Next) => {
                let input = input.index();
                if !self.net.layout.bases.contains(&input) {
                    // Moves in the next state are not queried.
                    return Some(self.solver.variable());
                }
                let next = self.net.next(input);
                match self.known.get(&(When::Now, next.node())) {
                    Some(&lit) => Some(lit ^ next.inverted()),
                    None => {
                        waiting.push((When::Now, next.node()));
                        None
                    }
                }
            }
            (Node::And(..), _) => {
                let operands = self.operands(when, node);
                let missing = operands.iter().map(|edge| (when, edge.node()));
                let missing = missing.filter(|key| !self.known.contains_key(key));
                let waits = waiting.len();
                waiting.extend(missing);
                if waiting.len() > waits {
                    return None;
                }
                let lit = |edge: &Edge| self.known[&(when, edge.node())] ^ edge.inverted();
                let lits: Vec<Lit> = operands.iter().map(lit).collect();
                Some(self.solver.and_all(&lits))
            }
            (Node::Feedback, _) => {
                let lit = self.solver.variable();
                self.has_feedback = true;
                self.feedback.push((when, node, lit));
                Some(lit)
            }
        }
    }

    /// Returns the operands of the widest conjunction, within limits, that ends in this gate, of
    /// gates that have no other reader.
    fn operands(&self, when: When, node: NodeId) -> Vec<Edge> {
        let is_known = |node| self.known.contains_key(&(when, node));
        self.net.operands(node, is_known)
    }

    /// Records that a move is in the clauses now, if the input is one.
    fn add_move(&mut self, input: usize, lit: Lit) {
        let role = self.net.layout.does.iter();
        let Some(role) = role.clone().position(|does| does.contains(&input)) else {
            return;
        };
        let number = input - self.net.layout.does[role].start;
        let made = match self.roles[role].made {
            None => lit,
            Some(before) => self.solver.exclusive(before, lit),
        };
        let choice = &mut self.roles[role];
        choice.made = Some(made);
        choice.unruled.push((number, lit));
    }

    /// Returns whether nothing more may be added to the clauses.
    fn is_full(&mut self) -> bool {
        let has_no_room = self.solver.variables() >= self.net.variables();
        let looks = self.known.len().is_multiple_of(1024);
        self.is_full |= has_no_room || looks && self.solver.is_stopped();
        self.is_full
    }
}
