//! The recursion restriction: terms in recursive rules are bounded by other conditions.
//!
//! In a rule for `p` with a condition on `q` that depends on `p`, each argument of `q` must be ground, be an argument of
//! `p`, or occur in a condition that does not depend on `p` (Love et al. 2008, definition 14). Then there are finitely many
//! answers. `(<= (num (s ?x)) (num ?x))` has no end.

use super::graph::{Graph, describe};
use crate::diagnostic::{Code, Diagnostic, quote};
use crate::normalize::{PlacedRule, Workspace};
use crate::rules::{Literal, Pattern};
use crate::scc::components;

/// A warning for each rule with an argument that nothing bounds.
pub(super) fn unrestricted_recursion(
    graph: &Graph,
    rules: &[PlacedRule],
    workspace: &Workspace,
) -> Vec<Diagnostic> {
    let circles = components(graph.len(), 0..graph.len() as u32, |node, i| {
        Some(graph.edges_of(node).get(i)?.to)
    });
    let circle_of = circles.component_of(graph.len());
    let mut found = Vec::new();
    for placed in rules {
        let head = &placed.rule.head;
        let circle = circle_of[head.relation.index()];
        let is_recursive = |literal: &Literal| {
            let atom = literal.atom();
            atom.is_some_and(|atom| circle_of[atom.relation.index()] == circle)
        };
        if !placed.rule.body.iter().any(is_recursive) {
            continue;
        }
        let is_bounded = |arg: &Pattern| {
            let others = placed.rule.body.iter().filter(|other| !is_recursive(other));
            matches!(arg, Pattern::Ground(_))
                || head.args.contains(arg)
                || others
                    .filter_map(|other| match other {
                        Literal::Positive(atom) => Some(&atom.args),
                        _ => None,
                    })
                    .any(|args| args.contains(arg))
        };
        for (literal, &place) in placed.rule.body.iter().zip(&placed.body) {
            let Literal::Positive(atom) = literal else {
                continue;
            };
            let free = atom.args.iter().find(|arg| !is_bounded(arg));
            let Some(free) = free.filter(|_| is_recursive(literal)) else {
                continue;
            };
            let terms = &workspace.terms;
            let name = describe(head.relation.0, workspace);
            let free = quote(&free.text(&placed.rule, terms));
            found.push(
                Diagnostic::warning(
                    Code::RecursionRestriction,
                    format!("nothing bounds {free} in the recursion of {name}"),
                )
                .at(place, "depends on the head of its rule")
                .help(format!("the specification's recursion restriction wants {free} in the head, or in a condition that does not depend on {name}: else terms can grow without end")),
            );
            break;
        }
    }
    found
}
