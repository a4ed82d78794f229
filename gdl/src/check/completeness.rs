//! Completeness: the keywords that a game needs have rules, and so do the relations and terms
//! in conditions.

use std::collections::BTreeMap;
use std::num::IntErrorKind;

use rustc_hash::FxHashSet;

use super::spelling::{are_alike, run_together};
use crate::diagnostic::{Code, Diagnostic, arguments, quote};
use crate::normalize::{Heads, PlacedRule, Workspace};
use crate::rules::{Atom, Keyword, Pattern, RANDOM_ROLE, RelationId};
use crate::syntax::find_last_name;
use crate::term::{Symbol, TermId, Terms};

/// Reports keywords without rules.
pub(crate) fn check_keywords(heads: Heads, workspace: &mut Workspace) {
    // The keyword, whether its lack is an error, the consequence, and an example.
    let needs = [
        (
            Keyword::Role,
            true,
            "the game has no roles",
            "`(role white)` for every player",
        ),
        (
            Keyword::Init,
            false,
            "the first state is empty",
            "`(init (control white))` and the like",
        ),
        (
            Keyword::Legal,
            true,
            "no role can move",
            "`(<= (legal white noop) (true (control black)))` and the like",
        ),
        (
            Keyword::Next,
            false,
            "every state after the first is empty",
            "`(<= (next (control black)) (true (control white)))` and the like",
        ),
        (
            Keyword::Terminal,
            true,
            "no match ends",
            "`(<= terminal (true (step 20)))` and the like",
        ),
        (
            Keyword::Goal,
            true,
            "no role can win",
            "`(<= (goal white 100) (line x))` and the like",
        ),
    ];
    for (keyword, is_error, consequence, example) in needs {
        if heads.contains(keyword) {
            continue;
        }
        let message = format!("no rules for `{}`: {consequence}", keyword.name());
        let diagnostic = match is_error {
            true => Diagnostic::error(Code::MissingRules, message),
            false => Diagnostic::warning(Code::MissingRules, message),
        };
        let Workspace {
            terms, relations, ..
        } = workspace;
        let names = relations.list.iter();
        let mut names = names.map(|relation| (terms.name(relation.name), relation.arity));
        let misspelt = names.find_map(|(name, arity)| {
            let meant = match run_together(name, arity) {
                Some((found, meant)) => (found == keyword).then_some(meant),
                None => {
                    let is_near = name != keyword.name()
                        && arity == keyword.arity()
                        && are_alike(name, keyword.name());
                    is_near.then(|| keyword.name().to_string())
                }
            };
            Some((quote(name), quote(&meant?)))
        });
        workspace.diagnostics.push(diagnostic.help(match misspelt {
            Some((name, meant)) => format!("did you mean {meant} by {name}?"),
            None => format!("write {example}"),
        }));
    }
}

/// Reports conditions that can never hold because nothing defines their relation or term, and
/// rules about roles that do not exist. The rules must be complete, that is, without errors so
/// far.
pub(crate) fn check_uses(rules: &[PlacedRule], roles: &[TermId], workspace: &mut Workspace) {
    let mut found = undefined_relations(rules, workspace);
    let terms = &workspace.terms;
    found.extend(undefined_terms(rules, Keyword::True, &FLUENTS, terms));
    found.extend(undefined_terms(
        rules,
        Keyword::Does,
        &[Keyword::Legal],
        terms,
    ));
    found.extend(unknown_roles(rules, roles, terms));
    found.extend(idle_roles(rules, roles, terms));
    found.extend(odd_goals(rules, workspace));
    found
        .into_iter()
        .for_each(|d| workspace.diagnostics.push(d));
}

/// The keywords whose rules derive what holds in states.
const FLUENTS: [Keyword; 2] = [Keyword::Init, Keyword::Next];

