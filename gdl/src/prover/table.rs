//! Tables of memoised answers, one for each call of the program.
//!
//! A table holds *goals* (a call with the values of its key) and the *rows* that
//! answer them. Rows of all goals share one flat array; the rows of one goal are
//! chained by links in the order of their discovery, so that a reader may follow
//! the chain while it still grows. Clearing a table frees no memory.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::{FxHashSet, FxHasher};

use crate::term::TermId;

/// The 32-bit number that stands for no row, no goal or no consumer.
pub(super) const NONE: u32 = u32::MAX;

/// The most rows of a goal that are compared one by one; from then on, they are hashed.
const ROWS_TO_SCAN: u32 = 6;

/// One call with the values of its key.
#[derive(Clone)]
pub(super) struct Goal {
    /// The first row, or [`NONE`].
    pub first: u32,
    /// The last row, or [`NONE`].
    last: u32,
    /// The number of rows.
    count: u32,
    /// The nesting depth of the frame that proves the goal, or [`NONE`] if all
    /// rows have been found.
    pub frame: u32,
    /// The first of the conditions that wait for more rows, or [`NONE`].
    pub consumers: u32,
}

/// The goals and rows of one call.
#[derive(Clone, Default)]
pub(super) struct Table {
    key_width: usize,
    row_width: usize,
    goals: Vec<Goal>,
    keys: Vec<TermId>,
    goal_index: HashTable<u32>,
    rows: Vec<TermId>,
    /// The next row of the same goal, or [`NONE`].
    links: Vec<u32>,
    /// The goal of each row.
    owners: Vec<u32>,
    row_index: HashTable<u32>,
    /// Whether all goals that have rows have been entered.
    pub is_complete: bool,
    /// For a view: by goal of the other call, whether its rows have been entered.
    viewed: Vec<bool>,
}

fn hash(seed: u32, values: &[TermId]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u32(seed);
    for value in values {
        hasher.write_u32(value.raw());
    }
    hasher.finish()
}

fn slice(values: &[TermId], width: usize, index: u32) -> &[TermId] {
    let start = index as usize * width;
    &values[start..start + width]
}

/// Empties a hash table in time that depends on its length: clearing takes time
/// proportional to its capacity, which may be from a much larger state.
fn empty(table: &mut HashTable<u32>) {
    if table.capacity() > 16 * table.len() + 256 {
        *table = HashTable::new();
    } else {
        table.clear();
    }
}

impl Table {
    pub(super) fn new(key_width: usize, row_width: usize) -> Table {
        Table {
            key_width,
            row_width,
            goals: Vec::new(),
            keys: Vec::new(),
            goal_index: HashTable::new(),
            rows: Vec::new(),
            links: Vec::new(),
            owners: Vec::new(),
            row_index: HashTable::new(),
            is_complete: false,
            viewed: Vec::new(),
        }
    }

    pub(super) fn goal_count(&self) -> usize {
        self.goals.len()
    }

    pub(super) fn row_count(&self) -> usize {
        self.links.len()
    }

    /// The approximate number of stored numbers.
    pub(super) fn cells(&self) -> usize {
        self.goal_count() * self.goal_cells() + self.row_count() * self.row_cells()
    }

    /// Whether nothing was entered since the table was cleared.
    pub(super) fn is_untouched(&self) -> bool {
        self.goals.is_empty() && !self.is_complete && self.viewed.is_empty()
    }

    /// The number that one goal adds to [`Table::cells`].
    pub(super) fn goal_cells(&self) -> usize {
        self.key_width + 7
    }

    /// The number that one row adds to [`Table::cells`].
    pub(super) fn row_cells(&self) -> usize {
        self.row_width + 4
    }

    /// Forgets all goals and rows.
    pub(super) fn clear(&mut self) {
        empty(&mut self.goal_index);
        empty(&mut self.row_index);
        self.goals.clear();
        self.keys.clear();
        self.rows.clear();
        self.links.clear();
        self.owners.clear();
        self.is_complete = false;
        self.viewed.clear();
    }

    /// Marks that the rows of a goal of the viewed call are entered; false if that was so before.
    pub(super) fn view(&mut self, goal: u32) -> bool {
        let goal = goal as usize;
        if self.viewed.len() <= goal {
            self.viewed.resize(goal + 1, false);
        }
        !std::mem::replace(&mut self.viewed[goal], true)
    }

    /// The number of different values in a column of the keys.
    pub(super) fn key_values(&self, column: usize) -> usize {
        let keys = self.keys.chunks_exact(self.key_width.max(1));
        let values: FxHashSet<TermId> = keys.map(|key| key[column]).collect();
        values.len()
    }

    pub(super) fn goal(&self, goal: u32) -> &Goal {
        &self.goals[goal as usize]
    }

