//! The evaluation machine: goals are proved top-down, each at most once, with tables.
//!
//! A *goal* is a call with the values of its key; its *rows* are all its
//! answers. To prove a goal is to run each clause whose key matches, step by
//! step with backtracking, as in Prolog, except that every goal met on the way is
//! looked up in its table first:
//!
//! - A goal that is complete yields its rows.
//! - A goal of a call that cannot depend on the one being proved is proved to
//!   the end at once, in a new [`Frame`]. So is every negated goal: stratification
//!   means that it cannot depend on the one being proved either.
//! - A goal of the same component is started, if it is new, and what remains of the
//!   clause is stored as a [`Consumer`] of the goal's rows, now and later. The
//!   frame is done when no consumer has a row left to consume: that is
//!   the least fixpoint, reached without deriving anything twice from the same rows
//!   (semi-naive evaluation), and without loops.
//!
//! This is tabling (SLG resolution) where the static dependencies between calls take
//! the place of run-time completion detection. Nothing here uses the call stack of
//! the processor.

use std::sync::Arc;

use propjit_stop::Stop;

use crate::term::{TermId, Terms};

use super::frame::{Consumer, Entry, Frame, Halt, Task};
use super::limits::ProverLimits;
use super::meter::{Cause, MemoryUsage, Meter};
use super::program::{Call, CallId, Lifetime, Match, Origin, Program};
use super::store::{Found, GoalRef, Store, TableUsage};
use super::table::NONE;

/// The answers that are known, and the stacks of the proof that adds to them.
#[derive(Clone)]
pub(super) struct Machine {
    program: Arc<Program>,
    pub terms: Terms,
    pub store: Store,
    meter: Meter,
    pub frames: Vec<Frame>,
    pub tasks: Vec<Task>,
    /// The goals that frames have begun and not completed.
    pub active: Vec<GoalRef>,
    pub consumers: Vec<Consumer>,
    pub saved: Vec<TermId>,
    pub slots: Vec<TermId>,
    pub choices: Vec<u32>,
    /// The key or the row under construction.
    pub values: Vec<TermId>,
    /// Whether any row of the goal that is proved is enough.
    pub wants_any: bool,
}

impl Machine {
    pub(super) fn new(program: Program, terms: Terms, limits: ProverLimits) -> Machine {
        Machine {
            store: Store::new(&program),
            program: Arc::new(program),
            terms,
            meter: Meter::new(limits),
            frames: Vec::new(),
            tasks: Vec::new(),
            active: Vec::new(),
            consumers: Vec::new(),
            saved: Vec::new(),
            slots: Vec::new(),
            choices: Vec::new(),
            values: Vec::new(),
            wants_any: false,
        }
    }

    pub(super) fn program(&self) -> &Program {
        &self.program
    }

    /// Sets the state that goals are about.
    pub(super) fn set_fluents(&mut self, fluents: &[TermId]) {
        self.store.set_fluents(&self.program, &self.terms, fluents);
    }

    /// The steps of the last query.
    pub(super) fn steps(&self) -> u64 {
        self.meter.steps()
    }

    /// The calls, with what their tables have held, if that is observed.
    pub(super) fn usage(&self) -> impl Iterator<Item = (&Call, &TableUsage)> {
        self.program.calls.iter().zip(self.store.usage())
    }

    pub(super) fn into_terms(self) -> Terms {
        self.terms
    }

    /// Sets the token that stops queries.
    pub(super) fn set_stop(&mut self, stop: Stop) {
        self.meter.set_stop(stop);
    }

    /// The first column of some row of a goal, if it has any. Positive conditions are not proved
    /// to the end for that, unless a negation needs a goal that would be open still.
    pub(super) fn solve_any(
        &mut self,
        call: CallId,
        key: &[TermId],
    ) -> Result<Option<TermId>, Halt> {
        let mut found = None;
        self.wants_any = true;
        let solved = self.solve(call, key, |row| found = found.or(row.first().copied()));
        self.wants_any = false;
        match solved {
            Err(halt) if matches!(halt.cause, Cause::Enough) => Ok(self.values.first().copied()),
            // A goal that a negation needs was open still.
            Err(halt) if matches!(halt.cause, Cause::Unstratified) => {
                let mut found = None;
                self.solve(call, key, |row| found = found.or(row.first().copied()))?;
                Ok(found)
            }
            solved => solved.map(|()| found),
        }
    }

    /// Proves a goal and calls `visit` with each of its rows.
    pub(super) fn solve(
        &mut self,
        call: CallId,
        key: &[TermId],
        mut visit: impl FnMut(&[TermId]),
    ) -> Result<(), Halt> {
        let program = Arc::clone(&self.program);
        self.meter.restart();
        if self.store.cells() > self.meter.limits().cells / 2 {
            // Old answers can be proved again: new ones have precedence.
            self.store.forget(Lifetime::Match);
        }
        let mut row = loop {
            match self.store.find(&program, &self.terms, call, key) {
                Found::Rows(first) => break first,
                Found::Active { .. } | Found::Unproved => {
                    self.values.clear();
                    self.values.extend_from_slice(key);
                    if let Err(halt) = self.prove(&program, call) {
                        self.reset();
                        return Err(halt);
                    }
                }
            }
        };
        let table = self.store.table(call);
        while row != NONE {
            visit(table.row(row));
            row = table.after(row);
        }
        Ok(())
    }

