//! The store of answers: the state, the joint move, and the answers that follow from them, kept
//! as long as they hold.

use smallvec::SmallVec;

use crate::term::{TermId, Terms};

use super::extension::{Changes, Situation, fill, fill_view, update};
use super::program::{CallId, Lifetime, Origin, Program};
use super::shape::widths;
use super::table::{NONE, Table};

/// The rows of an index beyond those of two states from which on it is made anew.
const SPARE_ROWS: usize = 64;

/// A goal of a call.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct GoalRef {
    pub call: CallId,
    pub goal: u32,
}

/// The result of looking up a goal.
pub(super) enum Found {
    /// All its rows, from the first on.
    Rows(u32),
    /// It is being proved by a frame at this depth.
    Active { goal: u32, frame: u32 },
    /// Nothing is known of it yet.
    Unproved,
}

/// The tables of all calls, and the situation that goals are about.
#[derive(Clone)]
pub(super) struct Store {
    situation: Situation,
    tables: Vec<Table>,
    /// The calls of `true` whose tables are filled. They are adapted to states that differ little.
    indexes: Vec<CallId>,
    /// Memory for the changes of the state.
    changes: Changes,
    /// By lifetime: the calls whose tables are not empty.
    touched: [Vec<CallId>; 3],
    /// The cells of all tables.
    cells: usize,
    /// By call, if that is observed.
    usage: Option<Vec<TableUsage>>,
}

/// What a table has held and forgotten since observation began.
#[derive(Clone, Default)]
pub(super) struct TableUsage {
    /// The steps of the machine for its clauses.
    pub steps: u64,
    pub goals: usize,
    pub rows: usize,
    /// How often it was filled and forgotten.
    pub fills: usize,
    /// By column of the keys: the sum over fills of the number of different values.
    pub values: Vec<usize>,
}

impl TableUsage {
    /// The cost in about as many steps: it takes more to enter a goal or a row than to try one.
    pub(super) fn cost(&self) -> u64 {
        self.steps + 4 * self.goals as u64 + 3 * self.rows as u64
    }

    fn learn(&mut self, table: &Table) {
        self.goals += table.goal_count();
        self.rows += table.row_count();
        self.fills += 1;
        self.values.resize(table.key_width(), 0);
        for (column, sum) in self.values.iter_mut().enumerate() {
            *sum += table.key_values(column);
        }
    }
}

impl Store {
    pub(super) fn new(program: &Program) -> Store {
        let tables = program.calls.iter().map(|call| {
            let (key, row) = widths(&call.shapes);
            Table::new(key, row)
        });
        Store {
            situation: Situation::default(),
            tables: tables.collect(),
            indexes: Vec::new(),
            changes: Changes::default(),
            touched: Default::default(),
            cells: 0,
            usage: None,
        }
    }

    /// The approximate number of stored numbers.
    pub(super) fn cells(&self) -> usize {
        self.cells
    }

    /// Observes the tables from now on.
    pub(super) fn observe(&mut self) {
        self.usage = Some(vec![TableUsage::default(); self.tables.len()]);
    }

    /// By call: what its table has held, if that is observed.
    pub(super) fn usage(&self) -> &[TableUsage] {
        self.usage.as_deref().unwrap_or_default()
    }

    /// Counts steps for a call, if that is observed.
    #[inline]
    pub(super) fn count_steps(&mut self, call: CallId, steps: u64) {
        if let Some(usage) = &mut self.usage {
            usage[call.index()].steps += steps;
        }
    }

    pub(super) fn table(&self, call: CallId) -> &Table {
        &self.tables[call.index()]
    }

    pub(super) fn table_mut(&mut self, call: CallId) -> &mut Table {
        &mut self.tables[call.index()]
    }

    /// Changes the state that goals are about, and forgets the answers that depended on it.
    pub(super) fn set_fluents(&mut self, program: &Program, terms: &Terms, fluents: &[TermId]) {
        if self.situation.fluents == fluents {
            return;
        }
        let are_few = self.changes.find(&self.situation.fluents, fluents);
        let mut indexes = std::mem::take(&mut self.indexes);
        indexes.retain(|&call| {
            let table = &mut self.tables[call.index()];
            self.cells -= table.cells();
            // Memory of rows that are gone is not used again.
            let keeps = are_few && table.row_count() < 2 * fluents.len() + SPARE_ROWS;
            match keeps {
                true => update(
                    table,
                    &program.calls[call.index()].shapes,
                    &self.changes,
                    terms,
                ),
                false => table.clear(),
            }
            self.cells += table.cells();
            keeps
        });
        self.indexes = indexes;
        self.situation.fluents.clear();
        self.situation.fluents.extend_from_slice(fluents);
        self.forget(Lifetime::State);
    }

