//! Keywords in bodies that the specification has in heads only: `init`, `next` and `sees`.
//!
//! Provers find what their rules derive, so that the meaning of `next` in a rule for `sees` is clear: the state that
//! follows. What `legal`, `goal`, `terminal` and the like depend on must not depend on the moves, as these keywords do.

use rustc_hash::FxHashSet;

use super::dependencies::{FORBIDDEN, MAX_STEPS, with_path};
use super::graph::{Graph, Paths};
use crate::diagnostic::{Code, Diagnostic};
use crate::normalize::Workspace;
use crate::rules::{Keyword, RelationId, Rules};
use crate::source::Span;

/// A message for each of the conditions; if `lenient`, only for the first of those on the same keyword that are accepted.
/// The graphs are those of the conditions of all rules, and of those that are not misplaced.
pub(super) fn misplaced_keywords(
    conditions: &[(Keyword, Span)],
    graph: &Graph,
    in_place: &Graph,
    lenient: bool,
    workspace: &Workspace,
) -> Vec<Diagnostic> {
    if conditions.is_empty() {
        return Vec::new();
    }
    let of_rules = graph.edges().iter().filter_map(|edge| {
        let keyword = Rules::keyword(RelationId(edge.to)).filter(|keyword| keyword.is_of_heads());
        keyword.map(|keyword| (keyword, edge.place, Some(edge.from)))
    });
    let mut all: Vec<(Keyword, Span, Option<u32>)> = of_rules.collect();
    // Rules with other errors are not in the graph.
    let seen: FxHashSet<Span> = all.iter().map(|&(_, place, _)| place).collect();
    let others = conditions.iter().filter(|(_, place)| !seen.contains(place));
    all.extend(others.map(|&(keyword, place)| (keyword, place, None)));
    let paths: Vec<(Keyword, Paths)> = FORBIDDEN
        .iter()
        .map(|&(keyword, _)| (keyword, in_place.paths_from(keyword.relation().0)))
        .collect();
    let mut accepted: Vec<Keyword> = Vec::new();
    let mut found = Vec::new();
    for (keyword, place, owner) in all {
        let message = format!("`{}` in a body", keyword.name());
        let diagnostic =
            Diagnostic::error(Code::MisplacedKeyword, message).at(place, remark(keyword));
        let mut dependent = paths.iter().filter(|_| keyword != Keyword::Init);
        let dependent = dependent.find(|(_, paths)| owner.is_some_and(|owner| paths.reach(owner)));
        found.push(match (owner, dependent) {
            (Some(owner), Some((_, paths))) => {
                let path = paths.end_of_path(owner, MAX_STEPS);
                with_path(diagnostic, &path, workspace).help(remedy(keyword))
            }
            _ if !lenient => diagnostic.help(format!(
                "{}; or let `--lenient` read it as {}, as other players do",
                remedy(keyword),
                meaning(keyword)
            )),
            _ if accepted.contains(&keyword) => continue,
            _ => {
                accepted.push(keyword);
                let meaning = meaning(keyword);
                diagnostic.accepted(&format!(
                    "read as {meaning}, as other players do; the specification forbids this"
                ))
            }
        });
    }
    found
}

/// What to write instead.
fn remedy(keyword: Keyword) -> &'static str {
    match keyword {
        Keyword::Init => "define a relation for both `init` and this to depend on",
        _ => "refer to the current state with `true`, or define a relation for both to depend on",
    }
}

/// What is wrong with a condition on a keyword.
fn remark(keyword: Keyword) -> &'static str {
    match keyword {
        Keyword::Next => "a condition cannot refer to the next state",
        Keyword::Sees => "a condition cannot refer to what a role perceives",
        _ => "a condition cannot refer to the initial state",
    }
}

/// What a condition on a keyword means.
fn meaning(keyword: Keyword) -> &'static str {
    match keyword {
        Keyword::Next => "the state that follows",
        Keyword::Sees => "what the role perceives of this step",
        _ => "the initial state",
    }
}
