//! Conditions on what rules derive: `next`, `init` and `sees` in bodies.
//!
//! The specification has these keywords in heads only. A condition on one means what its rules derive, such as the
//! state that follows. A relation of its own takes these rules, and the keyword follows from it, so that what
//! evaluates the rules meets the keyword in heads only.

use super::relations::Relations;
use super::rule::PlacedRule;
use crate::rules::{Atom, Keyword, Literal, Pattern, Rule, Var};
use crate::term::{Symbol, Terms};

/// Replaces conditions on keywords that rules derive by conditions on other relations.
pub(crate) fn without_derived_keywords(
    rules: &mut Vec<PlacedRule>,
    relations: &mut Relations,
    terms: &mut Terms,
) {
    let derived = Keyword::ALL
        .into_iter()
        .filter(|keyword| keyword.is_of_heads());
    for keyword in derived {
        let places = rules.iter().flat_map(|placed| {
            let body = placed.rule.body.iter().zip(&placed.body);
            body.filter_map(|(literal, &place)| Some((literal.atom()?.relation, place)))
        });
        let mut places = places.filter(|&(relation, _)| relation == keyword.relation());
        let Some((_, place)) = places.next() else {
            continue;
        };
        let other = relations.auxiliary(terms, keyword.arity());
        for PlacedRule { rule, .. } in rules.iter_mut() {
            let atoms = rule.body.iter_mut().filter_map(|literal| match literal {
                Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
                Literal::Distinct(..) => None,
            });
            for atom in atoms.chain([&mut rule.head]) {
                if atom.relation == keyword.relation() {
                    atom.relation = other;
                }
            }
        }
        let numbers = 0..keyword.arity() as u32;
        let args: Vec<Pattern> = numbers.clone().map(|n| Pattern::Var(Var(n))).collect();
        let variables: Vec<Symbol> = numbers.map(|n| terms.symbol(&format!("?{n}"))).collect();
        rules.push(PlacedRule {
            rule: Rule {
                head: Atom {
                    relation: keyword.relation(),
                    args: args.clone(),
                },
                body: vec![Literal::Positive(Atom {
                    relation: other,
                    args,
                })],
                variables,
                span: place,
            },
            head: place,
            body: vec![place],
            is_case: false,
        });
    }
}
