//! Relations that are given and not derived: facts, the state, the joint move.
//!
//! Their tables are filled as a whole, for each call shape when it is first
//! used. The table is then an index of the relation by that shape's key.

use crate::term::{TermId, Terms};

use super::program::{Call, Facts, Origin};
use super::shape::{Shape, split};
use super::table::{NONE, Table};

/// The state and the joint move that queries are about.
#[derive(Clone, Default)]
pub(super) struct Situation {
    /// Sorted, each once.
    pub fluents: Vec<TermId>,
    /// Role and move, by role.
    pub moves: Vec<[TermId; 2]>,
}

/// Fills the empty table of a call that is not derived.
pub(super) fn fill(
    table: &mut Table,
    call: &Call,
    facts: &[Facts],
    situation: &Situation,
    terms: &Terms,
) {
    let mut index = Index::new(table, &call.shapes, terms);
    match call.origin {
        Origin::Facts(relation) => {
            let rows = facts[relation.index()].rows();
            rows.for_each(|values| index.add(values));
        }
        Origin::Fluents => {
            let fluents = situation.fluents.iter();
            fluents.for_each(|&fluent| index.add(&[fluent]));
        }
        Origin::Moves => situation.moves.iter().for_each(|values| index.add(values)),
        Origin::Clauses(_) | Origin::View(_) => {}
    }
    table.is_complete = true;
}

/// Adapts the table of a call of `true` to a new state.
pub(super) fn update(table: &mut Table, shapes: &[Shape], changes: &Changes, terms: &Terms) {
    let mut index = Index::new(table, shapes, terms);
    changes
        .gone
        .iter()
        .for_each(|&fluent| index.remove(&[fluent]));
    changes.new.iter().for_each(|&fluent| index.add(&[fluent]));
}

/// The fluents in which a state differs from another.
#[derive(Clone, Default)]
pub(super) struct Changes {
    gone: Vec<TermId>,
    new: Vec<TermId>,
}

impl Changes {
    /// Finds the changes between two states with sorted fluents. Returns whether they are few.
    pub(super) fn find(&mut self, old: &[TermId], new: &[TermId]) -> bool {
        self.gone.clear();
        self.new.clear();
        let most = new.len() / 4;
        let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
        while self.gone.len() + self.new.len() <= most {
            match (old.peek(), new.peek()) {
                (None, None) => return true,
                (Some(&&gone), added) if added.is_none_or(|&&added| gone < added) => {
                    self.gone.push(gone);
                    old.next();
                }
                (gone, Some(&&added)) if gone.is_none_or(|&&gone| added < gone) => {
                    self.new.push(added);
                    new.next();
                }
                _ => {
                    old.next();
                    new.next();
                }
            }
        }
        false
    }
}

/// A table as an index of rows by the key of a call's shapes.
struct Index<'a> {
    table: &'a mut Table,
    shapes: &'a [Shape],
    terms: &'a Terms,
    key: Vec<TermId>,
    row: Vec<TermId>,
}

impl Index<'_> {
    fn new<'a>(table: &'a mut Table, shapes: &'a [Shape], terms: &'a Terms) -> Index<'a> {
        Index {
            table,
            shapes,
            terms,
            key: Vec::new(),
            row: Vec::new(),
        }
    }

    /// Splits values in `key` and `row`; false if they do not have these shapes.
    fn split(&mut self, values: &[TermId]) -> bool {
        self.key.clear();
        self.row.clear();
        split(
            self.terms,
            self.shapes,
            values,
            &mut self.key,
            &mut self.row,
        )
    }

    /// Enters values that are new. Different ones differ in some part.
    fn add(&mut self, values: &[TermId]) {
        if self.split(values) {
            let goal = self.table.goal_with(&self.key);
            self.table.push_row(goal, &self.row);
        }
    }

    /// Enters values of which the shapes may leave out what distinguishes them from others.
    fn add_part(&mut self, values: &[TermId]) {
        if self.split(values) {
            let goal = self.table.goal_with(&self.key);
            self.table.add_row(goal, &self.row);
        }
    }

    fn remove(&mut self, values: &[TermId]) {
        if self.split(values)
            && let Some(goal) = self.table.find(&self.key)
        {
            self.table.remove_row(goal, &self.row);
        }
    }
}

/// Enters the rows of a goal of another call of the relation, `viewed` in the shape `base`, in the table of a view.
pub(super) fn fill_view(
    table: &mut Table,
    shapes: &[Shape],
    viewed: &Table,
    base: &[Shape],
    goal: u32,
    terms: &Terms,
) {
    let mut index = Index::new(table, shapes, terms);
    let mut values = Vec::new();
    let mut next = viewed.goal(goal).first;
    while next != NONE {
        let (mut known, mut found) = (viewed.key(goal).iter(), viewed.row(next).iter());
        let columns = base.iter().map(|shape| match shape {
            Shape::Bound => known.next(),
            _ => found.next(),
        });
        values.clear();
        values.extend(columns.flatten());
        index.add_part(&values);
        next = viewed.after(next);
    }
}
