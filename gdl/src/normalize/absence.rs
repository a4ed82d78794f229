//! Absence: variables that occur only in negated conditions, read as "there is no such".
//!
//! `(<= (free ?x) (column ?x) (not (true (cell ?x ?y))))` binds `?y` nowhere, so the specification forbids it. Provers
//! that try a negated condition find that it holds if there is no value at all. That is what is meant by a relation
//! of its own for the condition, without these variables: `(<= (taken ?x) (true (cell ?x ?y)))` and `(not (taken ?x))`.

use rustc_hash::{FxHashMap, FxHashSet};

use super::clause::{Clause, Condition, Formula, Spanned};
use super::relations::Relations;
use crate::rules::{Atom, Literal, Pattern, Var};
use crate::source::Span;
use crate::term::Terms;

/// Where a variable occurs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// In negated conditions only, the first of which is here.
    Negated(Span),
    /// In other conditions or the head, or in several branches of an `or`. The latter may be the negation of a
    /// conjunction: `(not (and (p ?x) (q ?x)))` is about a single `?x`.
    Other,
}

type Uses = FxHashMap<Var, Use>;

/// The variables of a clause that occur only in negated conditions, with the place of the first one, by place.
pub(crate) fn absent(clause: &Clause<Formula>) -> Vec<(Var, Span)> {
    let mut uses = Uses::default();
    for arg in &clause.head.value.args {
        arg.for_each_var(&mut |var| _ = uses.insert(var, Use::Other));
    }
    for formula in &clause.body {
        add_uses(formula, &mut uses);
    }
    let absent = uses.into_iter().filter_map(|(var, found)| match found {
        Use::Negated(place) => Some((var, place)),
        Use::Other => None,
    });
    let mut absent: Vec<(Var, Span)> = absent.collect();
    absent.sort_unstable_by_key(|&(var, place)| (place.start, var));
    absent
}

fn add_uses(formula: &Formula, uses: &mut Uses) {
    match formula {
        Formula::Condition(Spanned { value, span }) => {
            let found = match value {
                Condition::Literal(Literal::Negative(_)) => Use::Negated(*span),
                _ => Use::Other,
            };
            value.for_each_var(&mut |var| match found {
                Use::Other => _ = uses.insert(var, found),
                Use::Negated(_) => _ = uses.entry(var).or_insert(found),
            });
        }
        Formula::All(parts) => parts.iter().for_each(|part| add_uses(part, uses)),
        Formula::Any(Spanned { value: parts, .. }) => {
            let mut of_branches = Uses::default();
            for part in parts {
                let mut of_branch = Uses::default();
                add_uses(part, &mut of_branch);
                for (var, found) in of_branch {
                    let entry = of_branches.entry(var);
                    entry
                        .and_modify(|found| *found = Use::Other)
                        .or_insert(found);
                }
            }
            for (var, found) in of_branches {
                let entry = uses.entry(var).or_insert(found);
                if found == Use::Other {
                    *entry = found;
                }
            }
        }
    }
}

/// Replaces the negated conditions of a clause with these variables by conditions on relations without them, which the
/// returned clauses define.
pub(crate) fn without_absent(
    clause: &mut Clause<Formula>,
    absent: &FxHashSet<Var>,
    relations: &mut Relations,
    terms: &mut Terms,
) -> Vec<Clause<Formula>> {
    let mut definitions = Vec::new();
    let mut body = std::mem::take(&mut clause.body);
    let mut define = |atom: &Atom, span: Span| {
        let mut args: Vec<Pattern> = Vec::new();
        let mut seen: FxHashSet<Var> = FxHashSet::default();
        for arg in &atom.args {
            arg.for_each_var(&mut |var| {
                if seen.insert(var) && !absent.contains(&var) {
                    args.push(Pattern::Var(var));
                }
            });
        }
        if args.len() == seen.len() {
            return None;
        }
        let head = Atom {
            relation: relations.auxiliary(terms, args.len()),
            args,
        };
        let condition = Condition::Literal(Literal::Positive(atom.clone()));
        definitions.push(Clause {
            head: Spanned {
                value: head.clone(),
                span,
            },
            body: vec![Formula::Condition(Spanned {
                value: condition,
                span,
            })],
            variables: clause.variables.clone(),
            span: clause.span,
        });
        Some(head)
    };
    body.iter_mut()
        .for_each(|formula| replace_negated(formula, &mut define));
    clause.body = body;
    definitions
}

/// Replaces the atoms of negated conditions by others, if there are any for them.
fn replace_negated(formula: &mut Formula, other: &mut impl FnMut(&Atom, Span) -> Option<Atom>) {
    match formula {
        Formula::Condition(Spanned { value, span }) => {
            if let Condition::Literal(Literal::Negative(atom)) = value
                && let Some(replacement) = other(atom, *span)
            {
                *atom = replacement;
            }
        }
        Formula::All(parts) | Formula::Any(Spanned { value: parts, .. }) => {
            parts
                .iter_mut()
                .for_each(|part| replace_negated(part, other));
        }
    }
}
