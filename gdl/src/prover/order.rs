//! The order of a clause's conditions.
//!
//! It is greedy: the next condition is the one that is expected to have the fewest
//! answers, given the variables that are bound already. Tests come as soon as their
//! variables are bound. Ties keep the order of the rulesheet, whose authors
//! often write for provers.

use std::collections::VecDeque;

use crate::rules::{Atom, Literal};

use super::bound::Bound;
use super::context::Context;
use super::specialise::Specialised;

/// The most positive conditions that are compared with each other, which keeps
/// the work linear in the length of a body.
const WINDOW: usize = 64;

/// The share of answers that the negation of a derived relation is expected to leave: it comes
/// before conditions with several answers, but not before cheap tests.
const DERIVED_TEST: f64 = 0.9;

/// The indices of the literals of the body in the order of their evaluation. The positive condition `first` comes
/// before all others.
pub(super) fn order(clause: &Specialised, first: Option<usize>, context: &Context) -> Vec<usize> {
    let mut bound = Bound::none(clause.variables);
    for arg in &clause.given {
        arg.for_each_var(&mut |var| _ = bound.bind(var));
    }
    let mut tests = Tests::new(clause, &bound, context);
    // Reversed, so that the window is at the end, where removal is cheap.
    let mut positive: Vec<(usize, &Atom)> = clause
        .body
        .iter()
        .enumerate()
        .rev()
        .filter_map(|(index, literal)| match literal {
            Literal::Positive(atom) => Some((index, atom)),
            _ => None,
        })
        .collect();
    let mut first = positive.iter().position(|&(index, _)| Some(index) == first);

    let mut order = Vec::with_capacity(clause.body.len());
    loop {
        let best = match first.take() {
            Some(at) => Some((at, 0.0)),
            None => {
                order.append(&mut tests.cheap);
                let window = positive.len().saturating_sub(WINDOW)..positive.len();
                let costs = window
                    .rev()
                    .map(|at| (at, context.fan_out(positive[at].1, &bound)));
                costs.min_by(|a, b| a.1.total_cmp(&b.1))
            }
        };
        match best {
            Some((at, cost)) if cost < DERIVED_TEST || tests.derived.is_empty() => {
                let (index, atom) = positive.remove(at);
                order.push(index);
                for arg in &atom.args {
                    arg.for_each_var(&mut |var| {
                        if bound.bind(var) {
                            tests.bind(var.index(), clause, context);
                        }
                    });
                }
            }
            _ => match tests.derived.pop_front() {
                Some(index) => order.push(index),
                None => return order,
            },
        }
    }
}

/// The tests among the conditions, by the variables that they wait for.
struct Tests {
    /// By test: the number of occurrences of variables that are not bound yet.
    missing: Vec<usize>,
    /// By variable: the tests, once for each occurrence.
    waiting: Vec<Vec<usize>>,
    /// Tests that are ready and cost little.
    cheap: Vec<usize>,
    /// Tests that are ready, but need a relation to be derived.
    derived: VecDeque<usize>,
}

impl Tests {
    fn new(clause: &Specialised, bound: &Bound, context: &Context) -> Tests {
        let mut tests = Tests {
            missing: vec![0; clause.body.len()],
            waiting: vec![Vec::new(); clause.variables],
            cheap: Vec::new(),
            derived: VecDeque::new(),
        };
        for (index, literal) in clause.body.iter().enumerate() {
            if matches!(literal, Literal::Positive(_)) {
                continue;
            }
            literal.for_each_var(&mut |var| {
                if !bound.contains(var) {
                    tests.missing[index] += 1;
                    tests.waiting[var.index()].push(index);
                }
            });
            if tests.missing[index] == 0 {
                tests.ready(index, clause, context);
            }
        }
        tests
    }

    fn bind(&mut self, var: usize, clause: &Specialised, context: &Context) {
        for index in std::mem::take(&mut self.waiting[var]) {
            self.missing[index] -= 1;
            if self.missing[index] == 0 {
                self.ready(index, clause, context);
            }
        }
    }

    fn ready(&mut self, index: usize, clause: &Specialised, context: &Context) {
        match &clause.body[index] {
            Literal::Negative(atom) if context.is_proved(atom.relation) => {
                self.derived.push_back(index);
            }
            _ => self.cheap.push(index),
        }
    }
}
