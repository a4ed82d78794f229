//! Elimination of `or`: by an auxiliary relation where possible, else by several rules.
//!
//! `(<= (p ?x) (q ?x) (or (r ?x) (s ?x)))` becomes
//! `(<= (p ?x) (q ?x) (aux ?x))`, `(<= (aux ?x) (r ?x))`, `(<= (aux ?x) (s ?x))`:
//! the text does not grow, however many `or`s there are, and the disjunction is
//! one wire that other gates can share. This is possible if the branches are safe on their
//! own, that is, bind all variables that they share with the rest of the
//! rule and those in their own filters.
//!
//! Branches that only filter, such as `(distinct ?x ?y)`, are not. Their rule is
//! copied, once for each branch, up to a limit. So is the rule of a branch
//! whose conditions share no variables: on its own, it would be a cartesian product.

use std::mem;

use rustc_hash::{FxHashMap, FxHashSet};

use super::clause::{Clause, Condition, Conjunction, Formula, Spanned};
use super::relations::Relations;
use crate::rules::{Atom, Literal, Pattern, Var};
use crate::source::Span;
use crate::term::Terms;

/// The most that one rule may be copied, in names and variables.
const MAX_COPIED: usize = 200_000;

/// The error that a rule would expand to too many rules; the place is that of an `or` in it.
#[derive(Debug)]
pub(crate) struct TooManyCases(pub(crate) Span);

/// The conjunctions that mean the same as a clause.
pub(crate) fn eliminate(
    clause: Clause<Formula>,
    relations: &mut Relations,
    terms: &mut Terms,
) -> Result<Vec<Conjunction>, TooManyCases> {
    let mut done: Vec<Conjunction> = Vec::new();
    let mut copied = 0;
    let mut work = vec![clause];
    while let Some(mut clause) = work.pop() {
        clause.body = flatten(clause.body);
        name_disjunctions(&mut clause, relations, terms, &mut work);
        let is_any = |formula: &Formula| matches!(formula, Formula::Any(_));
        let Some(at) = clause.body.iter().position(is_any) else {
            done.push(conjunction(clause));
            continue;
        };
        let Formula::Any(Spanned {
            value: branches,
            span,
        }) = mem::replace(&mut clause.body[at], Formula::All(Vec::new()))
        else {
            unreachable!("the position of an `or`");
        };
        let size: usize = clause.body.iter().map(Formula::size).sum();
        // A clause with an `or` of nothing, which never holds, is left out.
        copied += size * branches.len().saturating_sub(1);
        if copied > MAX_COPIED {
            return Err(TooManyCases(span));
        }
        // The stack is emptied from the end: the first branch comes out first.
        for branch in branches.into_iter().rev() {
            let mut case = clause.clone();
            case.body[at] = branch;
            work.push(case);
        }
    }
    Ok(done)
}

/// Returns the conditions without enclosing `and`, and without `or` of one branch.
fn flatten(body: Vec<Formula>) -> Vec<Formula> {
    fn add(formula: Formula, flat: &mut Vec<Formula>) {
        match formula {
            Formula::All(parts) => parts.into_iter().for_each(|part| add(part, flat)),
            Formula::Any(mut any) if any.value.len() == 1 => {
                add(any.value.remove(0), flat);
            }
            other => flat.push(other),
        }
    }
    let mut flat = Vec::with_capacity(body.len());
    body.into_iter().for_each(|formula| add(formula, &mut flat));
    flat
}

fn conjunction(clause: Clause<Formula>) -> Conjunction {
    let condition = |formula| match formula {
        Formula::Condition(condition) => condition,
        _ => unreachable!("flattened, and without `or`"),
    };
    Clause {
        head: clause.head,
        body: clause.body.into_iter().map(condition).collect(),
        variables: clause.variables,
        span: clause.span,
    }
}

