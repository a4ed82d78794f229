//! Clauses from specialised rules: slots, keys, rows and backtracking.

use crate::rules::{Atom, Literal, Pattern, Rule};

use super::context::{Context, Detail};
use super::order::order;
use super::program::{CallId, Clause, Match, Query, Step, TermTemplate, Test};
use super::shape::{MAX_SHAPE_DEPTH, Shape};
use super::specialise::{Specialised, specialise};
use super::table::NONE;

/// The registry of the calls that clauses make.
pub(super) trait Calls {
    /// The call of an atom's relation in a shape, and the shape in which to call
    /// it: the requested one, or one that knows less.
    fn call(&mut self, atom: &Atom, shapes: Vec<Shape>) -> (CallId, Vec<Shape>);
}

/// Compiles a safe rule for a call shape; `None` if its head can never match.
pub(super) fn compile(
    rule: &Rule,
    shapes: &[Shape],
    context: &Context,
    calls: &mut impl Calls,
) -> Option<Clause> {
    let specialised = specialise(rule, shapes, context.terms)?;
    let mut slots = Slots::new(&specialised);
    let key = specialised
        .given
        .iter()
        .map(|arg| slots.matching(arg))
        .collect();
    let mut steps: Vec<Step> = order(&specialised, first(rule, context), context)
        .into_iter()
        .map(|index| Step {
            test: slots.test(&specialised.body[index], context, calls),
            back: NONE,
        })
        .collect();
    let row: Vec<TermTemplate> = specialised
        .wanted
        .iter()
        .map(|arg| slots.template(arg))
        .collect();
    set_backtracking(&mut steps);
    Some(Clause {
        span: rule.span,
        key,
        resume: last_binder(&steps, &row, slots.count),
        steps,
        row,
        slots: slots.count as usize,
    })
}

/// The condition that comes first, by its index: where a relation is derived whole, each of its new rows leads to others.
fn first(rule: &Rule, context: &Context) -> Option<usize> {
    let recursive = |literal| context.definitions.is_recursive(rule, literal);
    match context.is_whole(rule.head.relation) {
        true => rule.body.iter().position(recursive),
        false => None,
    }
}

fn set_backtracking(steps: &mut [Step]) {
    let mut back = NONE;
    for (index, step) in steps.iter_mut().enumerate() {
        step.back = back;
        if step.has_choice() {
            back = index as u32;
        }
    }
}

fn last_binder(steps: &[Step], row: &[TermTemplate], slots: u32) -> u32 {
    let mut in_row = vec![false; slots as usize];
    for template in row {
        template.for_each_slot(&mut |slot| in_row[slot as usize] = true);
    }
    let binds_row = |step: &Step| {
        let mut binds = false;
        if let Test::Present(query) = &step.test {
            for one in &query.row {
                one.for_each_bind(&mut |slot| binds |= in_row[slot as usize]);
            }
        }
        binds
    };
    steps
        .iter()
        .rposition(binds_row)
        .map_or(NONE, |index| index as u32)
}

/// The slots of a clause's variables. A variable has one from where it is bound.
struct Slots {
    of_variable: Vec<Option<u32>>,
    count: u32,
    /// Whether a variable occurs only once, so that nothing depends on its value.
    singleton: Vec<bool>,
}

impl Slots {
    fn new(clause: &Specialised) -> Slots {
        let mut occurrences = vec![0; clause.variables];
        let mut count = |var: crate::rules::Var| occurrences[var.index()] += 1;
        for arg in clause.given.iter().chain(&clause.wanted) {
            arg.for_each_var(&mut count);
        }
        for literal in &clause.body {
            literal.for_each_var(&mut count);
        }
        Slots {
            of_variable: vec![None; clause.variables],
            count: 0,
            singleton: occurrences.iter().map(|&n| n == 1).collect(),
        }
    }

    fn all_bound(&self, pattern: &Pattern) -> bool {
        let mut bound = true;
        pattern.for_each_var(&mut |var| bound &= self.of_variable[var.index()].is_some());
        bound
    }

