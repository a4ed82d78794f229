//! The SAT solver with limits, and clauses for gates.

use std::cell::Cell;

use batsat::{Callbacks, ClauseKind, Lit, SolverInterface, SolverOpts, lbool};
use propjit_stop::Stop;

/// A SAT solver that gives up after some conflicts, or when it is to stop.
pub(crate) struct Solver {
    solver: batsat::Solver<Limits>,
    truth: Lit,
}

/// When the solver gives up.
struct Limits {
    end: Stop,
    /// The most conflicts for one question.
    conflicts: u64,
    /// How many there were.
    seen: u64,
    /// How often the solver has asked whether to stop.
    asked: Cell<u64>,
    stopped: Cell<bool>,
}

impl Callbacks for Limits {
    fn on_new_clause(&mut self, _: &[Lit], kind: ClauseKind) {
        self.seen += u64::from(kind == ClauseKind::Learnt);
    }

    fn stop(&self) -> bool {
        let asked = self.asked.get();
        self.asked.set(asked + 1);
        // Looking at the clock takes longer than a decision.
        if asked.is_multiple_of(64) && self.end.is_set() {
            self.stopped.set(true);
        }
        self.stopped.get() || self.seen > self.conflicts
    }
}

impl Solver {
    /// A solver without clauses. A question ends after `conflicts` conflicts, and all of them end
    /// when `stop` is set.
    pub(crate) fn new(conflicts: u64, stop: &Stop) -> Solver {
        let limits = Limits {
            end: stop.clone(),
            conflicts,
            seen: 0,
            asked: Cell::new(0),
            stopped: Cell::new(false),
        };
        let mut solver = batsat::Solver::new(SolverOpts::default(), limits);
        let truth = Lit::new(solver.new_var_default(), true);
        let mut solver = Solver { solver, truth };
        solver.clause(&[truth]);
        solver
    }

    /// Sets other limits for the questions to come.
    pub(crate) fn limit(&mut self, conflicts: u64, stop: &Stop) {
        let limits = self.solver.cb_mut();
        limits.conflicts = conflicts;
        limits.end = stop.clone();
        limits.stopped.set(false);
    }

    /// Whether no more questions are answered.
    pub(crate) fn is_stopped(&self) -> bool {
        self.solver.cb().end.is_set()
    }

    /// A literal that is always true.
    pub(crate) fn truth(&self) -> Lit {
        self.truth
    }

    /// A new literal.
    pub(crate) fn variable(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    /// The number of variables so far.
    pub(crate) fn variables(&self) -> u32 {
        self.solver.num_vars()
    }

    /// Requires one of the literals to be true.
    pub(crate) fn clause(&mut self, lits: &[Lit]) {
        self.solver.add_clause_reuse(&mut lits.to_vec());
    }

    /// A literal that is true if all are, and otherwise false: an existing one where that is
    /// obvious.
    pub(crate) fn and_all(&mut self, all: &[Lit]) -> Lit {
        let mut left: Vec<Lit> = (all.iter().copied())
            .filter(|&lit| lit != self.truth)
            .collect();
        left.sort_unstable();
        left.dedup();
        // A literal and its negation are neighbours.
        let contradicts = left.windows(2).any(|pair| pair[0] == !pair[1]);
        match left[..] {
            _ if contradicts || left.contains(&!self.truth) => !self.truth,
            [] => self.truth,
            [only] => only,
            _ => {
                let defined = self.variable();
                for &lit in &left {
                    self.clause(&[!defined, lit]);
                }
                left.iter_mut().for_each(|lit| *lit = !*lit);
                left.push(defined);
                self.clause(&left);
                defined
            }
        }
    }

    /// A literal that is true if one of two is.
    pub(crate) fn either(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and_all(&[!a, !b])
    }

    /// Forbids that both of two literals are true, and gives one that is true if one is: of all
    /// literals together, one after the other, at most one is true then.
    pub(crate) fn exclusive(&mut self, before: Lit, lit: Lit) -> Lit {
        self.clause(&[!before, !lit]);
        self.either(before, lit)
    }

    /// Whether all of these can be true; `None` if that was not found out within the limits.
    pub(crate) fn solve(&mut self, premises: &[Lit]) -> Option<bool> {
        self.solver.cb_mut().seen = 0;
        if self.is_stopped() {
            return None;
        }
        let answer = self.solver.solve_limited(premises);
        match answer {
            _ if answer == lbool::TRUE => Some(true),
            _ if answer == lbool::FALSE => Some(false),
            _ => None,
        }
    }

    /// Whether a literal was true in the solution that was found last.
    pub(crate) fn was_true(&self, lit: Lit) -> bool {
        self.solver.value_lit(lit) == lbool::TRUE
    }
}