fn undefined_relations(rules: &[PlacedRule], workspace: &Workspace) -> Vec<Diagnostic> {
    let Workspace {
        terms, relations, ..
    } = workspace;
    let mut is_defined = vec![false; relations.list.len()];
    for input in [Keyword::True, Keyword::Does] {
        is_defined[input.relation().index()] = true;
    }
    for placed in rules {
        is_defined[placed.rule.head.relation.index()] = true;
    }
    // Relations by name in lower case: another case or arity may be intended.
    let mut alike: BTreeMap<String, RelationId> = BTreeMap::new();
    for (index, relation) in relations.list.iter().enumerate() {
        if is_defined[index] {
            let name = terms.name(relation.name).to_lowercase();
            alike.insert(name, RelationId(index as u32));
        }
    }
    let fluents = shapes_in_heads(rules, &FLUENTS, terms).unwrap_or_default();
    let mut found = Vec::new();
    for placed in rules {
        for (literal, &span) in placed.rule.body.iter().zip(&placed.body) {
            let Some(Atom { relation, args }) = literal.atom() else {
                continue;
            };
            // The first use is reported, it stands for all.
            if std::mem::replace(&mut is_defined[relation.index()], true)
                || relations.is_auxiliary(terms, *relation)
            {
                continue;
            }
            let symbol = relations.list[relation.index()].name;
            let name = terms.name(symbol);
            let diagnostic = Diagnostic::warning(
                Code::UndefinedRelation,
                format!("the relation {} has neither facts nor rules", quote(name)),
            )
            .at(span, "never holds");
            let other = alike.get(&name.to_lowercase());
            let mut others = alike.iter();
            let near = others.find_map(|(other, id)| are_alike(name, other).then_some(id));
            found.push(diagnostic.help(match other.or(near) {
                _ if fluents.contains(&(symbol, args.len())) => {
                    let texts = args.iter().map(|arg| arg.text(&placed.rule, terms));
                    let texts: Vec<String> = texts.collect();
                    let fluent = match texts.is_empty() {
                        true => name.to_string(),
                        false => format!("({name} {})", texts.join(" ")),
                    };
                    let condition = quote(&format!("(true {fluent})"));
                    format!("{} holds in states: did you mean {condition}?", quote(name))
                }
                None => "check the spelling".to_string(),
                Some(other) => {
                    let other = &relations.list[other.index()];
                    let (name, arguments) = (terms.name(other.name), arguments(other.arity));
                    format!("did you mean {} with {arguments}?", quote(name))
                }
            }));
        }
    }
    found
}

/// Reports the conditions of the keyword `input` whose last argument does not occur in a head
/// of the keywords `sources`.
fn undefined_terms(
    rules: &[PlacedRule],
    input: Keyword,
    sources: &[Keyword],
    terms: &Terms,
) -> Vec<Diagnostic> {
    // A variable may be anything.
    let Some(mut defined) = shapes_in_heads(rules, sources, terms) else {
        return Vec::new();
    };
    let mut names: Vec<&str> = defined.iter().map(|&(name, _)| terms.name(name)).collect();
    names.sort_unstable();
    let mut found = Vec::new();
    for placed in rules {
        for (literal, &span) in placed.rule.body.iter().zip(&placed.body) {
            let Some(atom) = literal.atom() else {
                continue;
            };
            let shape = atom.args.last().and_then(|term| shape(term, terms));
            let Some(shape) = shape.filter(|_| atom.relation == input.relation()) else {
                continue;
            };
            if defined.insert(shape) {
                let name = terms.name(shape.0);
                let near = names.iter().find(|other| are_alike(name, other));
                let near = near.filter(|other| **other != name);
                let (what, source) = match input {
                    Keyword::True => ("is ever true", "`init` or `next`"),
                    _ => ("is ever legal", "`legal`"),
                };
                let help = match near {
                    Some(near) => format!("did you mean {}?", quote(near)),
                    None => format!(
                        "no {source} derives it: check the name and the number of arguments"
                    ),
                };
                let message = format!("no {} {what}", quote(name));
                found.push(
                    Diagnostic::warning(Code::UndefinedRelation, message)
                        .at(span, "never holds")
                        .help(help),
                );
            }
        }
    }
    found
}

/// The functors and numbers of arguments of the last arguments of these keywords in heads. `None` if one is a variable.
fn shapes_in_heads(
    rules: &[PlacedRule],
    keywords: &[Keyword],
    terms: &Terms,
) -> Option<FxHashSet<(Symbol, usize)>> {
    let heads = rules.iter().map(|placed| &placed.rule.head);
    let of_keyword = |head: &&Atom| keywords.iter().any(|k| k.relation() == head.relation);
    let shapes = heads
        .filter(of_keyword)
        .map(|head| shape(head.args.last()?, terms));
    shapes.collect()
}

