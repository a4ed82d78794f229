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

use super::limits::ProverLimits;
use super::meter::{Cause, MemoryUsage, Meter};
use super::program::{Call, CallId, Clause, Lifetime, Match, Program, Query, Test};
use super::store::{self, Found, GoalRef, Store};
use super::table::NONE;

/// The reason why a proof stopped, and the clause that was being run.
pub(super) struct Halt {
    pub cause: Cause,
    pub call: CallId,
    pub clause: u32,
}

/// A task of a frame: work to be done for its goals.
#[derive(Clone, Copy)]
enum Task {
    /// Run a clause for a goal.
    Start { owner: GoalRef, clause: u32 },
    /// Let a consumer consume the rows that it has not consumed yet.
    Wake(u32),
}

/// The rest of a clause, waiting for rows of a goal.
#[derive(Clone)]
struct Consumer {
    /// The goal that the clause is to answer.
    owner: GoalRef,
    clause: u32,
    /// The step that waits.
    step: u32,
    /// The goal that it waits for.
    producer: u32,
    /// The last row consumed, or [`NONE`].
    seen: u32,
    /// The index of the first saved slot.
    saved: u32,
    /// Whether a task will wake it, or it need not be woken any more.
    queued: bool,
    /// The next consumer of the same goal, or [`NONE`].
    next: u32,
}

/// The proof of one goal, together with those of the same component that it meets. The
/// current task is part of it: the clause that is run, its first step in this task
/// (`floor`), and its current step.
#[derive(Clone, Copy)]
struct Frame {
    /// The lengths of the machine's stacks when the frame was opened.
    tasks: usize,
    active: usize,
    consumers: usize,
    saved: usize,
    /// The indices of the clause's first slot and first choice (one for each step).
    slots: usize,
    choices: usize,
    /// The goal that the clause is to answer.
    owner: GoalRef,
    clause: u32,
    floor: u32,
    step: u32,
    /// The consumer that was woken, or [`NONE`].
    woken: u32,
}

impl Frame {
    fn halt(&self, cause: Cause) -> Halt {
        Halt {
            cause,
            call: self.owner.call,
            clause: self.clause,
        }
    }
}

/// The next action of the machine.
enum Mode {
    /// Begin the next task of the frame.
    NextTask,
    /// Test the current step.
    Test,
    /// Try another row for the current step.
    Retry,
}

/// The answers that are known, and the stacks of the proof that adds to them.
#[derive(Clone)]
pub(super) struct Machine {
    program: Arc<Program>,
    pub terms: Terms,
    pub store: Store,
    meter: Meter,
    frames: Vec<Frame>,
    tasks: Vec<Task>,
    /// The goals that frames have begun and not completed.
    active: Vec<GoalRef>,
    consumers: Vec<Consumer>,
    saved: Vec<TermId>,
    slots: Vec<TermId>,
    choices: Vec<u32>,
    /// The key or the row under construction.
    values: Vec<TermId>,
    /// Whether any row of the goal that is proved is enough.
    wants_any: bool,
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

    /// The steps of the last query.
    pub(super) fn steps(&self) -> u64 {
        self.meter.steps()
    }

    /// The calls, with the numbers of goals and rows that their tables have held.
    pub(super) fn usage(&self) -> impl Iterator<Item = (&Call, store::TableUsage)> {
        let calls = self.program.calls.iter().enumerate();
        calls.map(|(index, call)| (call, self.store.usage(CallId(index as u32))))
    }

    pub(super) fn into_terms(self) -> Terms {
        self.terms
    }

    /// Sets the token that stops queries.
    pub(super) fn set_stop(&mut self, stop: Stop) {
        self.meter.set_stop(stop);
    }

    /// The first column of some row of a goal, if it has any. Positive conditions are not proved
    /// to the end for that, so a goal that a negation needs may be open still: then there is an
    /// error, as if the rules were contradictory.
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
    fn begin(&mut self, program: &Program, call: CallId) -> GoalRef {
        let depth = self.frames.len() as u32;
        let owner = self.store.begin(program, call, &self.values, depth);
        self.active.push(owner);
        let clauses = 0..program.calls[call.index()].clauses.len() as u32;
        let starts = clauses.rev().map(|clause| Task::Start { owner, clause });
        self.tasks.extend(starts);
        owner
    }

