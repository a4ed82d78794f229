//! Forbidden dependencies: `legal`, `goal`, `terminal`, `init` and `role` must not depend on
//! the moves, and some of them not on the state.

use super::graph::{Edge, Graph, describe};
use crate::diagnostic::{Code, Diagnostic};
use crate::normalize::Workspace;
use crate::rules::Keyword;

/// The most steps of a dependency that are shown.
pub(super) const MAX_STEPS: usize = 6;

/// The keywords that must not depend on others.
pub(super) const FORBIDDEN: [(Keyword, &[Keyword]); 7] = [
    (Keyword::Role, &[Keyword::True, Keyword::Does]),
    (Keyword::Init, &[Keyword::True, Keyword::Does]),
    (Keyword::Base, &[Keyword::True, Keyword::Does]),
    (Keyword::Input, &[Keyword::True, Keyword::Does]),
    (Keyword::Legal, &[Keyword::Does]),
    (Keyword::Goal, &[Keyword::Does]),
    (Keyword::Terminal, &[Keyword::Does]),
];

/// A message for each condition by which a keyword depends on another that it must not
/// depend on. If `lenient`, only the first for each keyword that is read without moves.
pub(super) fn forbidden_dependencies(
    graph: &Graph,
    lenient: bool,
    workspace: &Workspace,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (keyword, inputs) in FORBIDDEN {
        let is_accepted = lenient && keyword.is_state_property();
        let most = if is_accepted { 1 } else { usize::MAX };
        let paths = graph.paths_from(keyword.relation().0);
        for input in inputs {
            let to = input.relation().0;
            let is_reached = |edge: &&Edge| edge.to == to && paths.reach(edge.from);
            for edge in graph.edges().iter().filter(is_reached).take(most) {
                let path = paths.end_of_path(edge.from, MAX_STEPS);
                let message = message(keyword, *input, edge, &path, workspace);
                found.push(match is_accepted {
                    true => message.accepted("read as if nobody had moved, as other players do; the specification forbids this"),
                    false => message,
                });
            }
        }
    }
    found
}

fn message(
    keyword: Keyword,
    input: Keyword,
    condition: &Edge,
    path: &[Edge],
    workspace: &Workspace,
) -> Diagnostic {
    let (name, input) = (keyword.name(), input.name());
    let message = format!("`{name}` depends on `{input}`");
    let diagnostic = match keyword {
        Keyword::Base | Keyword::Input => Diagnostic::warning(Code::ForbiddenDependency, message),
        _ => Diagnostic::error(Code::ForbiddenDependency, message),
    };
    let diagnostic = diagnostic.at(condition.place, format!("`{input}` is used here"));
    let diagnostic = with_path(diagnostic, path, workspace);
    let reason = reason(keyword);
    diagnostic.help(match keyword.is_state_property() {
        true => format!(
            "{reason}; or let `--lenient` read it as if nobody had moved, as other players do"
        ),
        false => reason.to_string(),
    })
}

/// The message with the places of the conditions on a path.
pub(super) fn with_path(
    diagnostic: Diagnostic,
    path: &[Edge],
    workspace: &Workspace,
) -> Diagnostic {
    path.iter().fold(diagnostic, |diagnostic, edge| {
        let from = describe(edge.from, workspace);
        let to = describe(edge.to, workspace);
        diagnostic.also(edge.place, format!("{from} depends on {to} here"))
    })
}

/// The reason why a keyword must not depend on moves or state.
fn reason(keyword: Keyword) -> &'static str {
    match keyword {
        Keyword::Role => "the roles are the same in all states: define them by facts",
        Keyword::Init => "the initial state has no preceding state or move",
        Keyword::Base | Keyword::Input => {
            "it lists what is possible in any state, independently of states and moves; propjit does not rely on it"
        }
        Keyword::Legal => "legal moves must be known before moves are chosen: use `true`",
        _ => "it is a property of the state, independent of moves: store what it needs with `next`",
    }
}