    /// Forgets everything after a proof was cut off: incomplete goals must
    /// not be treated as complete ones.
    fn reset(&mut self) {
        self.store.forget(Lifetime::Match);
        self.frames.clear();
        self.tasks.clear();
        self.active.clear();
        self.consumers.clear();
        self.saved.clear();
    }

    /// Begins the goal of a derived call with the key in `values`, for the frame
    /// that is current or about to be.
    pub(super) fn begin(&mut self, program: &Program, call: CallId) -> GoalRef {
        let depth = self.frames.len() as u32;
        let owner = self.store.begin(program, call, &self.values, depth);
        self.active.push(owner);
        let clauses = 0..program.calls[call.index()].clauses.len() as u32;
        let starts = clauses.rev().map(|clause| Task::Start { owner, clause });
        self.tasks.extend(starts);
        owner
    }

    /// Turns the goal of a call with the key in `values` into the one to be proved for it, which differs for a view.
    pub(super) fn proved_call(&mut self, program: &Program, id: CallId) -> CallId {
        let call = &program.calls[id.index()];
        let Origin::View(base) = call.origin else {
            return id;
        };
        // The columns are in order, so that none is overwritten before it is read.
        for (to, &from) in call.base_key.iter().enumerate() {
            self.values[to] = self.values[from];
        }
        self.values.truncate(call.base_key.len());
        base
    }

    /// Opens the frame of a goal that has to be proved, with the key in `values`.
    pub(super) fn open(
        &mut self,
        program: &Program,
        call: CallId,
        slots: usize,
        choices: usize,
    ) -> Frame {
        let (tasks, active) = (self.tasks.len(), self.active.len());
        Frame {
            tasks,
            active,
            consumers: self.consumers.len(),
            saved: self.saved.len(),
            slots,
            choices,
            owner: self.begin(program, call),
            clause: 0,
            floor: 0,
            step: 0,
            woken: NONE,
        }
    }

    /// Completes the goals of a frame that has no more tasks.
    fn close(&mut self, frame: &Frame) {
        for goal in self.active.drain(frame.active..) {
            self.store.complete(goal);
        }
        self.consumers.truncate(frame.consumers);
        self.saved.truncate(frame.saved);
    }

    /// Proves the goal with the key in `values`.
    fn prove(&mut self, program: &Program, call: CallId) -> Result<(), Halt> {
        let mut frame = self.open(program, call, 0, 0);
        // A stopped proof does not begin.
        if self.meter.is_stopped() {
            return Err(frame.halt(Cause::Stopped));
        }
        loop {
            let entry = match self.next_task(program, &mut frame)? {
                Some(entry) => entry,
                None => {
                    self.close(&frame);
                    let Some(caller) = self.frames.pop() else {
                        return Ok(());
                    };
                    frame = caller;
                    Entry::Test
                }
            };
            let (call, before) = (frame.owner.call, self.meter.steps());
            let run = self.run(program, &mut frame, entry);
            self.store
                .count_steps(call, self.meter.steps() - before + 1);
            run?;
        }
    }

    #[inline]
    pub(super) fn count_steps(&mut self, steps: u64, frame: &Frame) -> Result<(), Halt> {
        let usage = || MemoryUsage {
            cells: self.store.cells()
                + self.saved.len()
                + 8 * self.consumers.len()
                + 4 * self.tasks.len(),
            terms: self.terms.len(),
        };
        self.meter
            .step(steps, usage)
            .map_err(|cause| frame.halt(cause))
    }

    /// Begins the frame's next task that has something to do.
    fn next_task(&mut self, program: &Program, frame: &mut Frame) -> Result<Option<Entry>, Halt> {
        while self.tasks.len() > frame.tasks
            && let Some(task) = self.tasks.pop()
        {
            self.count_steps(1, frame)?;
            let (owner, clause) = match task {
                Task::Start { owner, clause } => (owner, clause),
                Task::Wake(consumer) => {
                    let consumer = &self.consumers[consumer as usize];
                    (consumer.owner, consumer.clause)
                }
            };
            let table = self.store.table(owner.call);
            if table.is_settled(owner.goal) {
                continue;
            }
            let code = &program.calls[owner.call.index()].clauses[clause as usize];
            reserve(
                &mut self.slots,
                frame.slots + code.slots,
                TermId::from_raw(0),
            );
            reserve(&mut self.choices, frame.choices + code.steps.len(), NONE);
            let slots = &mut self.slots[frame.slots..];
            frame.owner = owner;
            frame.clause = clause;
            match task {
                Task::Start { .. } => {
                    let key = table.key(owner.goal);
                    if Match::all_match(&code.key, &self.terms, key, slots) {
                        frame.floor = 0;
                        frame.step = 0;
                        frame.woken = NONE;
                        return Ok(Some(Entry::Test));
                    }
                }
                Task::Wake(id) => {
                    let consumer = &self.consumers[id as usize];
                    let saved = &self.saved[consumer.saved as usize..][..code.slots];
                    slots[..code.slots].copy_from_slice(saved);
                    frame.floor = consumer.step;
                    frame.step = consumer.step;
                    frame.woken = id;
                    return Ok(Some(Entry::Retry));
                }
            }
        }
        Ok(None)
    }
}

fn reserve<T: Copy>(stack: &mut Vec<T>, length: usize, value: T) {
    if stack.len() < length {
        stack.resize(length, value);
    }
}