    pub(super) fn goal_mut(&mut self, goal: u32) -> &mut Goal {
        &mut self.goals[goal as usize]
    }

    /// Whether the goal has all rows that it can ever have.
    pub(super) fn is_settled(&self, goal: u32) -> bool {
        self.row_width == 0 && self.goals[goal as usize].first != NONE
    }

    pub(super) fn key_width(&self) -> usize {
        self.key_width
    }

    pub(super) fn key(&self, goal: u32) -> &[TermId] {
        slice(&self.keys, self.key_width, goal)
    }

    pub(super) fn row(&self, row: u32) -> &[TermId] {
        slice(&self.rows, self.row_width, row)
    }

    /// The row after `row` in its goal's chain, or [`NONE`].
    pub(super) fn after(&self, row: u32) -> u32 {
        self.links[row as usize]
    }

    /// The goal with this key.
    pub(super) fn find(&self, key: &[TermId]) -> Option<u32> {
        if self.key_width == 0 {
            return (!self.goals.is_empty()).then_some(0);
        }
        let found = self
            .goal_index
            .find(hash(0, key), |&goal| self.key(goal) == key);
        found.copied()
    }

    /// The goal with this key, which is entered as a complete one if it is new.
    pub(super) fn goal_with(&mut self, key: &[TermId]) -> u32 {
        match self.find(key) {
            Some(goal) => goal,
            None => self.add_goal(key, NONE),
        }
    }

    /// Enters a new goal; see [`Goal::frame`].
    pub(super) fn add_goal(&mut self, key: &[TermId], frame: u32) -> u32 {
        let new = self.goals.len() as u32;
        self.goals.push(Goal {
            first: NONE,
            last: NONE,
            count: 0,
            frame,
            consumers: NONE,
        });
        if self.key_width > 0 {
            self.keys.extend_from_slice(key);
            let (keys, width) = (&self.keys, self.key_width);
            self.goal_index
                .insert_unique(hash(0, key), new, |&goal| hash(0, slice(keys, width, goal)));
        }
        new
    }

    /// Enters a row of a goal; true if it is new. A table without columns has
    /// at most one row for each goal.
    pub(super) fn add_row(&mut self, goal: u32, row: &[TermId]) -> bool {
        let Goal { first, count, .. } = self.goals[goal as usize];
        if self.row_width == 0 {
            if first != NONE {
                return false;
            }
        } else if count < ROWS_TO_SCAN {
            let mut old = first;
            while old != NONE {
                if self.row(old) == row {
                    return false;
                }
                old = self.after(old);
            }
        } else {
            if count == ROWS_TO_SCAN {
                let mut old = first;
                while old != NONE {
                    self.index_row(goal, old);
                    old = self.after(old);
                }
            }
            let found = self.row_index.find(hash(goal, row), |&old| {
                self.owners[old as usize] == goal && self.row(old) == row
            });
            if found.is_some() {
                return false;
            }
        }
        let new = self.push_row(goal, row);
        if self.row_width > 0 && count >= ROWS_TO_SCAN {
            self.index_row(goal, new);
        }
        true
    }

    /// Enters a row of a goal that is known to be new.
    pub(super) fn push_row(&mut self, goal: u32, row: &[TermId]) -> u32 {
        let new = self.links.len() as u32;
        self.rows.extend_from_slice(row);
        self.links.push(NONE);
        self.owners.push(goal);
        let goal = &mut self.goals[goal as usize];
        if goal.last == NONE {
            goal.first = new;
        } else {
            self.links[goal.last as usize] = new;
        }
        goal.last = new;
        goal.count += 1;
        new
    }

    /// Removes a row that was entered by [`Table::push_row`]. Its memory is in use until the table is cleared.
    pub(super) fn remove_row(&mut self, goal: u32, row: &[TermId]) {
        let (mut before, mut at) = (NONE, self.goals[goal as usize].first);
        while at != NONE && self.row(at) != row {
            before = at;
            at = self.after(at);
        }
        if at == NONE {
            return;
        }
        let after = self.after(at);
        let goal = &mut self.goals[goal as usize];
        match before {
            NONE => goal.first = after,
            before => self.links[before as usize] = after,
        }
        if goal.last == at {
            goal.last = before;
        }
        goal.count -= 1;
    }

    fn index_row(&mut self, goal: u32, row: u32) {
        let (rows, owners, width) = (&self.rows, &self.owners, self.row_width);
        let hash_of = |row: u32| hash(owners[row as usize], slice(rows, width, row));
        debug_assert_eq!(owners[row as usize], goal);
        self.row_index
            .insert_unique(hash_of(row), row, |&row| hash_of(row));
    }
}
