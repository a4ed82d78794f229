//! The printer: from forms, whatever their notation, to infix text.

use super::name::VariableNames;
use crate::rules::{Keyword, MAX_PATTERN_DEPTH};
use crate::source::Span;
use crate::syntax::Form;

/// A form that infix text cannot express, such as a list that starts with a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::syntax) struct Unprintable(pub(in crate::syntax) Span);

/// How tightly a connective binds its parts, in increasing order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Or,
    And,
    Not,
}

/// The text of a statement, or of a term.
pub(in crate::syntax) fn print(form: Form<'_>) -> Result<String, Unprintable> {
    check_depth(form)?;
    let names = VariableNames::of(form);
    let mut text = String::new();
    let mut items = form.items();
    match items.next().and_then(|first| first.name()) {
        Some("<=") => {
            let head = items.next().ok_or(Unprintable(form.span()))?;
            condition(head, &names, Binding::Not, &mut text)?;
            let outer = if form.len() > 3 {
                Binding::And
            } else {
                Binding::Or
            };
            for (number, item) in items.enumerate() {
                text.push_str(if number == 0 { " :- " } else { " & " });
                condition(item, &names, outer, &mut text)?;
            }
        }
        _ => condition(form, &names, Binding::Not, &mut text)?,
    }
    Ok(text)
}

/// The text of a head, or of a condition which may stand between others.
pub(in crate::syntax) fn print_part(
    form: Form<'_>,
    names: &VariableNames<'_>,
    is_head: bool,
) -> Result<String, Unprintable> {
    check_depth(form)?;
    let mut text = String::new();
    let outer = if is_head { Binding::Not } else { Binding::And };
    condition(form, names, outer, &mut text)?;
    Ok(text)
}

/// Lists that are too deep for rules are too deep for functions that recurse.
fn check_depth(form: Form<'_>) -> Result<(), Unprintable> {
    match form.nested_beyond(MAX_PATTERN_DEPTH) {
        Some(deep) => Err(Unprintable(deep.span())),
        None => Ok(()),
    }
}

/// Adds the text of a condition that is joined to others by a connective which binds like `outer`.
fn condition(
    form: Form<'_>,
    names: &VariableNames<'_>,
    outer: Binding,
    out: &mut String,
) -> Result<(), Unprintable> {
    let count = form.len().saturating_sub(1);
    let word = form.items().next().and_then(|first| first.name());
    let is = |connective: &str| word.is_some_and(|word| word.eq_ignore_ascii_case(connective));
    let (binding, sign) = match () {
        () if is("not") && count == 1 => (Binding::Not, "~"),
        () if is("and") && count > 0 => (Binding::And, " & "),
        () if is("or") && count > 0 => (Binding::Or, " | "),
        () => return atom(form, names, out),
    };
    if let (Some(only), 1) = (form.items().nth(1), count) {
        let is_negated = binding == Binding::Not;
        out.push_str(if is_negated { sign } else { "" });
        return condition(only, names, if is_negated { binding } else { outer }, out);
    }
    let is_group = binding < outer;
    if is_group {
        out.push('(');
    }
    for (number, part) in form.items().skip(1).enumerate() {
        if number > 0 {
            out.push_str(sign);
        }
        condition(part, names, binding, out)?;
    }
    if is_group {
        out.push(')');
    }
    Ok(())
}

/// Adds the text of a relation and its arguments. Keywords have small letters in infix form, where others
/// start variables.
fn atom(form: Form<'_>, names: &VariableNames<'_>, out: &mut String) -> Result<(), Unprintable> {
    let leading = form.items().next().unwrap_or(form);
    let name = leading.name().ok_or(Unprintable(form.span()))?;
    if name.starts_with('?') {
        return match form.is_list() {
            true => Err(Unprintable(form.span())),
            false => term(form, names, out),
        };
    }
    // By itself, `not` would negate what comes after it.
    let is_not_alone = name.eq_ignore_ascii_case("not") && form.len() <= 1;
    match is_keyword(name) {
        true if is_not_alone => out.push_str("'not'"),
        true => out.push_str(&name.to_ascii_lowercase()),
        false => out.push_str(&names.spell(name)),
    }
    match form.len() {
        0 | 1 => Ok(()),
        _ => arguments(form, names, out),
    }
}

/// Whether the name of a relation has a meaning of its own.
fn is_keyword(name: &str) -> bool {
    let keywords = Keyword::ALL.iter().map(|keyword| keyword.name());
    let mut all = keywords.chain(["and", "or", "not", "distinct"]);
    all.any(|keyword| name.eq_ignore_ascii_case(keyword))
}

/// Adds the text of a term. The recursion is as deep as the term.
fn term(form: Form<'_>, names: &VariableNames<'_>, out: &mut String) -> Result<(), Unprintable> {
    let Some(leading) = form.items().next() else {
        let name = form.name().ok_or(Unprintable(form.span()))?;
        out.push_str(&names.spell(name));
        return Ok(());
    };
    match leading.name() {
        Some(name) if !name.starts_with('?') => out.push_str(&names.spell(name)),
        _ => return Err(Unprintable(form.span())),
    }
    arguments(form, names, out)
}

fn arguments(
    form: Form<'_>,
    names: &VariableNames<'_>,
    out: &mut String,
) -> Result<(), Unprintable> {
    out.push('(');
    for (number, argument) in form.items().skip(1).enumerate() {
        if number > 0 {
            out.push(',');
        }
        term(argument, names, out)?;
    }
    out.push(')');
    Ok(())
}
