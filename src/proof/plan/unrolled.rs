//! Unrolled games: the clauses of all states and moves from a root on, step by step.
//!
//! Planning as satisfiability (Kautz and Selman, "Planning as satisfiability", 1992), from a
//! circuit. The root's propositions are constants, so that whatever does not depend on moves, such
//! as step counters, is a constant at each step and makes no clauses.
//!
//! In each step one move is made; or several, if their [`Effects`] are known and they could be
//! made in any order, which makes steps fewer by far where the order matters little.
//!
//! Propositions that change by themselves are then functions of the number of moves made: they follow from
//! a unary count of them.
//!
//! Once a match is over, nothing is required of what follows; so a solution may be shorter than
//! the clauses reach.

use batsat::Lit;
use propjit_stop::Stop;

use crate::game::ground::invariants::gates::Gates;
use crate::game::ground::invariants::net::Net;
use crate::game::ground::invariants::solver::Solver;
use crate::game::machine::{Move, State};

use super::ROLE;
use super::clock::Clock;
use super::effects::Effects;

/// The clauses of the states from a root on.
pub(super) struct Unrolled<'a> {
    net: &'a Net<'a>,
    solver: Solver,
    parts: Parts,
    /// The effects of moves, if several are made in a step.
    parallel: Option<Parallel>,
    states: Vec<StateWires>,
}

/// The effects of moves, and groups of them of which a step has one at most.
struct Parallel {
    effects: Effects,
    groups: Vec<Vec<usize>>,
}

/// The gates by what they are for.
struct Parts {
    /// Legal moves and terminal.
    state: Gates,
    /// The next state.
    next: Gates,
    goals: Gates,
}

/// The wires in a state.
struct StateWires {
    /// By node; those of gates that are not in the clauses mean nothing.
    lits: Vec<Lit>,
    has_goals: bool,
    /// Whether at least one move was made before, at least two, and so on, up to the number that matters.
    count: Vec<Lit>,
    /// The moves that may be made, once they are in the clauses.
    moves: Vec<(Move, Lit)>,
    terminal: Lit,
    /// Whether no move is legal, though the state is not terminal.
    stuck: Lit,
    /// Whether the match does not continue, from this state or from one before.
    over: Lit,
}

