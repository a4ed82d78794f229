//! Which rules matter, and which of them never change their minds.

use crate::rules::{Keyword, Literal, RelationId, Rules};

/// For each relation whether it is *static*: it depends, even indirectly, on
/// neither the state nor the moves. The game's ports (`next`, `legal`, `goal`,
/// `terminal`) count as dynamic even where they are constant.
pub(crate) fn static_relations(rules: &Rules) -> Vec<bool> {
    let dynamic = [
        Keyword::True,
        Keyword::Does,
        Keyword::Next,
        Keyword::Legal,
        Keyword::Goal,
        Keyword::Terminal,
    ];
    let uses = |from: &mut dyn FnMut(usize, usize)| {
        for rule in &rules.rules {
            for relation in body_relations(&rule.body) {
                from(relation.index(), rule.head.relation.index());
            }
        }
    };
    let dynamic = dynamic.map(|keyword| keyword.relation().index());
    let reached = closure(rules.relations.len(), &dynamic, uses);
    reached.into_iter().map(|is_dynamic| !is_dynamic).collect()
}

/// The rules that the initial state or the ports depend on, by index. `base`
/// and `input` are not among them: the propositions are found by reachability.
pub(crate) fn relevant_rules(rules: &Rules) -> Vec<usize> {
    let wanted = [
        Keyword::Role,
        Keyword::Init,
        Keyword::Next,
        Keyword::Legal,
        Keyword::Goal,
        Keyword::Terminal,
    ];
    let uses = |from: &mut dyn FnMut(usize, usize)| {
        for rule in &rules.rules {
            for relation in body_relations(&rule.body) {
                from(rule.head.relation.index(), relation.index());
            }
        }
    };
    let wanted = wanted.map(|keyword| keyword.relation().index());
    let reached = closure(rules.relations.len(), &wanted, uses);
    (0..rules.rules.len())
        .filter(|&rule| reached[rules.rules[rule].head.relation.index()])
        .collect()
}

fn body_relations(body: &[Literal]) -> impl Iterator<Item = RelationId> + '_ {
    body.iter().filter_map(|literal| match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => Some(atom.relation),
        Literal::Distinct(..) => None,
    })
}

/// The nodes that can be reached from `start` through the edges that `edges` lists.
fn closure(
    nodes: usize,
    start: &[usize],
    edges: impl Fn(&mut dyn FnMut(usize, usize)),
) -> Vec<bool> {
    let mut successors = vec![Vec::new(); nodes];
    edges(&mut |from, to| successors[from].push(to));
    let mut reached = vec![false; nodes];
    let mut pending = start.to_vec();
    while let Some(node) = pending.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            pending.extend(&successors[node]);
        }
    }
    reached
}
