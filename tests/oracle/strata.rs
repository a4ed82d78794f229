//! Strata: relations that depend on each other, after all that they depend on.

use std::collections::BTreeSet;

use super::rules::{DOES, Rule, TRUE};

/// When a relation is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stage {
    /// Once and for all.
    Game,
    /// In a state.
    State,
    /// In a state, when moves were made.
    Moves,
}

/// Relations that depend on each other, or one.
pub(super) struct Stratum {
    pub(super) stage: Stage,
    pub(super) relations: BTreeSet<usize>,
    /// The places of the rules for them.
    pub(super) rules: Vec<usize>,
    /// Whether they depend on themselves.
    pub(super) is_recursive: bool,
    /// Whether they depend on their negation.
    pub(super) is_negative: bool,
}

/// The strata of this number of relations, as far as the `wanted` ones depend on them.
pub(super) fn strata(rules: &[Rule], relations: usize, wanted: &[usize]) -> Vec<Stratum> {
    let mut edges = vec![BTreeSet::new(); relations];
    for rule in rules {
        for formula in &rule.body {
            formula.relations(&mut |relation, negated| {
                edges[rule.head.relation].insert((relation, negated));
            });
        }
    }
    let reached: Vec<BTreeSet<usize>> = (0..relations).map(|from| reach(&edges, from)).collect();
    let is_wanted = |relation: &usize| {
        wanted
            .iter()
            .any(|wanted| reached[*wanted].contains(relation))
    };
    let mut order: Vec<usize> = (0..relations).filter(is_wanted).collect();
    // Whatever depends on others reaches more than they do, unless they depend on it, too.
    order.sort_by_key(|&relation| reached[relation].len());
    let mut strata: Vec<Stratum> = Vec::new();
    for relation in order {
        if strata
            .iter()
            .any(|stratum| stratum.relations.contains(&relation))
        {
            continue;
        }
        let reached_here = &reached[relation];
        let others = reached_here.iter().copied();
        let mut relations: BTreeSet<usize> = others
            .filter(|&other| reached[other].contains(&relation))
            .collect();
        relations.insert(relation);
        let inside = |negated: bool| {
            let mut all = relations.iter().flat_map(|&relation| &edges[relation]);
            all.any(|&(to, negative)| relations.contains(&to) && (negative || !negated))
        };
        strata.push(Stratum {
            stage: match [TRUE, DOES].map(|given| reached_here.contains(&given)) {
                [_, true] => Stage::Moves,
                [true, false] => Stage::State,
                [false, false] => Stage::Game,
            },
            rules: (0..rules.len())
                .filter(|&rule| relations.contains(&rules[rule].head.relation))
                .collect(),
            is_recursive: inside(false),
            is_negative: inside(true),
            relations,
        });
    }
    strata
}

/// The relations that one depends on, with itself.
fn reach(edges: &[BTreeSet<(usize, bool)>], from: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::from([from]);
    let mut left = vec![from];
    while let Some(relation) = left.pop() {
        let new = edges[relation].iter().filter(|(to, _)| reached.insert(*to));
        left.extend(new.map(|&(to, _)| to));
    }
    reached
}