    /// Opens the frame of a goal that has to be proved, with the key in `values`.
    fn open(&mut self, program: &Program, call: CallId, slots: usize, choices: usize) -> Frame {
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
        let mut mode = Mode::NextTask;
        loop {
            self.count_step(&frame)?;
            mode = match mode {
                Mode::NextTask => match self.next_task(program, &mut frame)? {
                    Some(mode) => mode,
                    None => {
                        self.close(&frame);
                        let Some(caller) = self.frames.pop() else {
                            return Ok(());
                        };
                        frame = caller;
                        Mode::Test
                    }
                },
                Mode::Test => self.test(program, &mut frame)?,
                Mode::Retry => self.retry(program, &mut frame)?,
            };
        }
    }

    #[inline]
    fn count_step(&mut self, frame: &Frame) -> Result<(), Halt> {
        let usage = || MemoryUsage {
            cells: self.store.cells()
                + self.saved.len()
                + 8 * self.consumers.len()
                + 4 * self.tasks.len(),
            terms: self.terms.len(),
        };
        self.meter.step(usage).map_err(|cause| frame.halt(cause))
    }

    /// Begins the frame's next task that has something to do.
    fn next_task(&mut self, program: &Program, frame: &mut Frame) -> Result<Option<Mode>, Halt> {
        while self.tasks.len() > frame.tasks
            && let Some(task) = self.tasks.pop()
        {
            self.count_step(frame)?;
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
                        return Ok(Some(Mode::Test));
                    }
                }
                Task::Wake(id) => {
                    let consumer = &self.consumers[id as usize];
                    let saved = &self.saved[consumer.saved as usize..][..code.slots];
                    slots[..code.slots].copy_from_slice(saved);
                    frame.floor = consumer.step;
                    frame.step = consumer.step;
                    frame.woken = id;
                    return Ok(Some(Mode::Retry));
                }
            }
        }
        Ok(None)
    }

    /// Tests the current step.
    fn test(&mut self, program: &Program, frame: &mut Frame) -> Result<Mode, Halt> {
        let clause = clause_of(program, frame);
        let Some(step) = clause.steps.get(frame.step as usize) else {
            return self.answer(program, clause, frame);
        };
        let query = match &step.test {
            Test::Distinct(a, b) => {
                let slots = &self.slots[frame.slots..];
                let differ = a.build(&mut self.terms, slots) != b.build(&mut self.terms, slots);
                return Ok(after_step(differ, step.back, frame));
            }
            Test::Absent(query) | Test::Present(query) => query,
        };
        // Rows are consumed as they come where they may depend on this goal, and where one is
        // enough.
        let waits =
            query.same_component || (self.wants_any && matches!(step.test, Test::Present(_)));
        let slots = &self.slots[frame.slots..];
        self.values.clear();
        for source in &query.key {
            self.values.push(source.build(&mut self.terms, slots));
        }
        let first = match self
            .store
            .find(program, &self.terms, query.call, &self.values)
        {
            Found::Rows(first) => first,
            Found::Active { goal, frame: depth } => {
                // Only a circle through a negation leads back to a goal of
                // another frame, or from a negation to one of the same.
                if !waits || depth as usize != self.frames.len() {
                    return Err(frame.halt(Cause::Unstratified));
                }
                self.wait(clause, query.call, goal, frame);
                return Ok(after_step(false, step.back, frame));
            }
            Found::Unproved if waits => {
                let begun = self.begin(program, query.call);
                self.wait(clause, query.call, begun.goal, frame);
                return Ok(after_step(false, step.back, frame));
            }
            Found::Unproved => {
                let slots = frame.slots + clause.slots;
                let choices = frame.choices + clause.steps.len();
                self.frames.push(*frame);
                *frame = self.open(program, query.call, slots, choices);
                return Ok(Mode::NextTask);
            }
        };
        Ok(match step.test {
            Test::Absent(_) => {
                let table = self.store.table(query.call);
                let mut row = first;
                while row != NONE {
                    let slots = &mut self.slots[frame.slots..];
                    if Match::all_match(&query.row, &self.terms, table.row(row), slots) {
                        break;
                    }
                    row = table.after(row);
                }
                after_step(row == NONE, step.back, frame)
            }
            _ => {
                self.choices[frame.choices + frame.step as usize] = first;
                Mode::Retry
            }
        })
    }

    /// Tries the rows of the current step until one matches.
    fn retry(&mut self, program: &Program, frame: &mut Frame) -> Result<Mode, Halt> {
        let step = &clause_of(program, frame).steps[frame.step as usize];
        let Test::Present(query) = &step.test else {
            unreachable!("only positive conditions have choices")
        };
        loop {
            let row = self.next_row(query, frame);
            if row == NONE {
                return Ok(after_step(false, step.back, frame));
            }
            let values = self.store.table(query.call).row(row);
            let slots = &mut self.slots[frame.slots..];
            if Match::all_match(&query.row, &self.terms, values, slots) {
                return Ok(after_step(true, step.back, frame));
            }
            self.count_step(frame)?;
        }
    }

    /// The next row for the current step, or [`NONE`].
    fn next_row(&mut self, query: &Query, frame: &Frame) -> u32 {
        let table = self.store.table(query.call);
        if frame.woken == NONE || frame.step > frame.floor {
            let choice = &mut self.choices[frame.choices + frame.step as usize];
            let row = *choice;
            if row != NONE {
                *choice = table.after(row);
            }
            return row;
        }
        let consumer = &mut self.consumers[frame.woken as usize];
        let row = match consumer.seen {
            NONE => table.goal(consumer.producer).first,
            seen => table.after(seen),
        };
        match row {
            NONE => consumer.queued = false,
            row => consumer.seen = row,
        }
        row
    }

    /// Stores the rest of the clause from the current step on as a consumer.
    fn wait(&mut self, clause: &Clause, call: CallId, producer: u32, frame: &Frame) {
        let id = self.consumers.len() as u32;
        let goal = self.store.table_mut(call).goal_mut(producer);
        let next = std::mem::replace(&mut goal.consumers, id);
        let queued = goal.first != NONE;
        if queued {
            self.tasks.push(Task::Wake(id));
        }
        self.consumers.push(Consumer {
            owner: frame.owner,
            clause: frame.clause,
            step: frame.step,
            producer,
            seen: NONE,
            saved: self.saved.len() as u32,
            queued,
            next,
        });
        let slots = &self.slots[frame.slots..][..clause.slots];
        self.saved.extend_from_slice(slots);
    }

    /// All steps succeeded: enters the row that follows.
    fn answer(
        &mut self,
        program: &Program,
        clause: &Clause,
        frame: &mut Frame,
    ) -> Result<Mode, Halt> {
        let slots = &self.slots[frame.slots..];
        self.values.clear();
        for source in &clause.row {
            self.values.push(source.build(&mut self.terms, slots));
        }
        let GoalRef { call, goal } = frame.owner;
        // The requested goal is the first that was begun.
        if self.wants_any && self.active.first() == Some(&frame.owner) {
            return Err(frame.halt(Cause::Enough));
        }
        if self.store.add_row(frame.owner, &self.values) {
            let table = self.store.table(call);
            let mut id = table.goal(goal).consumers;
            while id != NONE {
                let consumer = &mut self.consumers[id as usize];
                if !std::mem::replace(&mut consumer.queued, true) {
                    self.tasks.push(Task::Wake(id));
                }
                id = consumer.next;
            }
            // Conditions of other goals may be begun among the tasks of one that wants any row.
            let is_alone = !self.wants_any && !program.calls[call.index()].recursive;
            if is_alone && table.is_settled(goal) {
                self.tasks.truncate(frame.tasks);
            }
        }
        Ok(after_step(false, clause.resume, frame))
    }
}

fn clause_of<'a>(program: &'a Program, frame: &Frame) -> &'a Clause {
    &program.calls[frame.owner.call.index()].clauses[frame.clause as usize]
}

/// The mode after a step: on to the next step, or back to `back` if that is part of the task.
fn after_step(success: bool, back: u32, frame: &mut Frame) -> Mode {
    if success {
        frame.step += 1;
        Mode::Test
    } else if back != NONE && back >= frame.floor {
        frame.step = back;
        Mode::Retry
    } else {
        Mode::NextTask
    }
}

fn reserve<T: Copy>(stack: &mut Vec<T>, length: usize, value: T) {
    if stack.len() < length {
        stack.resize(length, value);
    }
}
