//! Elimination of equalities, that is, `(not (distinct s t))`, by unification.
//!
//! Equal terms are made the same in the whole rule: `(<= (p ?x ?y) (q ?x)
//! (not (distinct ?x ?y)))` becomes `(<= (p ?x ?x) (q ?x))`. This can bind
//! variables as well as test them, as a positive condition does.

use super::clause::{Condition, Conjunction, Spanned};
use crate::rules::{Literal, MAX_PATTERN_DEPTH, Pattern, Var};
use crate::source::Span;
use crate::term::Terms;

/// The greatest size that a rule with equalities may have or reach, in names and variables:
/// unified terms can grow exponentially.
const MAX_SIZE: usize = 1000;

/// The error that unified terms became too large; the place is that of an equality.
#[derive(Debug)]
pub(crate) struct TooLarge(pub(crate) Span);

/// The conjunction without equalities, or `None` if they contradict each other.
pub(crate) fn eliminate(
    mut clause: Conjunction,
    terms: &mut Terms,
) -> Result<Option<Conjunction>, TooLarge> {
    let mut pairs: Vec<(Pattern, Pattern)> = Vec::new();
    let mut first = None;
    clause.body.retain(|Spanned { value, span }| match value {
        Condition::Equal(a, b) => {
            pairs.push((a.clone(), b.clone()));
            first.get_or_insert(*span);
            false
        }
        Condition::Literal(_) => true,
    });
    let Some(span) = first else {
        return Ok(Some(clause));
    };
    check_size(&mut clause, &mut pairs, span)?;
    while let Some(pair) = pairs.pop() {
        match pair {
            (a, b) if a == b => {}
            (Pattern::Ground(_), Pattern::Ground(_)) => return Ok(None),
            (Pattern::Var(var), value) | (value, Pattern::Var(var)) => {
                let mut occurs = false;
                value.for_each_var(&mut |inner| occurs |= inner == var);
                if occurs {
                    return Ok(None);
                }
                for_each_pattern(&mut clause, &mut pairs, &mut |pattern| {
                    substitute(pattern, var, &value, terms);
                });
                check_size(&mut clause, &mut pairs, span)?;
            }
            (a, b) => match (a.parts(terms), b.parts(terms)) {
                (Some((f, a)), Some((g, b))) if f == g && a.len() == b.len() => {
                    pairs.extend(a.into_iter().zip(b));
                }
                _ => return Ok(None),
            },
        }
    }
    Ok(Some(clause))
}

fn for_each_pattern(
    clause: &mut Conjunction,
    pairs: &mut [(Pattern, Pattern)],
    visit: &mut impl FnMut(&mut Pattern),
) {
    clause.head.value.args.iter_mut().for_each(&mut *visit);
    for Spanned { value, .. } in &mut clause.body {
        match value {
            Condition::Literal(Literal::Positive(atom) | Literal::Negative(atom)) => {
                atom.args.iter_mut().for_each(&mut *visit);
            }
            Condition::Literal(Literal::Distinct(a, b)) | Condition::Equal(a, b) => {
                visit(a);
                visit(b);
            }
        }
    }
    for (a, b) in pairs {
        visit(a);
        visit(b);
    }
}

/// Puts a pattern in place of a variable.
fn substitute(pattern: &mut Pattern, var: Var, value: &Pattern, terms: &mut Terms) {
    match pattern {
        Pattern::Var(other) if *other == var => *pattern = value.clone(),
        Pattern::Var(_) | Pattern::Ground(_) => {}
        Pattern::Compound(functor, args) => {
            for arg in args.iter_mut() {
                substitute(arg, var, value, terms);
            }
            *pattern = Pattern::apply(terms, *functor, std::mem::take(args));
        }
    }
}

fn check_size(
    clause: &mut Conjunction,
    pairs: &mut [(Pattern, Pattern)],
    span: Span,
) -> Result<(), TooLarge> {
    let (mut size, mut depth) = (0, 0);
    for_each_pattern(clause, pairs, &mut |pattern| {
        size += pattern.size();
        depth = depth.max(pattern.depth());
    });
    if size > MAX_SIZE || depth > MAX_PATTERN_DEPTH {
        return Err(TooLarge(span));
    }
    Ok(())
}
