//! Rules about any role: `(<= (goal ?r 50) draw)`, which players ask about each role.
//!
//! The specification wants a condition that binds `?r`; that of players who find an answer for each role is `(role ?r)`.

use super::rule::PlacedRule;
use crate::rules::{Atom, Keyword, Literal, Pattern, Rule, Rules, Var};

/// The variable for any role in the head of a rule, if no condition binds it.
pub(crate) fn free_role(rule: &Rule) -> Option<Var> {
    let of_roles = [Keyword::Legal, Keyword::Goal, Keyword::Sees];
    Rules::keyword(rule.head.relation).filter(|keyword| of_roles.contains(keyword))?;
    let Pattern::Var(role) = *rule.head.args.first()? else {
        return None;
    };
    let mut is_free = true;
    for literal in &rule.body {
        if matches!(literal, Literal::Positive(_)) {
            literal.for_each_var(&mut |var| is_free &= var != role);
        }
    }
    is_free.then_some(role)
}

/// Adds the condition that a variable is a role.
pub(crate) fn bind_role(placed: &mut PlacedRule, role: Var) {
    let condition = Atom {
        relation: Keyword::Role.relation(),
        args: vec![Pattern::Var(role)],
    };
    placed.rule.body.insert(0, Literal::Positive(condition));
    placed.body.insert(0, placed.head);
}