/// The functor of a pattern and the number of its arguments.
fn shape(pattern: &Pattern, terms: &Terms) -> Option<(Symbol, usize)> {
    match pattern {
        Pattern::Var(_) => None,
        Pattern::Ground(term) => Some((terms.functor(*term), terms.args(*term).len())),
        Pattern::Compound(functor, args) => Some((*functor, args.len())),
    }
}

/// The keywords whose first argument is a role.
const OF_ROLES: [Keyword; 5] = [
    Keyword::Legal,
    Keyword::Does,
    Keyword::Goal,
    Keyword::Input,
    Keyword::Sees,
];

fn unknown_roles(rules: &[PlacedRule], roles: &[TermId], terms: &Terms) -> Vec<Diagnostic> {
    let roles: FxHashSet<TermId> = roles.iter().copied().collect();
    let mut found = Vec::new();
    for placed in rules {
        let body = placed.rule.body.iter().zip(&placed.body);
        let conditions = body.filter_map(|(literal, &span)| Some((literal.atom()?, span)));
        for (atom, span) in conditions.chain([(&placed.rule.head, placed.head)]) {
            let is_of_role = OF_ROLES.iter().any(|k| k.relation() == atom.relation);
            if let Some(Pattern::Ground(term)) = atom.args.first()
                && is_of_role
                && !roles.contains(term)
            {
                let name = terms.text(*term);
                let mut help = "check the spelling, or add a `role` fact".to_string();
                if terms.args(*term).is_empty() {
                    help += &format!("; a variable would be {}", quote(&format!("?{name}")));
                }
                found.push(
                    Diagnostic::warning(
                        Code::UnknownRole,
                        format!("{} is not a role", quote(&name)),
                    )
                    .at(span, "there is no role with this name")
                    .help(help),
                );
            }
        }
    }
    found
}

/// Reports roles without moves or goals.
fn idle_roles(rules: &[PlacedRule], roles: &[TermId], terms: &Terms) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for keyword in [Keyword::Legal, Keyword::Goal] {
        let heads = rules.iter().map(|placed| &placed.rule.head);
        let heads = heads.filter(|head| head.relation == keyword.relation());
        let mut served: FxHashSet<TermId> = FxHashSet::default();
        let mut serves_all = false;
        for head in heads {
            match &head.args[0] {
                Pattern::Ground(term) => _ = served.insert(*term),
                _ => serves_all = true,
            }
        }
        for role in roles
            .iter()
            .filter(|role| !serves_all && !served.contains(role))
        {
            // What the role that stands for chance gets is of no interest.
            if keyword == Keyword::Goal && terms.text(*role) == RANDOM_ROLE {
                continue;
            }
            let name = quote(&terms.text(*role));
            found.push(match keyword {
                Keyword::Legal => Diagnostic::error(
                    Code::MissingRules,
                    format!("the role {name} never has a legal move"),
                )
                .help("every role needs a legal move in every state, even if it is only `noop`"),
                _ => Diagnostic::warning(
                    Code::MissingRules,
                    format!("the role {name} has no goals"),
                )
                .help("every role needs exactly one goal in every terminal state, even if it is only 0"),
            });
        }
    }
    found
}

/// Reports goals that are not whole numbers from 0 to 100.
fn odd_goals(rules: &[PlacedRule], workspace: &Workspace) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let goals = rules
        .iter()
        .filter(|placed| placed.rule.head.relation == Keyword::Goal.relation());
    for placed in goals {
        let Pattern::Ground(value) = placed.rule.head.args[1] else {
            continue;
        };
        let text = workspace.terms.text(value);
        let diagnostic = match text.parse::<i32>() {
            Ok(0..=100) => continue,
            Ok(_) => Diagnostic::warning(
                Code::GoalValue,
                format!("the goal {text} is not between 0 and 100"),
            ),
            Err(error) => {
                let too_far = [IntErrorKind::PosOverflow, IntErrorKind::NegOverflow];
                let what = match text.parse::<f64>() {
                    _ if too_far.contains(error.kind()) => "too far from 0",
                    Ok(_) => "not a whole number",
                    Err(_) => "not a number",
                };
                let message = format!("the goal {} is {what}", quote(&text));
                Diagnostic::error(Code::GoalValue, message)
            }
        };
        let source = workspace.diagnostics.source();
        let place = find_last_name(source, placed.head, &text).unwrap_or(placed.head);
        found.push(
            diagnostic
                .at(place, "the value of a state for a role")
                .help("goals are whole numbers from 0 to 100"),
        );
    }
    found
}
