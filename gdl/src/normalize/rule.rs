//! Rules from conjunctions: the last step of normalisation.

use rustc_hash::FxHashMap;

use super::clause::{Condition, Conjunction, Spanned};
use crate::rules::{Literal, Pattern, Rule, Var};
use crate::source::Span;

/// A rule with the places of its parts in the source.
#[derive(Clone)]
pub(crate) struct PlacedRule {
    pub(crate) rule: Rule,
    pub(crate) head: Span,
    /// One for each literal of the body.
    pub(crate) body: Vec<Span>,
    /// Whether it is one of several cases into which an `or` splits a rule.
    pub(crate) is_case: bool,
}

impl PlacedRule {
    /// The rule for a conjunction without equalities. `None` if it holds for no
    /// values of its variables.
    pub(super) fn new(clause: Conjunction, is_case: bool) -> Option<PlacedRule> {
        let mut literals = Vec::with_capacity(clause.body.len());
        let mut places = Vec::with_capacity(clause.body.len());
        for Spanned { value, span } in clause.body {
            let Condition::Literal(literal) = value else {
                unreachable!("equalities have been removed");
            };
            match &literal {
                Literal::Distinct(a, b) if a == b => return None,
                Literal::Distinct(Pattern::Ground(_), Pattern::Ground(_)) => {}
                _ => {
                    literals.push(literal);
                    places.push(span);
                }
            }
        }
        let mut rule = Rule {
            head: clause.head.value,
            body: literals,
            variables: Vec::new(),
            span: clause.span,
        };
        let mut numbers: FxHashMap<Var, Var> = FxHashMap::default();
        let mut renumber = |var: &mut Var| {
            *var = *numbers.entry(*var).or_insert_with(|| {
                rule.variables.push(clause.variables[var.index()]);
                Var(rule.variables.len() as u32 - 1)
            });
        };
        for arg in &mut rule.head.args {
            for_each_var_mut(arg, &mut renumber);
        }
        for literal in &mut rule.body {
            match literal {
                Literal::Positive(atom) | Literal::Negative(atom) => {
                    for arg in &mut atom.args {
                        for_each_var_mut(arg, &mut renumber);
                    }
                }
                Literal::Distinct(a, b) => {
                    for_each_var_mut(a, &mut renumber);
                    for_each_var_mut(b, &mut renumber);
                }
            }
        }
        Some(PlacedRule {
            rule,
            head: clause.head.span,
            body: places,
            is_case,
        })
    }
}

fn for_each_var_mut(pattern: &mut Pattern, visit: &mut impl FnMut(&mut Var)) {
    match pattern {
        Pattern::Var(var) => visit(var),
        Pattern::Ground(_) => {}
        Pattern::Compound(_, args) => {
            for arg in args {
                for_each_var_mut(arg, visit);
            }
        }
    }
}
