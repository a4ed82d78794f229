//! Joins: the enumeration of the instances of a rule along a join plan.

use crate::ground::database::{AtomId, Database};
use crate::ground::plan::{JoinStep, Operand, Plan, RowPattern};
use crate::rules::Pattern;
use crate::term::{TermId, Terms};

/// A join in progress; its memory is reused from one to the next.
#[derive(Clone, Default)]
pub(crate) struct Join {
    /// The value of each variable of the rule, valid once bound.
    pub bindings: Vec<TermId>,
    /// The facts that are conditions of the instance: the trigger, then those of probes.
    pub conditions: Vec<AtomId>,
    trigger: Option<AtomId>,
    /// The current row at each step that is a probe, and how many conditions
    /// there were before it.
    rows: Vec<(u32, usize)>,
    key: Vec<TermId>,
    position: Position,
    /// Rows and steps tried since [`Join::take_work`] was last called.
    work: u64,
}

/// The position of a join in its plan.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Position {
    /// About to try a step for the first time with the bindings before it.
    Enter(usize),
    /// About to try the next match of the step before this one.
    Back(usize),
    #[default]
    Exhausted,
}

/// The outcome of continuing a join.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum JoinOutcome {
    /// Another instance is in `bindings` and `conditions`.
    Found,
    /// There are no more instances.
    Exhausted,
    /// Much work was done without result: the caller should check the limits, then continue.
    Paused,
}

impl Join {
    /// Begins to match a plan whose trigger is the given row of its view.
    pub(super) fn start(
        &mut self,
        plan: &Plan,
        variables: usize,
        trigger: Option<u32>,
        database: &Database,
    ) {
        let unbound = TermId::from_raw(0);
        let count = variables.max(self.bindings.len());
        self.bindings.resize(count, unbound);
        self.conditions.clear();
        self.rows.clear();
        self.rows.resize(plan.steps.len(), (0, 0));
        self.trigger = None;
        self.position = Position::Enter(0);
        if let (Some(start), Some(row)) = (&plan.trigger, trigger) {
            let view = &database.views[start.view.0 as usize];
            let atom = view.atoms[row as usize];
            self.trigger = Some(atom);
            if start.is_condition {
                self.conditions.push(atom);
            }
            if !self.match_row(&start.row, view.row(row)) {
                self.position = Position::Exhausted;
            }
        }
    }

    /// Continues to the next instance.
    pub(super) fn next(&mut self, plan: &Plan, terms: &Terms, database: &Database) -> JoinOutcome {
        const PAUSE_AFTER: u64 = 1 << 16;
        while self.work < PAUSE_AFTER {
            self.work += 1;
            self.position = match self.position {
                Position::Enter(depth) if depth == plan.steps.len() => {
                    self.position = Position::Back(plan.cut);
                    return JoinOutcome::Found;
                }
                Position::Enter(depth) => {
                    if self.enter(&plan.steps[depth], depth, terms, database) {
                        Position::Enter(depth + 1)
                    } else {
                        Position::Back(depth)
                    }
                }
                Position::Back(0) | Position::Exhausted => {
                    self.position = Position::Exhausted;
                    return JoinOutcome::Exhausted;
                }
                Position::Back(depth) => {
                    if self.advance(&plan.steps[depth - 1], depth - 1, database) {
                        Position::Enter(depth)
                    } else {
                        Position::Back(depth - 1)
                    }
                }
            };
        }
        JoinOutcome::Paused
    }

