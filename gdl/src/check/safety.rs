//! Safety: every variable is bound by a positive condition.

use crate::diagnostic::{Code, Diagnostic, quote};
use crate::normalize::{PlacedRule, Relations, Workspace};
use crate::rules::{Atom, Literal, Pattern, Rule, Var};
use crate::source::Span;
use crate::syntax::find_name;
use crate::term::Terms;

/// Where the variables of a rule get their values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Safety {
    /// In its positive conditions.
    Safe,
    /// Some only in its head, that is, where conditions refer to it.
    ByCallers,
    /// Some nowhere.
    Unsafe,
}

/// Reports every variable of a rule that does not occur in a positive condition.
pub(crate) fn check_safety(placed: &PlacedRule, workspace: &mut Workspace) -> Safety {
    let Workspace {
        terms,
        relations,
        diagnostics,
    } = workspace;
    let rule = &placed.rule;
    let mut is_bound = vec![false; rule.variables.len()];
    for literal in &rule.body {
        if matches!(literal, Literal::Positive(_)) {
            literal.for_each_var(&mut |var: Var| is_bound[var.index()] = true);
        }
    }
    if is_bound.iter().all(|&bound| bound) {
        return Safety::Safe;
    }
    let source = diagnostics.source().clone();
    let has_value = is_bound.clone();
    let mut may_have_value = is_bound.clone();
    for arg in &rule.head.args {
        arg.for_each_var(&mut |var| may_have_value[var.index()] = true);
    }
    let has_caller = may_have_value.iter().all(|&value| value);
    let mut report = |var: Var, span: Span, part: Part<'_>| {
        if std::mem::replace(&mut is_bound[var.index()], true) {
            return;
        }
        let name = terms.name(rule.variables[var.index()]);
        let place = find_name(&source, span, name).unwrap_or(span);
        let is_fact = placed.body.is_empty() && span == rule.span;
        diagnostics.push(match part {
            Part::Head if is_fact => Diagnostic::error(
                Code::NonGroundFact,
                format!("a fact with the variable {}", quote(name)),
            )
            .at(place, "stands for any term")
            .help("a fact cannot have variables: write a rule, `(<= fact condition...)`, whose conditions bind them"),
            _ => {
                let quoted = quote(name);
                let remark = match placed.is_case {
                    true => format!("{}, in a branch of an `or`", part.remark()),
                    false => part.remark().to_string(),
                };
                Diagnostic::error(
                    Code::UnsafeVariable,
                    format!("no positive condition binds the variable {quoted}"),
                )
                .at(place, remark)
                .help(match part {
                    Part::Negative(atom) => {
                        let definition = existence(rule, atom, &has_value, terms, relations);
                        format!("if no such {quoted} is meant, define {definition} and negate that; if it should have a value, check the spelling, or add a condition with it that is not under `not` or `distinct`")
                    }
                    _ => format!("add a condition with {quoted} that is not under `not` or `distinct`, or check the spelling"),
                })
            }
        });
    };
    for arg in &rule.head.args {
        arg.for_each_var(&mut |var| report(var, placed.head, Part::Head));
    }
    for (literal, &span) in rule.body.iter().zip(&placed.body) {
        let part = match literal {
            Literal::Positive(_) => continue,
            Literal::Negative(atom) => Part::Negative(atom),
            Literal::Distinct(..) => Part::Distinct,
        };
        literal.for_each_var(&mut |var| report(var, span, part));
    }
    match has_caller {
        true => Safety::ByCallers,
        false => Safety::Unsafe,
    }
}

/// A rule by which a relation holds if an atom does for any values of the variables that have none; in prefix form.
fn existence(
    rule: &Rule,
    atom: &Atom,
    has_value: &[bool],
    terms: &Terms,
    relations: &Relations,
) -> String {
    let text = |pattern: &Pattern| pattern.text(rule, terms);
    let mut name = terms.name(relations.list[atom.relation.index()].name);
    if let ("true" | "does", Some(last)) = (name, atom.args.last()) {
        // The name of the fluent or move says more.
        name = match last {
            Pattern::Compound(functor, _) => terms.name(*functor),
            Pattern::Ground(term) => terms.name(terms.functor(*term)),
            Pattern::Var(_) => name,
        };
    }
    let mut head = format!("some_{name}");
    let mut variables: Vec<Var> = Vec::new();
    for arg in &atom.args {
        arg.for_each_var(&mut |var| {
            if has_value[var.index()] && !variables.contains(&var) {
                variables.push(var);
            }
        });
    }
    if !variables.is_empty() {
        let names = variables.iter().map(|&var| text(&Pattern::Var(var)));
        head = format!("({head} {})", names.collect::<Vec<_>>().join(" "));
    }
    let args: String = atom
        .args
        .iter()
        .map(|arg| format!(" {}", text(arg)))
        .collect();
    let relation = terms.name(relations.list[atom.relation.index()].name);
    match args.is_empty() {
        true => format!("`(<= {head} {relation})`"),
        false => format!("`(<= {head} ({relation}{args}))`"),
    }
}

#[derive(Clone, Copy)]
enum Part<'a> {
    Head,
    Negative(&'a Atom),
    Distinct,
}

impl Part<'_> {
    fn remark(self) -> &'static str {
        match self {
            Part::Head => "unbound in the head",
            Part::Negative(_) => "a negated condition does not bind it",
            Part::Distinct => "`distinct` does not bind it",
        }
    }
}
