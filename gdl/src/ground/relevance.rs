//! Relevant rules, and static relations.
//!
//! Rules are relevant if the game's ports depend on them; relations are static if they depend
//! on neither the state nor the moves.

use crate::rules::{Keyword, Literal, RelationId, Rules};
use crate::scc;

/// For each relation whether it is *static*: it depends, even indirectly, on
/// neither the state nor the moves, and can be evaluated on its own. The game's
/// ports (`init`, `next`, `legal`, `goal`, `terminal`, `sees`) count as dynamic even where
/// they are constant, and so do relations that depend on their own negation
/// (which is sound as long as no ground atom does): their constants are folded
/// in the network.
pub(crate) fn static_relations(rules: &Rules) -> Vec<bool> {
    let ports = [
        Keyword::True,
        Keyword::Does,
        Keyword::Init,
        Keyword::Next,
        Keyword::Legal,
        Keyword::Goal,
        Keyword::Terminal,
        Keyword::Sees,
    ];
    let count = rules.relations.len();
    let mut readers = vec![Vec::new(); count];
    for rule in &rules.rules {
        for relation in body_relations(&rule.body) {
            readers[relation.index()].push(rule.head.relation.0);
        }
    }
    let components = scc::components(count, 0..count as u32, |relation, i| {
        readers[relation as usize].get(i).copied()
    });
    let component_of = components.component_of(count);
    let negates_itself = rules.rules.iter().filter(|rule| {
        rule.body.iter().any(|literal| match literal {
            Literal::Negative(atom) => {
                component_of[atom.relation.index()] == component_of[rule.head.relation.index()]
            }
            _ => false,
        })
    });
    let dynamic = ports.map(Keyword::relation).into_iter();
    let dynamic = dynamic.chain(negates_itself.map(|rule| rule.head.relation));
    let reached = closure(&readers, dynamic.map(|relation| relation.0).collect());
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
        Keyword::Sees,
    ];
    let mut read = vec![Vec::new(); rules.relations.len()];
    for rule in &rules.rules {
        read[rule.head.relation.index()].extend(body_relations(&rule.body).map(|r| r.0));
    }
    let reached = closure(&read, wanted.map(|keyword| keyword.relation().0).into());
    (0..rules.rules.len())
        .filter(|&rule| reached[rules.rules[rule].head.relation.index()])
        .collect()
}

fn body_relations(body: &[Literal]) -> impl Iterator<Item = RelationId> + '_ {
    let atoms = body.iter().filter_map(Literal::atom);
    atoms.map(|atom| atom.relation)
}

/// The nodes that can be reached from `pending`.
fn closure(successors: &[Vec<u32>], mut pending: Vec<u32>) -> Vec<bool> {
    let mut reached = vec![false; successors.len()];
    while let Some(node) = pending.pop() {
        if !std::mem::replace(&mut reached[node as usize], true) {
            pending.extend(&successors[node as usize]);
        }
    }
    reached
}
