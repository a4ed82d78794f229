//! Stratified negation: no atom depends on its own negation.
//!
//! The language asks for it of relations. Real rulesheets have it only of atoms, as
//! in `(<= (goal robot 100) (not (goal robot 0)))`. Since that is well defined, a
//! circle among relations is an error only if it is one among rules, too: if in
//! each step the condition can be what the next rule's head says. Otherwise it is a
//! warning.

use std::collections::VecDeque;

use super::dependencies::{Edge, Graph, describe};
use crate::diagnostic::{Code, Diagnostic};
use crate::normalize::{PlacedRule, Workspace};
use crate::rules::{Atom, Literal, Pattern};
use crate::scc::{Components, components};
use crate::source::Span;
use crate::term::Terms;

/// How many steps of a circle are shown.
const MAX_STEPS: usize = 8;
/// How many conditions are compared with heads, all told. Beyond it, circles among
/// relations are all that is looked at.
const MAX_COMPARED: usize = 1_000_000;

/// Reports relations that depend on their own negation, once for every circle.
pub(super) fn check_stratification(
    graph: &Graph,
    rules: &[PlacedRule],
    workspace: &Workspace,
) -> Vec<Diagnostic> {
    let relations = workspace.relations.list.len();
    let of_relations = components(relations, 0..relations as u32, |relation, i| {
        Some(graph.edges_of(relation).get(i)?.to)
    });
    let component_of = index(&of_relations, relations);
    let same = |a: u32, b: u32| component_of[a as usize] == component_of[b as usize];
    let mut is_suspect = vec![false; of_relations.len()];
    let negative = |edge: &&Edge| edge.negative && same(edge.from, edge.to);
    for edge in graph.edges.iter().filter(negative) {
        is_suspect[component_of[edge.from as usize]] = true;
    }
    let is_suspect = |relation: u32| is_suspect[component_of[relation as usize]];
    if !graph.edges.iter().any(|edge| is_suspect(edge.from)) {
        return Vec::new();
    }

    let is_wanted = |from, to| is_suspect(from) && same(from, to);
    let steps = Steps::new(rules, &workspace.terms, is_wanted);
    let mut found = Vec::new();
    // The components of relations about which there is a message.
    let mut is_settled = vec![false; of_relations.len()];
    for step in steps.iter().flat_map(Steps::negative_circles) {
        let relation = rules[step.from as usize].rule.head.relation.0;
        is_settled[component_of[relation as usize]] = true;
        let back = steps.iter().flat_map(|steps| steps.way(step.to, step.from));
        found.push(circle_message(step, back, rules, workspace));
    }
    for edge in graph.edges.iter().filter(negative) {
        if std::mem::replace(&mut is_settled[component_of[edge.from as usize]], true) {
            continue;
        }
        let name = describe(edge.from, workspace);
        let diagnostic = match steps {
            None => Diagnostic::error(
                Code::UnstratifiedNegation,
                format!("{name} depends on its own negation"),
            )
            .help("there are too many rules to see whether this has a definite meaning"),
            Some(_) => Diagnostic::warning(
                Code::UnstratifiedNegation,
                format!("{name} depends on its own negation, though not for the same arguments"),
            )
            .help("this is well defined, but not every player accepts it"),
        };
        found.push(diagnostic.at(edge.place, depends(&name)));
    }
    found
}

fn depends(name: &str) -> String {
    format!("{name} depends on this not to hold")
}

/// A message about a negative step in a circle, and the way back.
fn circle_message(
    step: Step,
    back: impl Iterator<Item = Step>,
    rules: &[PlacedRule],
    workspace: &Workspace,
) -> Diagnostic {
    let name = |rule: u32| describe(rules[rule as usize].rule.head.relation.0, workspace);
    let from = name(step.from);
    let mut diagnostic = Diagnostic::error(
        Code::UnstratifiedNegation,
        format!("{from} depends on its own negation"),
    )
    .at(step.place, depends(&from));
    for step in back.take(MAX_STEPS) {
        let remark = format!("{} depends on {} here", name(step.from), name(step.to));
        diagnostic = diagnostic.also(step.place, remark);
    }
    diagnostic.help("such rules have no definite meaning: break the circle")
}

