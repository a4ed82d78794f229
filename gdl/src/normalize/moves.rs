//! Rules about states that depend on the moves, read without moves.
//!
//! `legal`, `goal` and `terminal` say something about a state, which has no moves: outside of steps, `does` holds for
//! nothing. Relations that depend on the moves therefore have two forms if these depend on them, one with the moves, for
//! `next`, and one without.

use rustc_hash::FxHashMap;

use super::relations::Relations;
use super::rule::PlacedRule;
use crate::rules::{Atom, Keyword, Literal, RelationId, Rules};
use crate::term::Terms;

/// Whether a rule is evaluated in a step, or in a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Context {
    Step,
    State,
}

/// Replaces the rules that `legal`, `goal` and `terminal` follow from by rules that do not depend on the moves.
pub(crate) fn without_moves_in_states(
    rules: Vec<PlacedRule>,
    relations: &mut Relations,
    terms: &mut Terms,
) -> Vec<PlacedRule> {
    let depends = dependent_on_moves(&rules, relations.list.len());
    let is_of_state =
        |relation: RelationId| Rules::keyword(relation).is_some_and(Keyword::is_state_property);
    let mut of_states = Keyword::ALL.into_iter().filter(|k| k.is_state_property());
    if !of_states.any(|keyword| depends[keyword.relation().index()]) {
        return rules;
    }
    let is_in_both = |relation: RelationId| {
        let is_keyword = Rules::keyword(relation).is_some() && !is_of_state(relation);
        depends[relation.index()] && !is_keyword
    };
    let mut others: FxHashMap<RelationId, RelationId> = FxHashMap::default();
    for relation in (0..relations.list.len() as u32).map(RelationId) {
        if is_in_both(relation) {
            let arity = relations.list[relation.index()].arity;
            others.insert(relation, relations.auxiliary(terms, arity));
        }
    }
    // Keywords keep their number in states, all others in steps.
    let version = |relation: RelationId, context: Context| {
        let own = match is_of_state(relation) {
            true => Context::State,
            false => Context::Step,
        };
        match others.get(&relation) {
            Some(&other) if context != own => other,
            _ => relation,
        }
    };
    let mut found = Vec::with_capacity(rules.len());
    for placed in rules {
        let head = placed.rule.head.relation;
        let contexts: &[Context] = match (is_in_both(head), depends[head.index()]) {
            (true, _) => &[Context::Step, Context::State],
            (false, true) => &[Context::Step],
            (false, false) => {
                found.push(placed);
                continue;
            }
        };
        for &context in contexts {
            found.extend(in_context(&placed, context, &version));
        }
    }
    found
}

/// The rule in a context. `None` if it needs a move in a state.
fn in_context(
    placed: &PlacedRule,
    context: Context,
    version: &impl Fn(RelationId, Context) -> RelationId,
) -> Option<PlacedRule> {
    let does = Keyword::Does.relation();
    let mut changed = placed.clone();
    changed.rule.head.relation = version(placed.rule.head.relation, context);
    changed.rule.body.clear();
    changed.body.clear();
    for (literal, &place) in placed.rule.body.iter().zip(&placed.body) {
        let mut literal = literal.clone();
        match &mut literal {
            Literal::Positive(atom) if context == Context::State && atom.relation == does => {
                return None;
            }
            Literal::Negative(atom) if context == Context::State && atom.relation == does => {
                continue;
            }
            Literal::Positive(Atom { relation, .. }) | Literal::Negative(Atom { relation, .. }) => {
                *relation = version(*relation, context);
            }
            Literal::Distinct(..) => {}
        }
        changed.rule.body.push(literal);
        changed.body.push(place);
    }
    Some(changed)
}

/// For each relation, whether it depends on the moves.
fn dependent_on_moves(rules: &[PlacedRule], relations: usize) -> Vec<bool> {
    let mut depends = vec![false; relations];
    depends[Keyword::Does.relation().index()] = true;
    let mut is_new = true;
    while is_new {
        is_new = false;
        for PlacedRule { rule, .. } in rules {
            let head = rule.head.relation.index();
            let mut conditions = rule.body.iter().filter_map(Literal::atom);
            if !depends[head] && conditions.any(|atom| depends[atom.relation.index()]) {
                depends[head] = true;
                is_new = true;
            }
        }
    }
    depends
}
