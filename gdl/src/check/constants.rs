//! Constants where variables seem to be meant: `x` in a rule with `?x`.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostic::{Code, Diagnostic, quote};
use crate::normalize::{PlacedRule, Workspace};
use crate::rules::{Literal, Pattern};
use crate::source::Span;
use crate::term::{TermId, Terms};

/// Where a constant occurs.
#[derive(Clone, Copy)]
enum Use {
    /// In one statement, which has a variable of the same name: the place of the head or condition.
    Alone { statement: Span, place: Span },
    /// Elsewhere, too.
    Common,
}

/// Reports constants that occur in a single statement, together with a variable of the same name. Others may well be
/// meant: in tic-tac-toe, `x` is a mark in rules with the column `?x`.
pub(crate) fn check_constants(rules: &[PlacedRule], workspace: &mut Workspace) {
    let Workspace {
        terms, diagnostics, ..
    } = workspace;
    // By statement: conditions under an `or` may have become rules of their own, with its place.
    let mut names: FxHashMap<Span, Vec<TermId>> = FxHashMap::default();
    for placed in rules {
        for name in same_names(placed, terms) {
            names.entry(placed.rule.span).or_default().push(name);
        }
    }
    let candidates: FxHashSet<TermId> = names.values().flatten().copied().collect();
    if candidates.is_empty() {
        return;
    }
    let mut uses: FxHashMap<TermId, Use> = FxHashMap::default();
    for placed in rules {
        let statement = placed.rule.span;
        let named = names.get(&statement).map_or(&[][..], Vec::as_slice);
        for_each_constant(placed, terms, &mut |constant, place| {
            if !candidates.contains(&constant) {
                return;
            }
            let here = match named.contains(&constant) {
                true => Use::Alone { statement, place },
                false => Use::Common,
            };
            let used = uses.entry(constant).or_insert(here);
            if !matches!(used, Use::Alone { statement: of, .. } if *of == statement) {
                *used = Use::Common;
            }
        });
    }
    let mut found: Vec<(Span, TermId)> = uses
        .into_iter()
        .filter_map(|(constant, used)| match used {
            Use::Alone { place, .. } => Some((place, constant)),
            Use::Common => None,
        })
        .collect();
    found.sort_unstable_by_key(|&(place, constant)| (place.start, constant));
    for (place, constant) in found {
        let name = terms.text(constant);
        let message = format!("the constant {} occurs in this rule only", quote(&name));
        let variable = quote(&format!("?{name}"));
        diagnostics.push(
            Diagnostic::warning(Code::MissingQuestionMark, message)
                .at(place, format!("the rule has the variable {variable}, too"))
                .help(format!("did you mean {variable}?")),
        );
    }
}

/// The constants that are named as the rule's variables.
fn same_names<'a>(placed: &'a PlacedRule, terms: &'a Terms) -> impl Iterator<Item = TermId> + 'a {
    let variables = placed.rule.variables.iter();
    variables.filter_map(|&variable| {
        let name = terms.name(variable).strip_prefix('?')?;
        terms.find(terms.find_symbol(name)?, &[])
    })
}

/// Calls `visit` for each constant, with the place of the head or condition that it is in.
fn for_each_constant(placed: &PlacedRule, terms: &Terms, visit: &mut impl FnMut(TermId, Span)) {
    let rule = &placed.rule;
    for pattern in &rule.head.args {
        in_pattern(pattern, terms, &mut |constant| visit(constant, placed.head));
    }
    for (literal, &place) in rule.body.iter().zip(&placed.body) {
        let mut each = |pattern| in_pattern(pattern, terms, &mut |constant| visit(constant, place));
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => atom.args.iter().for_each(each),
            Literal::Distinct(a, b) => [a, b].into_iter().for_each(&mut each),
        }
    }
}

fn in_pattern(pattern: &Pattern, terms: &Terms, visit: &mut dyn FnMut(TermId)) {
    match pattern {
        Pattern::Var(_) => {}
        Pattern::Ground(term) => in_term(*term, terms, visit),
        Pattern::Compound(_, args) => args.iter().for_each(|arg| in_pattern(arg, terms, visit)),
    }
}

/// Calls `visit` for each constant in a term, which may be nested more deeply than functions can call themselves.
fn in_term(term: TermId, terms: &Terms, visit: &mut dyn FnMut(TermId)) {
    let mut pending = vec![term];
    while let Some(term) = pending.pop() {
        match terms.args(term) {
            [] => visit(term),
            args => pending.extend(args),
        }
    }
}
