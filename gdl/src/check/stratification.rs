//! Stratified negation: no atom depends on its own negation.
//!
//! The language requires it of relations. In real rulesheets it may hold only of atoms, as
//! in `(<= (goal robot 100) (not (goal robot 0)))`. Since that is well defined, a
//! circle among relations is an error only if it is also one among rules, that is, if in
//! each step the condition can match the head of the next rule. Otherwise it is a
//! warning.

use super::graph::{Edge, Graph, describe};
use crate::diagnostic::{Code, Diagnostic};
use crate::normalize::{PlacedRule, Workspace};
use crate::rules::{Atom, Literal, Pattern};
use crate::scc::{Components, components};
use crate::term::Terms;

/// The most steps of a circle that are shown.
const MAX_STEPS: usize = 8;
/// The most conditions that are compared with heads in one game. Beyond it, only circles
/// among relations are searched for.
const MAX_COMPARED: usize = 1_000_000;

/// A message for each circle of relations that depend on their own negation.
pub(super) fn unstratified_negation(
    graph: &Graph,
    rules: &[PlacedRule],
    workspace: &Workspace,
) -> Vec<Diagnostic> {
    let circles = circles(graph);
    let component_of = circles.component_of(graph.len());
    let same = |a: u32, b: u32| component_of[a as usize] == component_of[b as usize];
    let mut is_suspect = vec![false; circles.len()];
    let negative = |edge: &&Edge| edge.negative && same(edge.from, edge.to);
    for edge in graph.edges().iter().filter(negative) {
        is_suspect[component_of[edge.from as usize]] = true;
    }
    let is_suspect = |relation: u32| is_suspect[component_of[relation as usize]];
    if !graph.edges().iter().any(|edge| is_suspect(edge.from)) {
        return Vec::new();
    }

    let is_wanted = |from, to| is_suspect(from) && same(from, to);
    let rule_graph = rule_graph(rules, &workspace.terms, is_wanted);
    let mut found = Vec::new();
    // The components that have a message.
    let mut is_reported = vec![false; circles.len()];
    if let Some(graph) = &rule_graph {
        for edge in negative_circles(graph) {
            let relation = rules[edge.from as usize].rule.head.relation.0;
            is_reported[component_of[relation as usize]] = true;
            let back = graph.paths_from(edge.to).end_of_path(edge.from, usize::MAX);
            found.push(circle_message(edge, &back, rules, workspace));
        }
    }
    for edge in graph.edges().iter().filter(negative) {
        if std::mem::replace(&mut is_reported[component_of[edge.from as usize]], true) {
            continue;
        }
        let name = describe(edge.from, workspace);
        let diagnostic = match rule_graph {
            None => Diagnostic::error(
                Code::UnstratifiedNegation,
                format!("{name} depends on its own negation"),
            )
            .help("there are too many rules to decide whether this is well defined"),
            Some(_) => Diagnostic::warning(
                Code::UnstratifiedNegation,
                format!("{name} depends on its own negation, though not for the same arguments"),
            )
            .help("this is well defined, but some players reject it"),
        };
        found.push(diagnostic.at(edge.place, depends(&name)));
    }
    found
}

fn depends(name: &str) -> String {
    format!("{name} depends on the negation of this")
}

/// A message about a negation in a circle, and the path back from it.
fn circle_message(
    negation: Edge,
    back: &[Edge],
    rules: &[PlacedRule],
    workspace: &Workspace,
) -> Diagnostic {
    let name = |rule: u32| describe(rules[rule as usize].rule.head.relation.0, workspace);
    let from = name(negation.from);
    let mut diagnostic = Diagnostic::error(
        Code::UnstratifiedNegation,
        format!("{from} depends on its own negation"),
    )
    .at(negation.place, depends(&from));
    for edge in back.iter().take(MAX_STEPS) {
        let remark = format!("{} depends on {} here", name(edge.from), name(edge.to));
        diagnostic = diagnostic.also(edge.place, remark);
    }
    diagnostic.help("such rules have no defined meaning: break the cycle")
}

/// The graph of the rules, with an edge from a rule to each whose head one of its conditions
/// may match, as far as their relations are `wanted`. `None` if finding them takes too long.
fn rule_graph(
    rules: &[PlacedRule],
    terms: &Terms,
    wanted: impl Fn(u32, u32) -> bool,
) -> Option<Graph> {
    // Facts depend on nothing and so are in no circle.
    let mut defining: Vec<(u32, u32)> = (0..)
        .zip(rules)
        .filter(|(_, placed)| !placed.rule.body.is_empty())
        .map(|(number, placed)| (placed.rule.head.relation.0, number))
        .collect();
    defining.sort_unstable();
    let mut compared = 0;
    let mut edges = Vec::new();
    for (from, placed) in (0..).zip(rules) {
        let head = placed.rule.head.relation.0;
        for (literal, &place) in placed.rule.body.iter().zip(&placed.body) {
            let Some(atom) = literal.atom() else {
                continue;
            };
            let relation = atom.relation.0;
            if !wanted(head, relation) {
                continue;
            }
            let first = defining.partition_point(|&(other, _)| other < relation);
            let candidates = defining[first..].iter();
            for &(_, to) in candidates.take_while(|&&(other, _)| other == relation) {
                compared += 1;
                if compared > MAX_COMPARED {
                    return None;
                }
                if may_agree(atom, &rules[to as usize].rule.head, terms) {
                    edges.push(Edge {
                        from,
                        to,
                        negative: matches!(literal, Literal::Negative(_)),
                        place,
                    });
                }
            }
        }
    }
    Some(Graph::new(edges, rules.len()))
}

/// A negative edge from each circle that has one.
fn negative_circles(graph: &Graph) -> Vec<Edge> {
    let circles = circles(graph);
    let circle_of = circles.component_of(graph.len());
    let mut is_found = vec![false; circles.len()];
    let mut edges = graph.edges().to_vec();
    edges.retain(|edge| {
        let circle = circle_of[edge.from as usize];
        edge.negative
            && circle == circle_of[edge.to as usize]
            && !std::mem::replace(&mut is_found[circle], true)
    });
    edges
}

fn circles(graph: &Graph) -> Components {
    components(graph.len(), 0..graph.len() as u32, |node, i| {
        Some(graph.edges_of(node).get(i)?.to)
    })
}

/// Returns whether two atoms of the same relation may have a common instance. Every
/// occurrence of a variable is treated as a variable of its own, so the answer
/// may be true for atoms that have none.
fn may_agree(a: &Atom, b: &Atom, terms: &Terms) -> bool {
    fn patterns(a: &Pattern, b: &Pattern, terms: &Terms) -> bool {
        match (a, b) {
            (Pattern::Var(_), _) | (_, Pattern::Var(_)) => true,
            (Pattern::Ground(a), Pattern::Ground(b)) => a == b,
            (Pattern::Compound(f, a), Pattern::Compound(g, b)) => {
                f == g && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| patterns(a, b, terms))
            }
            (Pattern::Compound(f, args), Pattern::Ground(term))
            | (Pattern::Ground(term), Pattern::Compound(f, args)) => {
                let values = terms.args(*term);
                let mut pairs = args.iter().zip(values);
                *f == terms.functor(*term)
                    && args.len() == values.len()
                    && pairs.all(|(arg, &value)| patterns(arg, &Pattern::Ground(value), terms))
            }
        }
    }
    a.args
        .iter()
        .zip(&b.args)
        .all(|(a, b)| patterns(a, b, terms))
}
