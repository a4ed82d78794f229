//! The store of answers: the state, the joint move, and the answers that follow from them, kept
//! as long as they hold.

use crate::term::{TermId, Terms};

use super::extension::{Situation, fill};
use super::program::{CallId, Lifetime, Origin, Program};
use super::shape::widths;
use super::table::{NONE, Table};

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
    /// By lifetime: the calls whose tables are not empty.
    touched: [Vec<CallId>; 3],
    /// The cells of all tables.
    cells: usize,
    /// By call: the goals and rows that its table has held.
    usage: Vec<TableUsage>,
}

/// The numbers of goals and rows that a table has held and forgotten since the store was made.
#[derive(Clone, Copy, Default)]
pub(super) struct TableUsage {
    pub goals: usize,
    pub rows: usize,
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
            touched: Default::default(),
            cells: 0,
            usage: vec![TableUsage::default(); program.calls.len()],
        }
    }

    /// The approximate number of stored numbers.
    pub(super) fn cells(&self) -> usize {
        self.cells
    }

    /// The numbers of goals and rows that the table of a call has held.
    pub(super) fn usage(&self, call: CallId) -> TableUsage {
        self.usage[call.index()]
    }

    pub(super) fn table(&self, call: CallId) -> &Table {
        &self.tables[call.index()]
    }

    pub(super) fn table_mut(&mut self, call: CallId) -> &mut Table {
        &mut self.tables[call.index()]
    }

    /// Changes the state that goals are about, and forgets the answers that depended on it.
    pub(super) fn set_fluents(&mut self, fluents: &[TermId]) {
        if self.situation.fluents != fluents {
            self.situation.fluents.clear();
            self.situation.fluents.extend_from_slice(fluents);
            self.forget(Lifetime::State);
        }
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
        for touched in &mut self.touched[longest as usize..] {
            for call in touched.drain(..) {
                let table = &mut self.tables[call.index()];
                self.cells -= table.cells();
                let usage = &mut self.usage[call.index()];
                usage.goals += table.goal_count();
                usage.rows += table.row_count();
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
        self.touched[call.lifetime as usize].push(id);
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
