//! What depends on what: `legal`, `goal`, `terminal`, `init` and `role` on no more
//! than they may. (That nothing depends on its own negation is checked next door.)

use std::collections::VecDeque;

use super::stratification::check_stratification;
use crate::diagnostic::{Code, Diagnostic, quote};
use crate::normalize::{PlacedRule, Workspace};
use crate::rules::{Atom, Keyword, Literal, RelationId};
use crate::source::Span;

/// How many steps of a dependency are shown.
const MAX_STEPS: usize = 6;

/// Reports forbidden dependencies, and negation that is not stratified.
pub(crate) fn check_dependencies(rules: &[PlacedRule], workspace: &mut Workspace) {
    let graph = Graph::new(rules, workspace.relations.list.len());
    let mut found = check_stratification(&graph, rules, workspace);
    for (keyword, inputs) in FORBIDDEN {
        found.extend(graph.forbidden(keyword, inputs, workspace));
    }
    found
        .into_iter()
        .for_each(|d| workspace.diagnostics.push(d));
}

/// What the relations must not depend on.
const FORBIDDEN: [(Keyword, &[Keyword]); 7] = [
    (Keyword::Role, &[Keyword::True, Keyword::Does]),
    (Keyword::Init, &[Keyword::True, Keyword::Does]),
    (Keyword::Base, &[Keyword::True, Keyword::Does]),
    (Keyword::Input, &[Keyword::True, Keyword::Does]),
    (Keyword::Legal, &[Keyword::Does]),
    (Keyword::Goal, &[Keyword::Does]),
    (Keyword::Terminal, &[Keyword::Does]),
];

/// A head's relation depends on that of a condition.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) negative: bool,
    /// The condition.
    pub(super) place: Span,
}

/// The relations, with edges from heads to conditions in flat storage.
pub(super) struct Graph {
    /// Sorted by `from`.
    pub(super) edges: Vec<Edge>,
    /// Where the edges of a relation start.
    starts: Vec<usize>,
}

impl Graph {
    fn new(rules: &[PlacedRule], relations: usize) -> Graph {
        let mut edges = Vec::new();
        for PlacedRule { rule, body, .. } in rules {
            for (literal, &place) in rule.body.iter().zip(body) {
                let (Literal::Positive(Atom { relation, .. })
                | Literal::Negative(Atom { relation, .. })) = literal
                else {
                    continue;
                };
                edges.push(Edge {
                    from: rule.head.relation.0,
                    to: relation.0,
                    negative: matches!(literal, Literal::Negative(_)),
                    place,
                });
            }
        }
        edges.sort_by_key(|edge| edge.from);
        let start = |from| edges.partition_point(|edge| edge.from < from);
        let starts = (0..=relations as u32).map(start).collect();
        Graph { edges, starts }
    }

    pub(super) fn edges_of(&self, relation: u32) -> &[Edge] {
        &self.edges[self.starts[relation as usize]..self.starts[relation as usize + 1]]
    }

    /// For each relation that `root` depends on, an edge to it that is on a
    /// shortest way from `root`.
    fn reach(&self, root: u32) -> Vec<Option<Edge>> {
        let mut reached_by = vec![None; self.starts.len() - 1];
        let mut queue = VecDeque::from([root]);
        while let Some(relation) = queue.pop_front() {
            for edge in self.edges_of(relation) {
                let by = &mut reached_by[edge.to as usize];
                if by.is_none() && edge.to != root {
                    *by = Some(*edge);
                    queue.push_back(edge.to);
                }
            }
        }
        reached_by
    }

    /// A message for each condition by which a keyword depends on an input that
    /// it must not depend on.
    fn forbidden(
        &self,
        keyword: Keyword,
        inputs: &[Keyword],
        workspace: &Workspace,
    ) -> Vec<Diagnostic> {
        let root = keyword.relation().0;
        let reached_by = self.reach(root);
        let mut found = Vec::new();
        for &input in inputs {
            let to = input.relation().0;
            let is_reached = |edge: &&Edge| {
                edge.to == to && (edge.from == root || reached_by[edge.from as usize].is_some())
            };
            for edge in self.edges.iter().filter(is_reached) {
                let (name, input) = (keyword.name(), input.name());
                let message = format!("`{name}` depends on `{input}`");
                let diagnostic = match keyword {
                    Keyword::Base | Keyword::Input => {
                        Diagnostic::warning(Code::ForbiddenDependency, message)
                    }
                    _ => Diagnostic::error(Code::ForbiddenDependency, message),
                };
                let diagnostic = diagnostic.at(edge.place, format!("`{input}` is used here"));
                let way = way_to(edge.from, &reached_by);
                found.push(show_way(diagnostic, &way, workspace).help(reason(keyword)));
            }
        }
        found
    }
}

/// Why a keyword must not depend on moves or state.
fn reason(keyword: Keyword) -> &'static str {
    match keyword {
        Keyword::Role => "the roles are the same throughout: give them by facts",
        Keyword::Init => "before the first state there is neither state nor move",
        Keyword::Base | Keyword::Input => {
            "it lists what is possible in any state, without state or moves; it is not relied upon"
        }
        Keyword::Legal => "what is legal must be known before moves are chosen: use `true`",
        _ => "it belongs to a state, whatever the moves are: let `next` keep what it needs",
    }
}

/// The edges on the way to a relation, from the first to the last; no more than
/// are shown, and then those at the end.
fn way_to(relation: u32, reached_by: &[Option<Edge>]) -> Vec<Edge> {
    let mut way = Vec::new();
    let mut at = relation;
    while let Some(edge) = reached_by[at as usize].filter(|_| way.len() < MAX_STEPS) {
        way.push(edge);
        at = edge.from;
    }
    way.reverse();
    way
}

fn show_way(mut diagnostic: Diagnostic, way: &[Edge], workspace: &Workspace) -> Diagnostic {
    for edge in way {
        let from = describe(edge.from, workspace);
        let to = describe(edge.to, workspace);
        diagnostic = diagnostic.also(edge.place, format!("{from} depends on {to} here"));
    }
    diagnostic
}

/// A relation in a message.
pub(super) fn describe(relation: u32, workspace: &Workspace) -> String {
    let Workspace {
        terms, relations, ..
    } = workspace;
    match relations.is_auxiliary(terms, RelationId(relation)) {
        true => "an `or`".to_string(),
        false => quote(terms.name(relations.list[relation as usize].name)),
    }
}