impl<'a> Unrolled<'a> {
    /// The root alone; `None` if there are loops in the circuit, which clauses do not express.
    /// With effects, several moves are made in a step.
    pub(super) fn new(
        net: &'a Net<'a>,
        root: &State,
        parallel: Option<Effects>,
    ) -> Option<Unrolled<'a>> {
        if !net.circuit.loops().is_empty() {
            return None;
        }
        let ticks = parallel.as_ref().map_or(0, |effects| effects.clock.ticks());
        let mut unrolled = Unrolled {
            net,
            solver: Solver::new(0, &Stop::new()),
            parts: Parts::new(net),
            parallel: parallel.map(|effects| Parallel {
                groups: effects.groups(),
                effects,
            }),
            states: Vec::new(),
        };
        let truth = unrolled.solver.truth();
        let bases = (0..net.layout.bases.len()).map(|base| truth ^ !root.contains(base));
        let bases = bases.collect();
        unrolled.add_state(bases, vec![!truth; ticks], !truth);
        Some(unrolled)
    }

    /// The number of steps so far.
    pub(super) fn steps(&self) -> usize {
        self.states.len() - 1
    }

    /// Whether nothing more may be put in the clauses, for lack of room.
    pub(super) fn is_full(&self) -> bool {
        self.solver.variables() >= self.net.variables()
    }

    /// Returns whether the match is obviously over after `steps` steps, whatever is played.
    pub(super) fn is_surely_over(&self, steps: usize) -> bool {
        self.states[steps].over == self.solver.truth()
    }

    /// Sets the limits of the questions to come.
    pub(super) fn limit(&mut self, conflicts: u64, stop: &Stop) {
        self.solver.limit(conflicts, stop);
    }

    /// Adds a step.
    pub(super) fn extend(&mut self) {
        let at = self.steps();
        let made = self.add_moves(at);
        let (next, count) = match self.parallel.take() {
            None => (self.after_one(at, &made), Vec::new()),
            Some(parallel) => {
                let count = self.count(at, &made, &parallel.groups);
                let next = self.after_several(at, &made, &parallel.effects, &count);
                self.parallel = Some(parallel);
                (next, count)
            }
        };
        let before = self.states[at].over;
        self.add_state(next, count, before);
    }

    /// Returns whether a match can end after exactly `steps` steps, with a goal of at least `value`; `None`
    /// if that was not found out within the limits.
    pub(super) fn can_end(&mut self, steps: usize, value: i32) -> Option<bool> {
        let truth = self.solver.truth();
        let terminal = self.states[steps].terminal;
        let before = self.over_before(steps);
        if terminal == !truth || before == truth {
            return Some(false);
        }
        let goals = self.goals(steps);
        let enough = goals.iter().filter(|(goal, _)| *goal >= value);
        let enough: Vec<Lit> = enough.map(|(_, lit)| !*lit).collect();
        let enough = !self.solver.and_all(&enough);
        self.solver.solve(&[terminal, !before, enough])
    }

    /// Returns whether a match can come to an end that proves nothing after exactly this number of steps:
    /// without exactly one goal, or as no move is legal; `None` if that was not found out within the
    /// limits.
    pub(super) fn can_be_undefined(&mut self, steps: usize) -> Option<bool> {
        let truth = self.solver.truth();
        let (mut some, mut several) = (!truth, !truth);
        for (_, goal) in self.goals(steps) {
            let another = self.solver.and_all(&[some, goal]);
            several = self.solver.either(several, another);
            some = self.solver.either(some, goal);
        }
        let is_one = self.solver.and_all(&[some, !several]);
        let terminal = self.states[steps].terminal;
        let undefined = self.solver.and_all(&[terminal, !is_one]);
        let undefined = self.solver.either(undefined, self.states[steps].stuck);
        let before = self.over_before(steps);
        self.solver.solve(&[!before, undefined])
    }

    /// Returns whether the match does not continue beyond the state before a step.
    fn over_before(&self, steps: usize) -> Lit {
        let before = steps.checked_sub(1);
        before.map_or(!self.solver.truth(), |at| self.states[at].over)
    }

    /// The goals of the role, with their values, after this number of steps.
    fn goals(&mut self, steps: usize) -> Vec<(i32, Lit)> {
        if !self.states[steps].has_goals {
            self.define(steps, |parts| &parts.goals);
            self.states[steps].has_goals = true;
        }
        let goals = &self.net.game.propnet().roles[ROLE.index()].goals;
        let outputs = self.net.layout.goals[ROLE.index()].clone();
        (goals.iter().zip(outputs))
            .map(|(goal, output)| (goal.value, self.output(steps, output)))
            .collect()
    }

    /// Returns whether a match can last for more than `steps` steps.
    pub(super) fn can_last(&mut self, steps: usize) -> Option<bool> {
        let over = self.states[steps].over;
        self.solver.solve(&[!over])
    }

    /// The moves of the solution that was found last.
    pub(super) fn solution(&self, steps: usize) -> Vec<Move> {
        let moves = self.states[..steps].iter().flat_map(|state| &state.moves);
        let made = moves.filter(|&&(_, lit)| self.solver.was_true(lit));
        made.map(|&(made, _)| made).collect()
    }

    /// Adds a state with these base propositions after `count` moves, before which the match may be over.
    fn add_state(&mut self, bases: Vec<Lit>, count: Vec<Lit>, before: Lit) {
        let truth = self.solver.truth();
        let mut lits = vec![!truth; self.net.circuit.nodes().len()];
        for (&input, lit) in self.net.circuit.inputs().iter().zip(bases) {
            lits[input.index()] = lit;
        }
        self.states.push(StateWires {
            lits,
            has_goals: false,
            count,
            moves: Vec::new(),
            terminal: truth,
            stuck: !truth,
            over: truth,
        });
        let at = self.steps();
        self.define(at, |parts| &parts.state);
        let terminal = self.output(at, self.net.layout.terminal);
        let legal = self.net.layout.legal[ROLE.index()].clone();
        let none_is_legal = legal.map(|output| !self.output(at, output));
        let is_stuck: Vec<Lit> = none_is_legal.chain([!terminal]).collect();
        let stuck = self.solver.and_all(&is_stuck);
        let end = self.solver.either(terminal, stuck);
        let over = self.solver.either(before, end);
        let state = &mut self.states[at];
        (state.terminal, state.stuck, state.over) = (terminal, stuck, over);
    }

    /// Adds the moves that may be legal in a state, and requires that only legal ones are made.
    /// Gives all moves, in their order.
    fn add_moves(&mut self, at: usize) -> Vec<Lit> {
        let truth = self.solver.truth();
        let legal = self.net.layout.legal[ROLE.index()].clone();
        let mut lits = Vec::with_capacity(legal.len());
        for (number, output) in (0..).zip(legal) {
            let legal = self.output(at, output);
            let lit = match legal == !truth {
                true => legal,
                false => {
                    let lit = self.solver.variable();
                    self.solver.clause(&[!lit, legal]);
                    self.states[at].moves.push((Move(number), lit));
                    lit
                }
            };
            lits.push(lit);
        }
        lits
    }

    /// Requires that exactly one move is made, unless the match is over. Gives the base
    /// propositions after it.
    fn after_one(&mut self, at: usize, moves: &[Lit]) -> Vec<Lit> {
        let none = !self.solver.truth();
        let inputs = self.net.layout.does[ROLE.index()].clone();
        let mut made = none;
        for (input, &lit) in inputs.zip(moves) {
            if lit != none {
                made = self.solver.exclusive(made, lit);
            }
            let input = self.net.circuit.inputs()[input];
            self.states[at].lits[input.index()] = lit;
        }
        let over = self.states[at].over;
        self.solver.clause(&[made, over]);
        self.define(at, |parts| &parts.next);
        let next = self.net.layout.next.clone();
        next.map(|output| self.output(at, output)).collect()
    }

    /// Returns how many moves were made after a step, up to the number that matters.
    fn count(&mut self, at: usize, moves: &[Lit], groups: &[Vec<usize>]) -> Vec<Lit> {
        let mut count = self.states[at].count.clone();
        if count.is_empty() {
            return count;
        }
        let truth = self.solver.truth();
        for group in groups {
            let none: Vec<Lit> = group.iter().map(|&made| !moves[made]).collect();
            let made = !self.solver.and_all(&none);
            for number in (0..count.len()).rev() {
                let before = number.checked_sub(1).map_or(truth, |less| count[less]);
                let reached = self.solver.and_all(&[made, before]);
                count[number] = self.solver.either(count[number], reached);
            }
        }
        count
    }

    /// Requires that no two moves are made that exclude each other. Returns the base propositions after
    /// them, if `count` moves were made since the root.
    fn after_several(
        &mut self,
        at: usize,
        moves: &[Lit],
        effects: &Effects,
        count: &[Lit],
    ) -> Vec<Lit> {
        let none = !self.solver.truth();
        for &(a, b) in &effects.conflicts {
            let (a, b) = (moves[a], moves[b]);
            if a != none && b != none {
                self.solver.clause(&[!a, !b]);
            }
        }
        let mut next = Vec::with_capacity(effects.makes.len());
        let bases = self.net.layout.bases.clone().zip(&effects.makes);
        for (base, (input, [adders, deleters])) in bases.enumerate() {
            if effects.clock.contains(base) {
                next.push(self.timed(base, &effects.clock, count));
                continue;
            }
            let node = self.net.circuit.inputs()[input];
            let before = self.states[at].lits[node.index()];
            let kept = deleters.iter().map(|&made| !moves[made]);
            let kept: Vec<Lit> = kept.chain([before]).collect();
            let unset = adders.iter().map(|&made| !moves[made]);
            let unset: Vec<Lit> = unset.chain([!self.solver.and_all(&kept)]).collect();
            next.push(!self.solver.and_all(&unset));
        }
        next
    }

    /// Returns whether a proposition of the clock holds after `count` moves.
    fn timed(&mut self, base: usize, clock: &Clock, count: &[Lit]) -> Lit {
        let truth = self.solver.truth();
        let mut never = Vec::new();
        for time in clock.times(base) {
            let reached = time.checked_sub(1).map_or(truth, |less| count[less]);
            let passed = count.get(time).copied().unwrap_or(!truth);
            never.push(!self.solver.and_all(&[reached, !passed]));
        }
        !self.solver.and_all(&never)
    }

    /// Makes clauses of gates in a state.
    fn define(&mut self, at: usize, part: fn(&Parts) -> &Gates) {
        let wires = &mut self.states[at].lits;
        part(&self.parts).define(wires, &mut self.solver);
    }

    /// The literal of an output in a state.
    fn output(&self, at: usize, output: usize) -> Lit {
        self.net.output(&self.states[at].lits, output)
    }
}

