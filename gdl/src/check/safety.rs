//! Safety: every variable is bound by a positive condition.

use rustc_hash::FxHashSet;

use crate::diagnostic::{Code, Diagnostic, quote};
use crate::normalize::{PlacedRule, Relations, Workspace, free_role};
use crate::rules::{Atom, Literal, Pattern, Rule, Var};
use crate::source::{Source, Span};
use crate::syntax::find_name;
use crate::term::{Symbol, Terms};

/// Where the variables of a rule get their values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Safety {
    /// In its positive conditions.
    Safe,
    /// Some nowhere, but these can be read as "there is no such".
    Absent,
    /// Some only in its head, that is, where conditions refer to it.
    ByCallers,
    /// Some nowhere.
    Unsafe,
}

/// Reports every variable of a rule that does not occur in a positive condition. Those that are `absent` can be read as
/// "there is no such".
pub(crate) fn check_safety(
    placed: &PlacedRule,
    absent: &FxHashSet<Symbol>,
    workspace: &mut Workspace,
) -> Safety {
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
    let mut is_in_head = vec![false; rule.variables.len()];
    let mut is_reported = is_bound.clone();
    let unbound = Unbound {
        placed,
        is_bound: &is_bound,
        absent,
        terms,
        relations,
    };
    let mut report = |var: Var, span: Span, part: Part<'_>| {
        if !std::mem::replace(&mut is_reported[var.index()], true) {
            let message = unbound.message(var, span, part, diagnostics.source());
            diagnostics.push(message);
        }
    };
    for arg in &rule.head.args {
        arg.for_each_var(&mut |var| {
            is_in_head[var.index()] = true;
            report(var, placed.head, Part::Head);
        });
    }
    for (literal, &span) in rule.body.iter().zip(&placed.body) {
        let part = match literal {
            Literal::Positive(_) => continue,
            Literal::Negative(atom) => Part::Negative(atom),
            Literal::Distinct(..) => Part::Distinct,
        };
        literal.for_each_var(&mut |var| report(var, span, part));
    }
    let variables = 0..rule.variables.len();
    let mut left =
        variables.filter(|&var| !is_bound[var] && !absent.contains(&rule.variables[var]));
    match left.next() {
        None => Safety::Absent,
        Some(first) if is_in_head[first] && left.all(|var| is_in_head[var]) => Safety::ByCallers,
        Some(_) => Safety::Unsafe,
    }
}

/// What messages say about the unbound variables of a rule.
struct Unbound<'a> {
    placed: &'a PlacedRule,
    is_bound: &'a [bool],
    absent: &'a FxHashSet<Symbol>,
    terms: &'a Terms,
    relations: &'a Relations,
}

impl Unbound<'_> {
    /// The message about a variable in a part of the rule.
    fn message(&self, var: Var, span: Span, part: Part<'_>, source: &Source) -> Diagnostic {
        let rule = &self.placed.rule;
        let name = self.terms.name(rule.variables[var.index()]);
        let place = find_name(source, span, name).unwrap_or(span);
        let diagnostic = match part {
            Part::Head if self.is_fact(span) => {
                let message = format!("a fact with the variable {}", quote(name));
                Diagnostic::error(Code::NonGroundFact, message).at(place, "stands for any term")
            }
            _ => {
                let remark = match self.placed.is_case {
                    true => format!("{}, in a branch of an `or`", part.remark()),
                    false => part.remark().to_string(),
                };
                let message = format!("no positive condition binds the variable {}", quote(name));
                Diagnostic::error(Code::UnsafeVariable, message).at(place, remark)
            }
        };
        diagnostic.help(self.remedy(var, span, part))
    }

    fn is_fact(&self, span: Span) -> bool {
        self.placed.body.is_empty() && span == self.placed.rule.span
    }

    fn remedy(&self, var: Var, span: Span, part: Part<'_>) -> String {
        const LENIENT: &str = "let `--lenient` read it so, as other players do";
        let rule = &self.placed.rule;
        let symbol = rule.variables[var.index()];
        let name = self.terms.name(symbol);
        let quoted = quote(name);
        match part {
            Part::Head if free_role(rule) == Some(var) => {
                let remedy = if self.is_fact(span) { "write a rule with" } else { "add" };
                format!("{remedy} {}, or {LENIENT}", quote(&format!("(role {name})")))
            }
            Part::Head if self.is_fact(span) => {
                "a fact cannot have variables: write a rule, `(<= fact condition...)`, whose conditions bind them".to_string()
            }
            Part::Negative(atom) => {
                let definition = existence(rule, atom, self.is_bound, self.terms, self.relations);
                let lenient = match self.absent.contains(&symbol) {
                    true => format!(", or {LENIENT}"),
                    false => String::new(),
                };
                format!("if no such {quoted} is meant, define {definition} and negate that{lenient}; if it should have a value, check the spelling, or add a condition with it that is not under `not` or `distinct`")
            }
            Part::Head | Part::Distinct => format!(
                "add a condition with {quoted} that is not under `not` or `distinct`, or check the spelling"
            ),
        }
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
