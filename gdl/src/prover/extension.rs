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
    let (mut key, mut row) = (Vec::new(), Vec::new());
    let mut enter = |values: &[TermId]| {
        key.clear();
        row.clear();
        if split(terms, &call.shapes, values, &mut key, &mut row) {
            let goal = match table.find(&key) {
                Some(goal) => goal,
                None => table.add_goal(&key, NONE),
            };
            // Different values differ in some part.
            table.push_row(goal, &row);
        }
    };
    match call.origin {
        Origin::Facts(relation) => facts[relation.index()].rows().for_each(enter),
        Origin::Fluents => situation
            .fluents
            .iter()
            .for_each(|&fluent| enter(&[fluent])),
        Origin::Moves => situation.moves.iter().for_each(|values| enter(values)),
        Origin::Clauses(_) | Origin::View(_) => {}
    }
    table.is_complete = true;
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
    let (mut values, mut key, mut row) = (Vec::new(), Vec::new(), Vec::new());
    let mut next = viewed.goal(goal).first;
    while next != NONE {
        let (mut known, mut found) = (viewed.key(goal).iter(), viewed.row(next).iter());
        let columns = base.iter().map(|shape| match shape {
            Shape::Bound => known.next(),
            _ => found.next(),
        });
        values.clear();
        values.extend(columns.flatten());
        key.clear();
        row.clear();
        if split(terms, shapes, &values, &mut key, &mut row) {
            let goal = match table.find(&key) {
                Some(goal) => goal,
                None => table.add_goal(&key, NONE),
            };
            table.add_row(goal, &row);
        }
        next = viewed.after(next);
    }
}
