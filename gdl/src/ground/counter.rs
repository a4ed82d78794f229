//! Counters: fluents that bound the length of matches.
//!
//! A fluent `(step N)` counts the steps of a match if it holds for one number at first, its only rule for the next
//! state moves it along a chain of facts, and the match ends at one of these numbers:
//!
//! ```text
//! (init (step 0))  (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))  (<= terminal (true (step 20)))
//! ```
//!
//! Whatever else happens, the match is over after 20 steps. What grows by one step at a time is then finite.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::rules::{Atom, Keyword, Literal, Pattern, RelationId, Rule, Rules, Var};
use crate::term::{Symbol, TermId};

/// The least number of steps after which a counter ends every match, if there is such a counter.
pub(super) fn longest_match(rules: &Rules) -> Option<u64> {
    let terminal = rules_of(rules, Keyword::Terminal).filter_map(|rule| match &rule.body[..] {
        [Literal::Positive(Atom { relation, args })] if *relation == Keyword::True.relation() => {
            match args[..] {
                [Pattern::Ground(fluent)] => Some(fluent),
                _ => None,
            }
        }
        _ => None,
    });
    let ends: FxHashSet<TermId> = terminal.collect();
    let counters: FxHashSet<Symbol> = ends
        .iter()
        .filter(|&&end| rules.terms.args(end).len() == 1)
        .map(|&end| rules.terms.functor(end))
        .collect();
    let lengths = counters
        .into_iter()
        .filter_map(|counter| steps_to_end(rules, counter, &ends));
    lengths.min()
}

/// The number of steps that a fluent with this functor and one argument takes from its first value to an end.
fn steps_to_end(rules: &Rules, counter: Symbol, ends: &FxHashSet<TermId>) -> Option<u64> {
    let is_counter = |pattern: &Pattern| match pattern {
        // It may be one.
        Pattern::Var(_) => true,
        Pattern::Ground(term) => {
            rules.terms.functor(*term) == counter && rules.terms.args(*term).len() == 1
        }
        Pattern::Compound(functor, args) => *functor == counter && args.len() == 1,
    };
    let only = |keyword| {
        let mut found = rules_of(rules, keyword).filter(|rule| is_counter(&rule.head.args[0]));
        found.next().filter(|_| found.next().is_none())
    };
    let initial = only(Keyword::Init).filter(|rule| rule.body.is_empty())?;
    let Pattern::Ground(initial) = initial.head.args[0] else {
        return None;
    };
    let successor = successors(rules, successor_relation(only(Keyword::Next)?, counter)?)?;
    let mut value = rules.terms.args(initial)[0];
    for step in 0..=successor.len() as u64 {
        let fluent = rules.terms.find(counter, &[value]);
        if fluent.is_some_and(|fluent| ends.contains(&fluent)) {
            return Some(step);
        }
        value = *successor.get(&value)?;
    }
    None
}

/// The relation `succ` of the rule `(<= (next (counter ?n)) (true (counter ?m)) (succ ?m ?n))`.
fn successor_relation(rule: &Rule, counter: Symbol) -> Option<RelationId> {
    let value = |fluent: &Pattern| match fluent {
        Pattern::Compound(functor, args) if *functor == counter => variable(&args[0]),
        _ => None,
    };
    let next = value(&rule.head.args[0])?;
    let (Literal::Positive(a), Literal::Positive(b)) = (rule.body.first()?, rule.body.get(1)?)
    else {
        return None;
    };
    let is_now = |atom: &&Atom| atom.relation == Keyword::True.relation();
    let (now, step) = if is_now(&a) { (a, b) } else { (b, a) };
    let now = Some(now)
        .filter(is_now)
        .and_then(|now| value(&now.args[0]))?;
    let matches = rule.body.len() == 2
        && now != next
        && step.args.len() == 2
        && variable(&step.args[0]) == Some(now)
        && variable(&step.args[1]) == Some(next);
    matches.then_some(step.relation)
}

/// The second argument of each fact by the first, if the relation has facts only, and one for each.
fn successors(rules: &Rules, relation: RelationId) -> Option<FxHashMap<TermId, TermId>> {
    let mut successors = FxHashMap::default();
    for rule in rules
        .rules
        .iter()
        .filter(|rule| rule.head.relation == relation)
    {
        let [Pattern::Ground(from), Pattern::Ground(to)] = rule.head.args[..] else {
            return None;
        };
        let other = successors.insert(from, to);
        if !rule.body.is_empty() || other.is_some_and(|other| other != to) {
            return None;
        }
    }
    Some(successors)
}

fn variable(pattern: &Pattern) -> Option<Var> {
    match pattern {
        Pattern::Var(var) => Some(*var),
        _ => None,
    }
}

fn rules_of(rules: &Rules, keyword: Keyword) -> impl Iterator<Item = &Rule> {
    let relation = keyword.relation();
    rules
        .rules
        .iter()
        .filter(move |rule| rule.head.relation == relation)
}