/// Replaces each `or` whose branches are safe on their own by an auxiliary
/// relation, and adds that relation's clauses to `work`.
fn name_disjunctions(
    clause: &mut Clause<Formula>,
    relations: &mut Relations,
    terms: &mut Terms,
    work: &mut Vec<Clause<Formula>>,
) {
    // A body of a single `or` is just several rules.
    if clause.body.len() == 1 {
        return;
    }
    let mut occurrences: FxHashMap<Var, usize> = FxHashMap::default();
    let mut count = |var| *occurrences.entry(var).or_default() += 1;
    clause
        .head
        .value
        .args
        .iter()
        .for_each(|arg| arg.for_each_var(&mut count));
    clause
        .body
        .iter()
        .for_each(|formula| formula.for_each_var(&mut count));

    for formula in &mut clause.body {
        let Formula::Any(Spanned {
            value: branches,
            span,
        }) = formula
        else {
            continue;
        };
        let mut inside: FxHashMap<Var, usize> = FxHashMap::default();
        let mut order: Vec<Var> = Vec::new();
        for branch in branches.iter() {
            branch.for_each_var(&mut |var| {
                let count = inside.entry(var).or_insert_with(|| {
                    order.push(var);
                    0
                });
                *count += 1;
            });
        }
        // The variables that the rest of the rule has too.
        order.retain(|var| inside[var] < occurrences[var]);
        let is_safe = |branch: &Formula| {
            let bound = bound_by(branch);
            order.iter().all(|var| bound.contains(var))
                && filters_are_bound(branch, &mut FxHashMap::default())
                && is_connected(branch)
        };
        if !branches.iter().all(is_safe) {
            continue;
        }
        let atom = Atom {
            relation: relations.auxiliary(terms, order.len()),
            args: order.into_iter().map(Pattern::Var).collect(),
        };
        let span = *span;
        let head = Spanned {
            value: atom.clone(),
            span,
        };
        work.push(Clause {
            head,
            body: vec![mem::replace(
                formula,
                Formula::Condition(Spanned {
                    value: Condition::Literal(Literal::Positive(atom)),
                    span,
                }),
            )],
            variables: clause.variables.clone(),
            span: clause.span,
        });
    }
}

/// The variables that have values wherever a formula holds.
fn bound_by(formula: &Formula) -> FxHashSet<Var> {
    let mut bound = FxHashSet::default();
    match formula {
        Formula::Condition(Spanned { value, .. }) => {
            if let Condition::Literal(literal @ Literal::Positive(_)) = value {
                literal.for_each_var(&mut |var| {
                    bound.insert(var);
                });
            }
        }
        Formula::All(parts) => parts.iter().for_each(|part| bound.extend(bound_by(part))),
        Formula::Any(Spanned {
            value: branches, ..
        }) => {
            let mut branches = branches.iter().map(bound_by);
            bound = branches.next().unwrap_or_default();
            for other in branches {
                bound.retain(|var| other.contains(var));
            }
        }
    }
    bound
}

/// Whether all variables in filters have values, those in `bound` among them.
fn filters_are_bound(formula: &Formula, bound: &mut FxHashMap<Var, usize>) -> bool {
    match formula {
        Formula::Condition(Spanned { value, .. }) => {
            if matches!(value, Condition::Literal(Literal::Positive(_))) {
                return true;
            }
            let mut all = true;
            value.for_each_var(&mut |var| all &= bound.get(&var).is_some_and(|&n| n > 0));
            all
        }
        Formula::All(parts) => {
            let here = bound_by(formula);
            here.iter()
                .for_each(|&var| *bound.entry(var).or_default() += 1);
            let all = parts.iter().all(|part| filters_are_bound(part, bound));
            here.iter()
                .for_each(|var| *bound.entry(*var).or_default() -= 1);
            all
        }
        Formula::Any(Spanned {
            value: branches, ..
        }) => branches
            .iter()
            .all(|branch| filters_are_bound(branch, bound)),
    }
}

/// Whether the positive conditions that are joined by `and` in a branch share
/// variables, directly or through each other.
fn is_connected(branch: &Formula) -> bool {
    let Formula::All(parts) = branch else {
        return true;
    };
    let mut groups: Vec<FxHashSet<Var>> = parts.iter().map(bound_by).collect();
    groups.retain(|vars| !vars.is_empty());
    let mut parts_with: FxHashMap<Var, Vec<usize>> = FxHashMap::default();
    for (part, vars) in groups.iter().enumerate() {
        for &var in vars {
            parts_with.entry(var).or_default().push(part);
        }
    }
    let mut reached = vec![false; groups.len()];
    let mut stack: Vec<usize> = (0..groups.len().min(1)).collect();
    while let Some(part) = stack.pop() {
        if mem::replace(&mut reached[part], true) {
            continue;
        }
        for var in &groups[part] {
            stack.extend(parts_with.remove(var).unwrap_or_default());
        }
    }
    reached.into_iter().all(|part| part)
}
