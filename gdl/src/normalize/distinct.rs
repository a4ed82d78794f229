//! Elimination of `distinct` for compound terms: they differ where an argument does.
//!
//! `(<= (p ?x ?y) (q ?x ?y) (distinct (f ?x ?y) (f 1 2)))` becomes two rules, with `(distinct ?x 1)` and with
//! `(distinct ?y 2)`. Conditions on variables are tested as soon as these have values, long before whole terms could be.

use super::clause::{Condition, Conjunction, Spanned};
use crate::rules::{Literal, Pattern};
use crate::term::Terms;

/// The most rules that one rule may become. Further compound terms stay as they are.
const MAX_CASES: usize = 64;

/// The conjunctions that mean the same as one without equalities.
pub(crate) fn split(clause: Conjunction, terms: &Terms) -> Vec<Conjunction> {
    let mut cases = vec![Vec::with_capacity(clause.body.len())];
    for Spanned { value, span } in clause.body {
        let branches = match value {
            Condition::Literal(Literal::Distinct(a, b)) => {
                let mut differences = Some(Vec::new());
                compare(&a, &b, terms, &mut differences);
                match differences {
                    // Terms with different functors.
                    None => continue,
                    Some(pairs) if pairs.len() * cases.len() <= MAX_CASES => pairs
                        .into_iter()
                        .map(|(a, b)| Literal::Distinct(a, b))
                        .collect(),
                    Some(_) => vec![Literal::Distinct(a, b)],
                }
            }
            Condition::Literal(literal) => vec![literal],
            Condition::Equal(..) => unreachable!("equalities have been removed"),
        };
        let with = |case: &Vec<Spanned<Condition>>, literal: &Literal| {
            let value = Condition::Literal(literal.clone());
            case.iter()
                .cloned()
                .chain([Spanned { value, span }])
                .collect()
        };
        cases = match &branches[..] {
            [only] => {
                for case in &mut cases {
                    let value = Condition::Literal(only.clone());
                    case.push(Spanned { value, span });
                }
                cases
            }
            several => {
                let each = cases.iter();
                each.flat_map(|case| several.iter().map(|literal| with(case, literal)))
                    .collect()
            }
        };
    }
    let cases = cases.into_iter().map(|body| Conjunction {
        head: clause.head.clone(),
        body,
        variables: clause.variables.clone(),
        span: clause.span,
    });
    cases.collect()
}

/// Adds the pairs of parts at least one of which differs if two terms do. `None` if they always differ.
fn compare(
    a: &Pattern,
    b: &Pattern,
    terms: &Terms,
    differences: &mut Option<Vec<(Pattern, Pattern)>>,
) {
    let (Some((f, a_args)), Some((g, b_args))) = (a.parts(terms), b.parts(terms)) else {
        if let Some(pairs) = differences {
            pairs.push((a.clone(), b.clone()));
        }
        return;
    };
    match (a, b) {
        _ if f != g || a_args.len() != b_args.len() => *differences = None,
        (Pattern::Ground(a), Pattern::Ground(b)) if a == b => {}
        (Pattern::Ground(_), Pattern::Ground(_)) => *differences = None,
        _ => {
            for (a, b) in a_args.iter().zip(&b_args) {
                compare(a, b, terms, differences);
            }
        }
    }
}
