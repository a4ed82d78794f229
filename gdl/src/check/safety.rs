//! Safety: every variable is bound by a positive condition.

use crate::diagnostic::{Code, Diagnostic, quote};
use crate::normalize::{PlacedRule, Workspace};
use crate::rules::{Literal, Var};
use crate::source::Span;
use crate::syntax::find_name;

/// Reports every variable of a rule that does not occur in a positive condition. Returns
/// whether there are none.
pub(crate) fn check_safety(placed: &PlacedRule, workspace: &mut Workspace) -> bool {
    let Workspace {
        terms, diagnostics, ..
    } = workspace;
    let rule = &placed.rule;
    let mut is_bound = vec![false; rule.variables.len()];
    for literal in &rule.body {
        if matches!(literal, Literal::Positive(_)) {
            literal.for_each_var(&mut |var: Var| is_bound[var.index()] = true);
        }
    }
    if is_bound.iter().all(|&bound| bound) {
        return true;
    }
    let source = diagnostics.source().clone();
    let mut report = |var: Var, span: Span, part: Part| {
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
                .help(format!("add a condition with {quoted} that is not under `not` or `distinct`, or check the spelling"))
            }
        });
    };
    for arg in &rule.head.args {
        arg.for_each_var(&mut |var| report(var, placed.head, Part::Head));
    }
    for (literal, &span) in rule.body.iter().zip(&placed.body) {
        let part = match literal {
            Literal::Positive(_) => continue,
            Literal::Negative(_) => Part::Negative,
            Literal::Distinct(..) => Part::Distinct,
        };
        literal.for_each_var(&mut |var| report(var, span, part));
    }
    false
}

#[derive(Clone, Copy)]
enum Part {
    Head,
    Negative,
    Distinct,
}

impl Part {
    fn remark(self) -> &'static str {
        match self {
            Part::Head => "unbound in the head",
            Part::Negative => "a negated condition does not bind it",
            Part::Distinct => "`distinct` does not bind it",
        }
    }
}