    /// The template for the term of a pattern whose variables are bound.
    fn template(&self, pattern: &Pattern) -> TermTemplate {
        match pattern {
            Pattern::Var(var) => {
                let slot = self.of_variable[var.index()];
                TermTemplate::Slot(
                    slot.expect("a safe rule binds its variables before they are used"),
                )
            }
            Pattern::Ground(term) => TermTemplate::Constant(*term),
            Pattern::Compound(functor, args) => TermTemplate::Compound(
                *functor,
                args.iter().map(|arg| self.template(arg)).collect(),
            ),
        }
    }

    /// The way to match a term with a pattern. Binds the pattern's variables.
    fn matching(&mut self, pattern: &Pattern) -> Match {
        match pattern {
            Pattern::Var(var) => match self.of_variable[var.index()] {
                Some(slot) => Match::Equal(slot),
                None if self.singleton[var.index()] => Match::Skip,
                None => {
                    let slot = self.count;
                    self.count += 1;
                    self.of_variable[var.index()] = Some(slot);
                    Match::Bind(slot)
                }
            },
            Pattern::Ground(term) => Match::Constant(*term),
            Pattern::Compound(functor, args) => Match::Compound(
                *functor,
                args.iter().map(|arg| self.matching(arg)).collect(),
            ),
        }
    }

    fn test(&mut self, literal: &Literal, context: &Context, calls: &mut impl Calls) -> Test {
        match literal {
            Literal::Positive(atom) => Test::Present(self.query(atom, context, calls)),
            Literal::Negative(atom) => Test::Absent(self.query(atom, context, calls)),
            Literal::Distinct(a, b) => Test::Distinct(self.template(a), self.template(b)),
        }
    }

    fn query(&mut self, atom: &Atom, context: &Context, calls: &mut impl Calls) -> Query {
        let detail = context.detail(atom.relation);
        let shapes = atom.args.iter().map(|arg| self.shape(arg, detail, 0));
        let shapes = shapes.collect();
        let (call, shapes) = calls.call(atom, shapes);
        let mut query = Query {
            call,
            key: Vec::new(),
            row: Vec::new(),
            once: false,
            same_component: false,
        };
        // The key comes first: the row may bind a variable that is not known yet in a later
        // part of the key.
        for (shape, arg) in shapes.iter().zip(&atom.args) {
            self.add_key(&mut query, shape, arg);
        }
        let bound_before = self.count;
        for (shape, arg) in shapes.iter().zip(&atom.args) {
            self.add_row(&mut query, shape, arg);
        }
        query.once = self.count == bound_before;
        query
    }

    /// The part of an argument that is known.
    fn shape(&self, arg: &Pattern, detail: Detail, depth: usize) -> Shape {
        match arg {
            Pattern::Compound(functor, args) if depth < MAX_SHAPE_DEPTH => {
                let args = args.iter().map(|arg| self.shape(arg, detail, depth + 1));
                Shape::Compound(*functor, args.collect())
            }
            Pattern::Var(var) if detail >= Detail::Needs && self.singleton[var.index()] => {
                Shape::Any
            }
            Pattern::Ground(term) if detail >= Detail::Constants => Shape::Constant(*term),
            _ if self.all_bound(arg) => Shape::Bound,
            _ => Shape::Free,
        }
    }

    fn add_key(&mut self, query: &mut Query, shape: &Shape, arg: &Pattern) {
        match (shape, arg) {
            (Shape::Bound, _) => query.key.push(self.template(arg)),
            (Shape::Compound(_, shapes), Pattern::Compound(_, args)) => {
                for (shape, arg) in shapes.iter().zip(args) {
                    self.add_key(query, shape, arg);
                }
            }
            _ => {}
        }
    }

    fn add_row(&mut self, query: &mut Query, shape: &Shape, arg: &Pattern) {
        match (shape, arg) {
            (Shape::Free, _) => {
                let matching = self.matching(arg);
                query.row.push(matching);
            }
            (Shape::Compound(_, shapes), Pattern::Compound(_, args)) => {
                for (shape, arg) in shapes.iter().zip(args) {
                    self.add_row(query, shape, arg);
                }
            }
            _ => {}
        }
    }
}