    /// Changes the joint move that goals are about, and forgets the answers that depended on it.
    pub(super) fn set_moves(&mut self, moves: impl Iterator<Item = [TermId; 2]> + Clone) {
        if !self.situation.moves.iter().copied().eq(moves.clone()) {
            self.situation.moves.clear();
            self.situation.moves.extend(moves);
            self.forget(Lifetime::Move);
        }
    }

    /// Clears the tables whose answers hold for `longest` or shorter.
    pub(super) fn forget(&mut self, longest: Lifetime) {
        if longest == Lifetime::Match {
            for call in self.indexes.drain(..) {
                let table = &mut self.tables[call.index()];
                self.cells -= table.cells();
                table.clear();
            }
        }
        for touched in &mut self.touched[longest as usize..] {
            for call in touched.drain(..) {
                let table = &mut self.tables[call.index()];
                self.cells -= table.cells();
                if let Some(usage) = &mut self.usage {
                    usage[call.index()].learn(table);
                }
                table.clear();
            }
        }
    }

    /// Looks up a goal.
    pub(super) fn find(
        &mut self,
        program: &Program,
        terms: &Terms,
        id: CallId,
        key: &[TermId],
    ) -> Found {
        let table = &self.tables[id.index()];
        match table.find(key) {
            Some(goal) => match table.goal(goal).frame {
                NONE => Found::Rows(table.goal(goal).first),
                frame => Found::Active { goal, frame },
            },
            None if table.is_complete => Found::Rows(NONE),
            None if matches!(program.calls[id.index()].origin, Origin::Clauses(_)) => {
                Found::Unproved
            }
            None if matches!(program.calls[id.index()].origin, Origin::View(_)) => {
                self.view(program, terms, id, key)
            }
            None => {
                self.index(program, terms, id);
                let table = self.table(id);
                let goal = table.find(key);
                Found::Rows(goal.map_or(NONE, |goal| table.goal(goal).first))
            }
        }
    }

    /// Fills the table of a call that is not derived.
    #[cold]
    fn index(&mut self, program: &Program, terms: &Terms, id: CallId) {
        let call = &program.calls[id.index()];
        let table = &mut self.tables[id.index()];
        fill(table, call, &program.facts, &self.situation, terms);
        self.cells += table.cells();
        match call.origin {
            Origin::Fluents => self.indexes.push(id),
            _ => self.touched[call.lifetime as usize].push(id),
        }
    }

    /// Looks up a goal that is not in the table of a view, and enters the rows that it may be among.
    #[cold]
    fn view(&mut self, program: &Program, terms: &Terms, id: CallId, key: &[TermId]) -> Found {
        let call = &program.calls[id.index()];
        let Origin::View(base) = call.origin else {
            return Found::Unproved;
        };
        let base_key: SmallVec<[TermId; 8]> =
            call.base_key.iter().map(|&column| key[column]).collect();
        let viewed = &self.tables[base.index()];
        let Some(goal) = viewed.find(&base_key) else {
            return Found::Unproved;
        };
        if viewed.goal(goal).frame != NONE {
            let frame = viewed.goal(goal).frame;
            return Found::Active { goal, frame };
        }
        let mut table = std::mem::take(&mut self.tables[id.index()]);
        if table.is_untouched() {
            self.touched[call.lifetime as usize].push(id);
        }
        if table.view(goal) {
            let (viewed, shapes) = (
                &self.tables[base.index()],
                &program.calls[base.index()].shapes,
            );
            self.cells -= table.cells();
            fill_view(&mut table, &call.shapes, viewed, shapes, goal, terms);
            self.cells += table.cells();
            // There is one other goal then.
            table.is_complete = base_key.is_empty();
        }
        let found = table.find(key).map_or(NONE, |goal| table.goal(goal).first);
        self.tables[id.index()] = table;
        Found::Rows(found)
    }

    /// Enters a goal that a frame at depth `frame` is going to prove.
    pub(super) fn begin(
        &mut self,
        program: &Program,
        call: CallId,
        key: &[TermId],
        frame: u32,
    ) -> GoalRef {
        let table = &mut self.tables[call.index()];
        if table.is_untouched() {
            let lifetime = program.calls[call.index()].lifetime;
            self.touched[lifetime as usize].push(call);
        }
        self.cells += table.goal_cells();
        GoalRef {
            call,
            goal: table.add_goal(key, frame),
        }
    }

    /// Marks a goal as complete: all its rows have been entered.
    pub(super) fn complete(&mut self, goal: GoalRef) {
        self.table_mut(goal.call).goal_mut(goal.goal).frame = NONE;
    }

    /// Enters a row of a goal; true if it is new.
    pub(super) fn add_row(&mut self, goal: GoalRef, row: &[TermId]) -> bool {
        let table = &mut self.tables[goal.call.index()];
        let new = table.add_row(goal.goal, row);
        if new {
            self.cells += table.row_cells();
        }
        new
    }
}