/// The component of every node.
fn index(components: &Components, nodes: usize) -> Vec<usize> {
    let mut component_of = vec![0; nodes];
    for (index, members) in components.iter().enumerate() {
        members
            .iter()
            .for_each(|&member| component_of[member as usize] = index);
    }
    component_of
}

/// A rule has a condition that the head of another may fulfil.
#[derive(Clone, Copy)]
struct Step {
    from: u32,
    to: u32,
    negative: bool,
    place: Span,
}

/// The steps from rule to rule, sorted by where they start.
struct Steps {
    list: Vec<Step>,
    starts: Vec<usize>,
}

impl Steps {
    /// The steps between rules whose relations are `wanted`. `None` if finding them
    /// takes too long.
    fn new(
        rules: &[PlacedRule],
        terms: &Terms,
        wanted: impl Fn(u32, u32) -> bool,
    ) -> Option<Steps> {
        // Facts depend on nothing and so are in no circle.
        let mut defining: Vec<(u32, u32)> = (0..)
            .zip(rules)
            .filter(|(_, placed)| !placed.rule.body.is_empty())
            .map(|(number, placed)| (placed.rule.head.relation.0, number))
            .collect();
        defining.sort_unstable();
        let mut compared = 0;
        let mut steps = Steps {
            list: Vec::new(),
            starts: Vec::with_capacity(rules.len() + 1),
        };
        for (from, placed) in (0..).zip(rules) {
            steps.starts.push(steps.list.len());
            let head = placed.rule.head.relation.0;
            for (literal, &place) in placed.rule.body.iter().zip(&placed.body) {
                let (Literal::Positive(atom) | Literal::Negative(atom)) = literal else {
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
                        let negative = matches!(literal, Literal::Negative(_));
                        steps.list.push(Step {
                            from,
                            to,
                            negative,
                            place,
                        });
                    }
                }
            }
        }
        steps.starts.push(steps.list.len());
        Some(steps)
    }

    /// A negative step from each circle of rules that has one.
    fn negative_circles(&self) -> Vec<Step> {
        let rules = self.starts.len() - 1;
        let circles = components(rules, 0..rules as u32, |rule, i| {
            Some(self.of(rule).get(i)?.to)
        });
        let circle_of = index(&circles, rules);
        let mut is_found = vec![false; circles.len()];
        let mut steps = self.list.clone();
        steps.retain(|step| {
            let circle = circle_of[step.from as usize];
            step.negative
                && circle == circle_of[step.to as usize]
                && !std::mem::replace(&mut is_found[circle], true)
        });
        steps
    }

    fn of(&self, rule: u32) -> &[Step] {
        &self.list[self.starts[rule as usize]..self.starts[rule as usize + 1]]
    }

    /// A shortest way from rule to rule; empty if they are the same.
    fn way(&self, from: u32, to: u32) -> Vec<Step> {
        let mut reached_by: Vec<Option<Step>> = vec![None; self.starts.len() - 1];
        let mut queue = VecDeque::from([from]);
        while let Some(rule) = queue.pop_front() {
            if rule == to {
                break;
            }
            for step in self.of(rule) {
                if step.to != from && reached_by[step.to as usize].is_none() {
                    reached_by[step.to as usize] = Some(*step);
                    queue.push_back(step.to);
                }
            }
        }
        let mut way = Vec::new();
        let mut at = to;
        while let Some(step) = reached_by[at as usize] {
            way.push(step);
            at = step.from;
        }
        way.reverse();
        way
    }
}

/// Whether two atoms of the same relation can have a common instance. Every
/// occurrence of a variable is taken for a variable of its own, so the answer
/// may be yes where it is no.
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
