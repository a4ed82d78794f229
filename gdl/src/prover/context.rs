//! The context of compilation: what is known of relations when clauses are compiled.

use crate::rules::{Atom, RelationId};
use crate::term::Terms;

use super::bound::Bound;
use super::definitions::Definitions;
use super::program::Origin;
use super::statistics::Statistics;

/// What the calls of a relation are told apart by, each with what is before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Detail {
    /// What the caller knows. Enough for facts, which are stored whole.
    Knowledge,
    /// What the caller needs: what nobody asks for need not be derived.
    Needs,
    /// Constants. For relations that depend on their own negation:
    /// its atoms with other constants need not.
    Constants,
}

/// What clauses are compiled with.
pub(super) struct Context<'a> {
    pub definitions: &'a Definitions<'a>,
    pub statistics: &'a Statistics,
    pub terms: &'a Terms,
}

impl Context<'_> {
    /// Where the answers of a relation come from.
    pub(super) fn origin(&self, relation: RelationId) -> Origin {
        self.definitions.origins[relation.index()]
    }

    /// How many answers the atom is expected to have when `bound` is known.
    pub(super) fn fan_out(&self, atom: &Atom, bound: &Bound) -> f64 {
        self.statistics
            .fan_out(self.origin(atom.relation), atom, bound)
    }

    /// In how much detail to look at the calls of a relation.
    pub(super) fn detail(&self, relation: RelationId) -> Detail {
        match self.origin(relation) {
            Origin::Facts(_) | Origin::Fluents | Origin::Moves => Detail::Knowledge,
            Origin::Clauses(relation) if self.definitions.negates_itself[relation.index()] => {
                Detail::Constants
            }
            Origin::Clauses(_) => Detail::Needs,
        }
    }

    /// Whether the relation is defined by rules.
    pub(super) fn is_derived(&self, relation: RelationId) -> bool {
        matches!(self.origin(relation), Origin::Clauses(_))
    }
}
