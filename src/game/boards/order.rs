//! The order of constants: by value, by the successor relations of the rules, or as the rules name
//! them first.

use propjit_gdl::rules::{Pattern, RelationId, Rules};
use propjit_gdl::term::TermId;
use rustc_hash::{FxHashMap, FxHashSet};

/// Orders of constants given by the rules.
pub(super) struct Orders<'a> {
    rules: &'a Rules,
    /// Constants that follow each other, as a fact says of each two, and the relation that says so.
    chains: Vec<(RelationId, FxHashMap<TermId, usize>)>,
}

/// The constants that one coordinate, or one part of a fluent, ranges over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Domain {
    /// In order.
    pub(super) values: Vec<String>,
    /// Whether they are numbers, or the rules say which follows which.
    pub(super) is_ordered: bool,
    /// The positions of the values.
    places: FxHashMap<String, usize>,
}

impl Domain {
    /// Creates a domain of distinct values in this order.
    pub(super) fn new(values: Vec<String>, is_ordered: bool) -> Domain {
        Domain {
            places: values.iter().cloned().zip(0..).collect(),
            values,
            is_ordered,
        }
    }

    pub(super) fn place(&self, value: &str) -> Option<usize> {
        self.places.get(value).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns whether it has all values of another one.
    pub(super) fn covers(&self, other: &Domain) -> bool {
        let mut values = other.values.iter();
        values.all(|value| self.places.contains_key(value))
    }
}

impl<'a> Orders<'a> {
    pub(super) fn new(rules: &'a Rules) -> Orders<'a> {
        let mut facts: FxHashMap<RelationId, Vec<(TermId, TermId)>> = FxHashMap::default();
        for rule in rules.rules.iter().filter(|rule| rule.body.is_empty()) {
            if let [Pattern::Ground(from), Pattern::Ground(to)] = rule.head.args[..] {
                facts
                    .entry(rule.head.relation)
                    .or_default()
                    .push((from, to));
            }
        }
        let mut facts: Vec<_> = facts.into_iter().collect();
        facts.sort_unstable_by_key(|&(relation, _)| relation);
        let keyword = |relation| Rules::keyword(relation).is_some();
        let chains = facts
            .into_iter()
            .filter(|&(relation, _)| !keyword(relation))
            .flat_map(|(relation, pairs)| {
                let chains = chains(&pairs).into_iter();
                chains.map(move |chain| (relation, chain.into_iter().zip(0..).collect()))
            });
        Orders {
            rules,
            chains: chains.collect(),
        }
    }

    /// Returns the relations that say which constant follows which.
    pub(super) fn successors(&self) -> FxHashSet<RelationId> {
        self.chains.iter().map(|&(relation, _)| relation).collect()
    }

    /// Puts constants in order.
    pub(super) fn domain(&self, values: FxHashSet<&str>) -> Domain {
        let number = |value: &&str| value.parse::<i64>().ok();
        let numbers: Option<Vec<i64>> = values.iter().map(number).collect();
        let mut values: Vec<&str> = values.into_iter().collect();
        let is_ordered = if numbers.is_some() {
            values.sort_by_key(number);
            true
        } else {
            // Constants without a known order are sorted by their text.
            values.sort_by_key(|value| (self.term(value).is_none(), self.term(value)));
            let terms: Option<Vec<TermId>> = values.iter().map(|v| self.term(v)).collect();
            let chain = terms.and_then(|terms| {
                let covers = |chain: &&(_, FxHashMap<TermId, usize>)| {
                    terms.iter().all(|term| chain.1.contains_key(term))
                };
                let chains = self.chains.iter().filter(covers);
                chains.min_by_key(|(_, chain)| chain.len())
            });
            if let Some((_, chain)) = chain {
                values.sort_by_key(|value| self.term(value).and_then(|term| chain.get(&term)));
                // Some relations give the predecessor.
                if values.is_sorted_by(|a, b| a > b) {
                    values.reverse();
                }
            }
            chain.is_some()
        };
        Domain::new(values.into_iter().map(str::to_string).collect(), is_ordered)
    }

    /// Returns the constant in the rules' table, where it has the number of its first use.
    fn term(&self, constant: &str) -> Option<TermId> {
        let terms = &self.rules.terms;
        terms.find(terms.find_symbol(constant)?, &[])
    }
}

/// Returns the longest sequences in which each is followed by the next. None if something is
/// followed by several, or follows several.
fn chains(pairs: &[(TermId, TermId)]) -> Vec<Vec<TermId>> {
    let distinct: FxHashSet<&(TermId, TermId)> =
        pairs.iter().filter(|(from, to)| from != to).collect();
    let next: FxHashMap<TermId, TermId> = distinct.iter().map(|&&pair| pair).collect();
    let before: FxHashMap<TermId, TermId> = distinct.iter().map(|&&(a, b)| (b, a)).collect();
    if next.len() < distinct.len() || before.len() < distinct.len() {
        return Vec::new();
    }
    let mut seen = FxHashSet::default();
    let follow = |start: TermId, seen: &mut FxHashSet<TermId>| {
        let mut chain = Vec::new();
        let mut at = Some(start);
        while let Some(term) = at.filter(|&term| seen.insert(term)) {
            chain.push(term);
            at = next.get(&term).copied();
        }
        chain
    };
    let first = |term: &TermId| !before.contains_key(term);
    let mut starts: Vec<TermId> = next.keys().copied().collect();
    starts.sort_unstable();
    // Those with a beginning come first; the rest are cycles, which begin anywhere.
    let (open, closed): (Vec<_>, Vec<_>) = starts.into_iter().partition(first);
    let all = open.into_iter().chain(closed);
    let all = all.map(|start| follow(start, &mut seen));
    all.filter(|chain| chain.len() > 1).collect()
}
