//! SAT solver with limits, and clauses for gates.

use std::cell::Cell;

use batsat::{Callbacks, ClauseKind, Lit, SolverInterface, SolverOpts, lbool};
use propjit_stop::Stop;

/// A SAT solver that gives up after some conflicts, or when stopped.
pub(crate) struct Solver {
    solver: batsat::Solver<Limits>,
    truth: Lit,
}

/// The limits at which the solver gives up.
struct Limits {
    end: Stop,
    /// The maximum number of conflicts for one query.
    conflicts: u64,
    /// The number of conflicts so far.
    seen: u64,
    /// How often the solver has checked whether to stop.
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
        // Reading the clock takes longer than a decision.
        if asked.is_multiple_of(64) && self.end.is_set() {
            self.stopped.set(true);
        }
        self.stopped.get() || self.seen > self.conflicts
    }
}

impl Solver {
    /// Creates a solver without clauses. A query ends after `conflicts` conflicts, and all of them
    /// end when `stop` is set.
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

    /// Sets new limits for the following queries.
    pub(crate) fn limit(&mut self, conflicts: u64, stop: &Stop) {
        let limits = self.solver.cb_mut();
        limits.conflicts = conflicts;
        limits.end = stop.clone();
        limits.stopped.set(false);
    }

    /// Returns whether no more queries are answered.
    pub(crate) fn is_stopped(&self) -> bool {
        self.solver.cb().end.is_set()
    }

    /// Returns a literal that is always true.
    pub(crate) fn truth(&self) -> Lit {
        self.truth
    }

    /// Returns a new literal.
    pub(crate) fn variable(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    /// Returns the number of variables so far.
    pub(crate) fn variables(&self) -> u32 {
        self.solver.num_vars()
    }

    /// Requires one of the literals to be true.
    pub(crate) fn clause(&mut self, lits: &[Lit]) {
        self.solver.add_clause_reuse(&mut lits.to_vec());
    }

    /// Returns a literal that is true if all are, and otherwise false: an existing one where that
    /// is obvious.
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

    /// Returns a literal that is true if one of two is.
    pub(crate) fn either(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and_all(&[!a, !b])
    }

    /// Forbids that both of two literals are true, and returns one that is true if either is:
    /// applied to all literals of a group, one after the other, it makes at most one of them true.
    pub(crate) fn exclusive(&mut self, before: Lit, lit: Lit) -> Lit {
        self.clause(&[!before, !lit]);
        self.either(before, lit)
    }

    /// Returns whether all of these can be true; `None` if that was not decided within the limits.
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

    /// Returns whether a literal was true in the solution that was found last.
    pub(crate) fn was_true(&self, lit: Lit) -> bool {
        self.solver.value_lit(lit) == lbool::TRUE
    }
}
