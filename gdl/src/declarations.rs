//! Declarations: the statements about `base` and `input`, which are a convention among players.
//!
//! The language does not define them, so no rulesheet is wrong because of them, unless its game depends on them.

use rustc_hash::FxHashSet;

use crate::normalize::{PlacedRule, Workspace};
use crate::rules::{Keyword, Literal, RelationId};
use crate::source::Span;

/// The places of the statements about `base` and `input`, in order.
#[derive(Default)]
pub(crate) struct Declarations(Vec<Span>);

impl Declarations {
    /// Adds a statement that follows the others.
    pub(crate) fn push(&mut self, statement: Span) {
        self.0.push(statement);
    }

    /// The declaration that a place is in.
    pub(crate) fn around(&self, place: Span) -> Option<Span> {
        let after = self.0.partition_point(|span| span.start <= place.start);
        let last = self.0[..after].last().copied();
        last.filter(|span| span.covers(place))
    }

    /// Whether other rules depend on them.
    pub(crate) fn are_used(&self, rules: &[PlacedRule], workspace: &Workspace) -> bool {
        let Workspace {
            terms, relations, ..
        } = workspace;
        let is_declared = |relation: RelationId| {
            let name = terms.name(relations.list[relation.index()].name);
            let mut keywords = Keyword::ALL.iter().filter(|k| k.is_declaration());
            keywords.any(|keyword| keyword.name() == name)
        };
        let mut others = rules
            .iter()
            .filter(|placed| self.around(placed.rule.span).is_none());
        others.any(|placed| {
            placed.rule.body.iter().any(|literal| match literal {
                Literal::Positive(atom) | Literal::Negative(atom) => is_declared(atom.relation),
                Literal::Distinct(..) => false,
            })
        })
    }

    /// Leaves out those with errors, which become warnings, unless other rules depend on declarations.
    pub(crate) fn leave_out_wrong(&self, rules: &mut Vec<PlacedRule>, workspace: &mut Workspace) {
        if self.are_used(rules, workspace) {
            return;
        }
        let mut wrong: FxHashSet<Span> = FxHashSet::default();
        workspace.diagnostics.demote(|place| {
            let declaration = self.around(place);
            wrong.extend(declaration);
            declaration.is_some()
        });
        rules.retain(|placed| !wrong.contains(&placed.rule.span));
    }
}
