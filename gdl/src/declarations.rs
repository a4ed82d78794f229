//! Declarations: the statements about `base` and `input`, which are a convention among players.
//!
//! The language does not define them, so no rulesheet is wrong because of them, unless its game depends on them.

use rustc_hash::FxHashSet;

use crate::normalize::{PlacedRule, Workspace};
use crate::rules::{Keyword, Literal, RelationId};
use crate::source::Span;

/// The places of the statements about `base` and `input`, in order.
#[derive(Default)]
pub(crate) struct Declarations(Vec<(Span, Keyword)>);

impl Declarations {
    /// Adds a statement about a keyword that follows the others.
    pub(crate) fn push(&mut self, statement: Span, keyword: Keyword) {
        self.0.push((statement, keyword));
    }

    /// The declaration that a place is in, and its keyword.
    pub(crate) fn around(&self, place: Span) -> Option<(Span, Keyword)> {
        let after = self
            .0
            .partition_point(|(span, _)| span.start <= place.start);
        let last = self.0[..after].last().copied();
        last.filter(|(span, _)| span.covers(place))
    }

    /// The keywords that other rules depend on.
    pub(crate) fn used(&self, rules: &[PlacedRule], workspace: &Workspace) -> Vec<Keyword> {
        let Workspace {
            terms, relations, ..
        } = workspace;
        let declared = |relation: RelationId| {
            let name = terms.name(relations.list[relation.index()].name);
            let mut keywords = Keyword::ALL.into_iter();
            keywords.find(|keyword| keyword.is_declaration() && keyword.name() == name)
        };
        let mut used = Vec::new();
        for placed in rules {
            let own = self.around(placed.rule.span).map(|(_, keyword)| keyword);
            for atom in placed.rule.body.iter().filter_map(Literal::atom) {
                if let Some(keyword) = declared(atom.relation)
                    && own != Some(keyword)
                {
                    used.push(keyword);
                }
            }
        }
        used
    }

    /// Leaves out those with errors, which become warnings, unless other rules depend on declarations of that kind.
    pub(crate) fn leave_out_wrong(&self, rules: &mut Vec<PlacedRule>, workspace: &mut Workspace) {
        let used = self.used(rules, workspace);
        let mut wrong: FxHashSet<Span> = FxHashSet::default();
        workspace.diagnostics.demote(|place| {
            let declaration = self.around(place);
            let unused = declaration.filter(|(_, keyword)| !used.contains(keyword));
            wrong.extend(unused.map(|(span, _)| span));
            unused.is_some()
        });
        rules.retain(|placed| !wrong.contains(&placed.rule.span));
    }
}
