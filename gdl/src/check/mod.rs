//! Checks of the rules: what the language requires beyond its syntax.
//!
//! - `safety`: every variable is bound by a positive condition;
//! - `roles`: the roles are given by facts;
//! - `completeness`: the keywords and relations that are used are defined;
//! - `constants`: those that have the name of a variable are meant as constants;
//! - `usage`: the relations that are defined are used;
//! - `spelling`: names that are nearly the same;
//! - `dependencies`: some keywords must not depend on the moves or the state;
//! - `misplaced`: keywords in bodies that should be in heads only;
//! - `stratification`: no relation depends on its own negation;
//! - `recursion`: terms in recursive rules are bounded;
//! - `graph`: the dependencies between relations and between rules.

mod completeness;
mod constants;
mod dependencies;
mod graph;
mod misplaced;
mod recursion;
mod roles;
mod safety;
mod spelling;
mod stratification;
mod usage;

use crate::normalize::{PlacedRule, Workspace};
use crate::rules::{Keyword, RelationId, Rules};
use crate::source::Span;

pub(crate) use completeness::{check_keywords, check_uses};
pub(crate) use constants::check_constants;
pub(crate) use roles::find_roles;
pub(crate) use safety::{Safety, check_safety};
pub(crate) use usage::check_usage;

/// Reports forbidden dependencies, negation that is not stratified, and recursion that is not restricted. If `lenient`,
/// states may depend on moves, and conditions may be on keywords that should be in heads only; these are `misplaced`.
pub(crate) fn check_dependencies(
    rules: &[PlacedRule],
    misplaced: &[(Keyword, Span)],
    lenient: bool,
    workspace: &mut Workspace,
) {
    let graph = graph::Graph::of_relations(rules, workspace.relations.list.len());
    let mut found = stratification::unstratified_negation(&graph, rules, workspace);
    // What depends on a misplaced keyword is reported as such, not for all that the keyword depends on.
    let is_in_place = |relation| Rules::keyword(relation).is_none_or(|k| !k.is_of_heads());
    let in_place = graph.filtered(|edge| is_in_place(RelationId(edge.to)));
    found.extend(dependencies::forbidden_dependencies(
        &in_place, lenient, workspace,
    ));
    found.extend(misplaced::misplaced_keywords(
        misplaced, &graph, &in_place, lenient, workspace,
    ));
    found.extend(recursion::unrestricted_recursion(&graph, rules, workspace));
    for diagnostic in found {
        workspace.diagnostics.push(diagnostic);
    }
}