    /// The work done since the last call, in rows and steps tried.
    pub(super) fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.work)
    }

    /// Tries a step for the first time with the present bindings.
    fn enter(&mut self, step: &JoinStep, depth: usize, terms: &Terms, database: &Database) -> bool {
        match step {
            JoinStep::Probe {
                view, access, key, ..
            } => {
                self.key.clear();
                for &operand in key {
                    let value = self.value(operand);
                    self.key.push(value);
                }
                let first = database.views[view.0 as usize].first(*access, &self.key);
                self.rows[depth].1 = self.conditions.len();
                self.take_first_match(step, depth, first, database)
            }
            JoinStep::Absent(atom) => {
                let args = atom.args.iter();
                let args = args.map(|pattern| find(pattern, &self.bindings, terms));
                let args: Option<Vec<TermId>> = args.collect();
                let known = args.and_then(|args| database.find(atom.relation, &args));
                !known.is_some_and(|atom| database.is_derived(atom))
            }
            JoinStep::Distinct(a, b) => !same(a, b, &self.bindings, terms),
        }
    }

    /// Continues to a step's next match.
    fn advance(&mut self, step: &JoinStep, depth: usize, database: &Database) -> bool {
        let JoinStep::Probe { view, access, .. } = step else {
            return false;
        };
        let (row, conditions) = self.rows[depth];
        self.conditions.truncate(conditions);
        let next = database.views[view.0 as usize].after(*access, row);
        self.take_first_match(step, depth, next, database)
    }

    /// Makes `row`, or the first after it that matches, the step's current row.
    fn take_first_match(
        &mut self,
        step: &JoinStep,
        depth: usize,
        mut row: Option<u32>,
        database: &Database,
    ) -> bool {
        let JoinStep::Probe {
            view,
            access,
            row: pattern,
            is_condition,
            skip_trigger,
            ..
        } = step
        else {
            return false;
        };
        let view = &database.views[view.0 as usize];
        while let Some(at) = row {
            let atom = view.atoms[at as usize];
            let skip = *skip_trigger && Some(atom) == self.trigger;
            if !skip && self.match_row(pattern, view.row(at)) {
                self.rows[depth].0 = at;
                if *is_condition {
                    self.conditions.push(atom);
                }
                return true;
            }
            self.work += 1;
            row = view.after(*access, at);
        }
        false
    }

    fn match_row(&mut self, pattern: &RowPattern, row: &[TermId]) -> bool {
        for &(column, var) in &pattern.binds {
            self.bindings[var.index()] = row[column];
        }
        pattern
            .checks
            .iter()
            .all(|&(column, operand)| row[column] == self.value(operand))
    }

    fn value(&self, operand: Operand) -> TermId {
        match operand {
            Operand::Var(var) => self.bindings[var.index()],
            Operand::Constant(term) => term,
        }
    }
}

/// The ground instance of a pattern, entered in the table of terms if it is new.
pub(crate) fn instantiate(pattern: &Pattern, bindings: &[TermId], terms: &mut Terms) -> TermId {
    match pattern {
        Pattern::Var(var) => bindings[var.index()],
        Pattern::Ground(term) => *term,
        Pattern::Compound(functor, args) => {
            let args: smallvec::SmallVec<[TermId; 8]> = args
                .iter()
                .map(|arg| instantiate(arg, bindings, terms))
                .collect();
            terms.term(*functor, &args)
        }
    }
}

/// The ground instance of a pattern if its term exists.
fn find(pattern: &Pattern, bindings: &[TermId], terms: &Terms) -> Option<TermId> {
    match pattern {
        Pattern::Var(var) => Some(bindings[var.index()]),
        Pattern::Ground(term) => Some(*term),
        Pattern::Compound(functor, args) => {
            let args = args.iter().map(|arg| find(arg, bindings, terms));
            let args: Option<Vec<TermId>> = args.collect();
            terms.find(*functor, &args?)
        }
    }
}

/// Whether two patterns have the same instance, whether or not its term exists.
fn same(a: &Pattern, b: &Pattern, bindings: &[TermId], terms: &Terms) -> bool {
    if let (Pattern::Compound(f, xs), Pattern::Compound(g, ys)) = (a, b) {
        let mut pairs = xs.iter().zip(ys);
        return f == g && xs.len() == ys.len() && pairs.all(|(x, y)| same(x, y, bindings, terms));
    }
    // One of the two exists, so they are the same only if the other exists, too.
    match (find(a, bindings, terms), find(b, bindings, terms)) {
        (Some(x), Some(y)) => x == y,
        _ => false,
    }
}
