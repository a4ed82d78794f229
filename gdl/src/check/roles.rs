//! The roles of a game, in the order in which the rulesheet names them.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::{Code, Diagnostic, quote};
use crate::normalize::{PlacedRule, Workspace};
use crate::rules::{Keyword, Literal, Pattern, RANDOM_ROLE, RelationId, Rule, Var};
use crate::source::Span;
use crate::term::{TermId, Terms};

/// The roles of a game: from facts, `(role R)`, and from rules whose only condition is on a
/// relation of facts.
pub(crate) fn find_roles(rules: &[PlacedRule], workspace: &mut Workspace) -> Vec<TermId> {
    let Workspace {
        terms, diagnostics, ..
    } = workspace;
    let mut roles: Vec<TermId> = Vec::new();
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    let role = Keyword::Role.relation();
    for placed in rules
        .iter()
        .filter(|placed| placed.rule.head.relation == role)
    {
        match values(&placed.rule, rules, terms) {
            Some(found) => {
                for term in found {
                    if seen.insert(term) {
                        roles.push(term);
                        if let Some(warning) = not_chance(&terms.text(term), placed.head) {
                            diagnostics.push(warning);
                        }
                        continue;
                    }
                    let message = format!("the role {} is given twice", quote(&terms.text(term)));
                    diagnostics.push(
                        Diagnostic::warning(Code::DuplicateRole, message)
                            .at(placed.head, "it is already a role")
                            .help("it counts once: remove this fact, or check the spelling"),
                    );
                }
            }
            None => diagnostics.push(
                Diagnostic::error(Code::RoleNotGround, "the roles are not defined by facts")
                    .at(placed.head, "derived by a rule")
                    .help("write a fact for every role: `(role white)`"),
            ),
        }
    }
    roles
}

/// Warns of a name that is read as that of a player, and not of chance, because of its capital letters.
fn not_chance(name: &str, place: Span) -> Option<Diagnostic> {
    (name != RANDOM_ROLE && name.eq_ignore_ascii_case(RANDOM_ROLE)).then(|| {
        let message = format!("the role {} is a player, not chance", quote(name));
        Diagnostic::warning(Code::NotChance, message)
            .at(place, "it chooses its moves as it likes")
            .help(format!(
                "the role that moves at random is {}",
                quote(RANDOM_ROLE)
            ))
    })
}

/// The values of the only argument of a rule's head. `None` if they take more than looking up
/// facts.
fn values(rule: &Rule, rules: &[PlacedRule], terms: &Terms) -> Option<Vec<TermId>> {
    let head = &rule.head.args[0];
    let condition = match rule.body.as_slice() {
        [] => return ground(head).map(|term| vec![term]),
        [Literal::Positive(atom)] => atom,
        _ => return None,
    };
    let mut found = Vec::new();
    for fact in facts(rules, condition.relation)? {
        let mut bindings = FxHashMap::default();
        let mut pairs = condition.args.iter().zip(fact);
        if pairs.all(|(pattern, term)| matches(pattern, term, terms, &mut bindings)) {
            found.push(match head {
                Pattern::Var(var) => bindings[var],
                _ => ground(head)?,
            });
        }
    }
    Some(found)
}

/// The arguments of all facts of a relation. `None` if it has rules as well.
fn facts(rules: &[PlacedRule], relation: RelationId) -> Option<Vec<Vec<TermId>>> {
    let of_relation = rules.iter().map(|placed| &placed.rule);
    of_relation
        .filter(|rule| rule.head.relation == relation)
        .map(|rule| match rule.body.is_empty() {
            true => rule.head.args.iter().map(ground).collect(),
            false => None,
        })
        .collect()
}

fn ground(pattern: &Pattern) -> Option<TermId> {
    match pattern {
        Pattern::Ground(term) => Some(*term),
        _ => None,
    }
}

/// Whether a term is an instance of a pattern, under the bindings so far.
fn matches(
    pattern: &Pattern,
    term: TermId,
    terms: &Terms,
    bindings: &mut FxHashMap<Var, TermId>,
) -> bool {
    match pattern {
        Pattern::Var(var) => *bindings.entry(*var).or_insert(term) == term,
        Pattern::Ground(other) => *other == term,
        Pattern::Compound(functor, args) => {
            let values = terms.args(term);
            *functor == terms.functor(term)
                && args.len() == values.len()
                && args
                    .iter()
                    .zip(values)
                    .all(|(arg, &value)| matches(arg, value, terms, bindings))
        }
    }
}
