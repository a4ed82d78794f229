//! The relations of a game while its rules are read.

use rustc_hash::FxHashMap;

use crate::rules::{Keyword, Relation, RelationId};
use crate::term::{Symbol, Terms};

/// The relations so far, by name and arity.
pub(crate) struct Relations {
    pub(crate) list: Vec<Relation>,
    ids: FxHashMap<(Symbol, usize), RelationId>,
}

impl Relations {
    /// The keyword relations.
    pub(crate) fn new(terms: &mut Terms) -> Relations {
        let mut relations = Relations {
            list: Vec::new(),
            ids: FxHashMap::default(),
        };
        for keyword in Keyword::ALL {
            relations.id(terms.symbol(keyword.name()), keyword.arity());
        }
        relations
    }

    /// The relation with this name and arity, entered if it is new.
    pub(crate) fn id(&mut self, name: Symbol, arity: usize) -> RelationId {
        let next = RelationId(self.list.len() as u32);
        *self.ids.entry((name, arity)).or_insert_with(|| {
            self.list.push(Relation { name, arity });
            next
        })
    }

    /// A new relation with a name that no rulesheet can spell, since it contains a blank.
    pub(crate) fn auxiliary(&mut self, terms: &mut Terms, arity: usize) -> RelationId {
        let name = terms.symbol(&format!("or {}", self.list.len()));
        self.id(name, arity)
    }

    /// Whether no rulesheet can spell the relation's name.
    pub(crate) fn is_auxiliary(&self, terms: &Terms, relation: RelationId) -> bool {
        terms.name(self.list[relation.index()].name).contains(' ')
    }
}
