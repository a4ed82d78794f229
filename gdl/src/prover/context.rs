//! The context of compilation: definitions and statistics of relations.

use crate::rules::{Atom, RelationId};
use crate::term::Terms;

use super::bound::Bound;
use super::definitions::Definitions;
use super::program::Origin;
use super::statistics::Statistics;
use super::whole::Whole;

/// The detail by which the calls of a relation are distinguished; each level includes those
/// before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Detail {
    /// The arguments that the caller knows. Enough for facts, which are stored whole.
    Knowledge,
    /// The arguments that the caller needs: others need not be derived.
    Needs,
    /// Constants. For relations that depend on their own negation, since
    /// atoms with other constants may not.
    Constants,
}

/// The share of answers that a test of a row is expected to leave where that is only looked up.
const LOOKUP: f64 = 0.5;

/// The context in which clauses are compiled.
pub(super) struct Context<'a> {
    pub definitions: &'a Definitions<'a>,
    pub statistics: &'a Statistics,
    pub terms: &'a Terms,
    pub whole: &'a Whole,
}

impl Context<'_> {
    /// The origin of a relation's answers.
    pub(super) fn origin(&self, relation: RelationId) -> Origin {
        self.definitions.origins[relation.index()]
    }

    /// The number of answers that the atom is expected to have when `bound` is known.
    pub(super) fn fan_out(&self, atom: &Atom, bound: &Bound) -> f64 {
        let is_test = atom.args.iter().all(|arg| bound.covers(arg));
        if is_test && self.is_whole(atom.relation) {
            return LOOKUP;
        }
        self.statistics
            .fan_out(self.origin(atom.relation), atom, bound)
    }

    /// Returns the detail by which the calls of a relation are distinguished.
    pub(super) fn detail(&self, relation: RelationId) -> Detail {
        match self.origin(relation) {
            Origin::Facts(_) | Origin::Fluents | Origin::Moves => Detail::Knowledge,
            Origin::Clauses(relation) if self.definitions.negates_itself[relation.index()] => {
                Detail::Constants
            }
            Origin::Clauses(_) | Origin::View(_) => Detail::Needs,
        }
    }

    /// Whether the relation is derived whole.
    pub(super) fn is_whole(&self, relation: RelationId) -> bool {
        self.whole.contains(relation, self.definitions)
    }

    /// Whether each goal of the relation has a proof of its own.
    pub(super) fn is_proved(&self, relation: RelationId) -> bool {
        self.is_derived(relation) && !self.is_whole(relation)
    }

    /// Whether the relation is defined by rules.
    pub(super) fn is_derived(&self, relation: RelationId) -> bool {
        matches!(self.origin(relation), Origin::Clauses(_))
    }
}