impl Parts {
    fn new(net: &Net) -> Parts {
        let layout = net.layout;
        let mut seen = vec![false; net.circuit.nodes().len()];
        let legal = layout.legal.iter().cloned().flatten();
        let goals = layout.goals.iter().cloned().flatten();
        let state = Gates::of(net, legal.chain([layout.terminal]), &mut seen);
        Parts {
            state,
            // Nothing may follow a state with goals, so these do without the gates of the next state.
            goals: Gates::of(net, goals, &mut seen.clone()),
            next: Gates::of(net, layout.next.clone(), &mut seen),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashSet};

    use super::super::tests::{Task, lock, replayed, task};
    use super::*;
    use crate::game::machine::expansion::Expander;

    /// The numbers of steps after which matches end, and the goals then.
    fn ends(task: &Task) -> BTreeSet<(usize, i32)> {
        let mut expander = Expander::new(&task.engines);
        let root = task.root.state.packed(expander.words());
        let mut layer = HashSet::from([root]);
        let mut ends = BTreeSet::new();
        for steps in 1.. {
            let mut next = HashSet::new();
            for state in &layer {
                expander.expand(state, |child| {
                    match child.goals.map(|goals| goals[0]) {
                        Some(Some(goal)) => drop(ends.insert((steps, goal))),
                        Some(None) => {}
                        None => drop(next.insert(child.state.to_vec())),
                    };
                });
            }
            if next.is_empty() {
                break;
            }
            layer = next;
        }
        ends
    }

    #[test]
    fn ends_that_prove_nothing_are_found() {
        // After `left`, the match ends; after two steps it cannot go on.
        let rules = |goal: &str| {
            format!(
                "(role r) (init (at 0)) (<= (legal r left) (not (true (at 2))))
                (<= (legal r right) (not (true (at 2))))
                (<= (next over) (does r left))
                (<= (next (at 1)) (true (at 0)) (does r right)) (<= (next (at 2)) (true (at 1)))
                (<= terminal (true over)) (goal r 50) {goal}"
            )
        };
        for (goal, expected) in [
            ("", [false, false, true]),
            ("(<= (goal r 0) (true over))", [false, true, true]),
            (
                "(<= (goal r 0) (true nowhere)) (<= (next nowhere) (true nowhere))",
                [false, false, true],
            ),
        ] {
            let task = task(&rules(goal));
            let net = Net::new(task.engines.game(), 100_000);
            let mut unrolled = Unrolled::new(&net, &task.root.state, None).unwrap();
            unrolled.extend();
            unrolled.extend();
            unrolled.limit(1_000_000, &Stop::new());
            let found = [0, 1, 2].map(|steps| unrolled.can_be_undefined(steps).unwrap());
            assert_eq!(found, expected, "{goal}");
            assert_eq!(unrolled.can_last(1), Some(true));
            assert_eq!(unrolled.can_last(2), Some(false));
        }
    }

    #[test]
    fn matches_end_as_they_do_in_the_game() {
        // A walk that may end early.
        let walk =
            "(role r) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (init (at 1)) (init (tired 0))
            (legal r up) (legal r down) (<= (next (tired ?n)) (true (tired ?m)) (succ ?m ?n))
            (<= (next (at ?n)) (true (at ?m)) (does r up) (succ ?m ?n))
            (<= (next (at ?m)) (true (at ?n)) (does r down) (succ ?m ?n))
            (<= terminal (true (at 4))) (<= terminal (true (at 0))) (<= terminal (true (tired 4)))
            (<= (goal r 100) (true (at 4))) (<= (goal r 70) (true (at 0)) (true (tired 3)))
            (<= (goal r 30) (true (at 3))) (<= (goal r 0) (true (at 1)))
            (<= (goal r 0) (true (at 0)) (not (true (tired 3))))";
        // Goals have a gate in common with the next state, and none follows.
        let shared = "(role r) (succ 0 1) (succ 1 2) (init (step 0)) (legal r up) (legal r down)
            (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= terminal (true (step 2)))
            (<= (next one) (does r up)) (<= (next two) (true one)) (<= both (true one) (true two))
            (<= (next three) both (does r down))
            (<= (goal r 100) both) (<= (goal r 0) (not both))";
        for rules in [lock(1), walk.to_string(), shared.to_string()] {
            let task = task(&rules);
            let game = task.engines.game();
            let net = Net::new(game, 1 << 20);
            let mut unrolled = Unrolled::new(&net, &task.root.state, None).unwrap();
            unrolled.limit(u64::MAX, &Stop::new());
            let ends = ends(&task);
            let last = ends.last().unwrap().0;
            for steps in 0..=last {
                for goal in &game.propnet().roles[0].goals {
                    let can = ends
                        .iter()
                        .any(|&(at, with)| at == steps && with >= goal.value);
                    assert_eq!(
                        unrolled.can_end(steps, goal.value),
                        Some(can),
                        "{steps} {goal:?}"
                    );
                    if can {
                        let moves = unrolled.solution(steps);
                        assert_eq!(moves.len(), steps);
                        assert!(replayed(&task, &moves) >= Some(goal.value));
                    }
                }
                assert_eq!(unrolled.can_last(steps), Some(steps < last));
                unrolled.extend();
            }
        }
    }

    #[test]
    fn moves_in_a_step_can_be_made_in_any_order() {
        let counter = "(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7)
             (succ 7 8) (succ 8 9) (init (made 0))
             (<= (next (made ?n)) (true (made ?m)) (succ ?m ?n))
             (<= (goal r 100) (true (made 9))) (<= (goal r 0) (not (true (made 9))))";
        // How many moves were made is seen by what is left, or counted; or it ends after some.
        for (rest, count) in [
            ("(<= (goal r 100) (not open)) (<= (goal r 0) open)", 9),
            (counter, 9),
            (&counter.replace("made 9", "made 5"), 5),
            (
                &(counter.replace("made 9", "made 5") + "(<= terminal (true (made 5)))"),
                5,
            ),
        ] {
            // A Latin square.
            let task = task(&format!(
                "(role r) (digit 1) (digit 2) (digit 3)
                 (<= (init (free ?x ?y)) (digit ?x) (digit ?y))
                 (<= (legal r (write ?x ?y ?d)) (true (free ?x ?y)) (digit ?d)
                     (not (row ?y ?d)) (not (column ?x ?d)))
                 (<= (row ?y ?d) (true (cell ?x ?y ?d)))
                 (<= (column ?x ?d) (true (cell ?x ?y ?d)))
                 (<= (next (cell ?x ?y ?d)) (does r (write ?x ?y ?d)))
                 (<= (next (cell ?x ?y ?d)) (true (cell ?x ?y ?d)))
                 (<= (next (free ?x ?y)) (true (free ?x ?y)) (not (written ?x ?y)))
                 (<= (written ?x ?y) (does r (write ?x ?y ?d)))
                 (<= open (true (free ?x ?y)))
                 (<= going (legal r ?m)) (<= terminal (not going)) {rest}"
            ));
            let game = task.engines.game();
            let net = Net::new(game, 1 << 20);
            let clock = Clock::new(game, &task.root.state);
            let effects = Effects::of(game, clock).unwrap();
            let mut unrolled = Unrolled::new(&net, &task.root.state, Some(effects)).unwrap();
            unrolled.limit(u64::MAX, &Stop::new());
            let steps = (1..20).find(|&steps| {
                unrolled.extend();
                unrolled.can_end(steps, 100) == Some(true)
            });
            let moves = unrolled.solution(steps.unwrap());
            assert_eq!((steps, moves.len()), (Some(1), count), "{rest}");
            assert_eq!(replayed(&task, &moves), Some(100), "{rest}");
        }
    }
}
