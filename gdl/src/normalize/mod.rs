//! Normalisation: from forms to facts and rules over plain conjunctions.
//!
//! - `reader` turns forms into clauses: keywords are recognised, variables numbered, and
//!   `not` is moved inwards to the atoms;
//! - `disjunction` removes `or`, by auxiliary relations or by several rules;
//! - `equality` removes `(not (distinct s t))`, by unification;
//! - `distinct` makes conditions on arguments of those on compound terms;
//! - `rule` renumbers the variables and drops conditions that always hold;
//! - `absence`, `derived`, `moves`, `roles` and `unfold` give rules that the specification forbids the meaning that other
//!   players give them.

mod absence;
mod clause;
mod derived;
mod disjunction;
mod distinct;
mod equality;
mod moves;
mod reader;
mod relations;
mod roles;
mod rule;
mod unfold;
mod workspace;

use crate::diagnostic::{Code, Diagnostic};
pub(crate) use absence::{absent, without_absent};
pub(crate) use clause::{Clause, Formula};
pub(crate) use derived::without_derived_keywords;
pub(crate) use moves::without_moves_in_states;
pub(crate) use reader::{Heads, Reader, declaration};
pub(crate) use relations::Relations;
pub(crate) use roles::{bind_role, free_role};
pub(crate) use rule::PlacedRule;
pub(crate) use unfold::unfold;
pub(crate) use workspace::Workspace;

/// The rules that mean the same as a clause.
pub(crate) fn rules(clause: Clause<Formula>, workspace: &mut Workspace) -> Vec<PlacedRule> {
    let Workspace {
        terms,
        relations,
        diagnostics,
    } = workspace;
    let head = clause.head.span;
    let has_or = clause.body.iter().any(Formula::has_or);
    let mut rules = Vec::new();
    match disjunction::eliminate(clause, relations, terms) {
        Err(disjunction::TooManyCases(or)) => diagnostics.push(
            Diagnostic::error(Code::TooManyCases, "the rule expands to too many cases")
                .at(or, "with the branches of this `or`")
                .also(head, "in the rule for this")
                .help("give the `or` a relation of its own"),
        ),
        Ok(cases) => {
            for case in cases {
                match equality::eliminate(case, terms) {
                    Err(equality::TooLarge(place)) => diagnostics.push(
                        Diagnostic::error(Code::TooManyCases, "the terms become too large")
                            .at(place, "when these are unified")
                            .help("use the same variable in both places, or smaller terms"),
                    ),
                    Ok(case) => {
                        let cases = case.into_iter();
                        let cases = cases.flat_map(|case| distinct::split(case, terms));
                        rules.extend(cases.filter_map(|case| PlacedRule::new(case, has_or)));
                    }
                }
            }
            if rules.is_empty() && !diagnostics.has_errors() {
                diagnostics.push(
                    Diagnostic::warning(Code::NeverHolds, "the conditions contradict each other")
                        .at(head, "never follows from this rule")
                        .help("check its `distinct` and `not`"),
                );
            }
        }
    }
    rules
}
