//! The run of a clause: its steps, one after the other, with backtracking.

use super::frame::{Consumer, Entry, Frame, Halt, Task};
use super::machine::Machine;
use super::meter::Cause;
use super::program::{CallId, Clause, Match, Program, Query, Step, TermTemplate, Test};
use super::store::{Found, GoalRef};
use super::table::NONE;

/// The outcome of a test.
enum Outcome {
    Holds,
    Fails,
    /// A goal has to be proved first: its frame is the current one now.
    Deferred,
}

impl Outcome {
    fn of(holds: bool) -> Outcome {
        match holds {
            true => Outcome::Holds,
            false => Outcome::Fails,
        }
    }
}

impl Machine {
    /// Runs the current clause, from the current step on, until it cannot succeed in another way or a goal has to be
    /// proved first, whose frame is then the current one.
    pub(super) fn run(
        &mut self,
        program: &Program,
        frame: &mut Frame,
        mut entry: Entry,
    ) -> Result<(), Halt> {
        let clause = clause_of(program, frame);
        loop {
            let back = match (entry, clause.steps.get(frame.step as usize)) {
                (_, None) => {
                    self.answer(program, clause, frame)?;
                    clause.resume
                }
                (Entry::Test, Some(step)) => match self.test(program, clause, step, frame)? {
                    Outcome::Holds => {
                        frame.step += 1;
                        continue;
                    }
                    Outcome::Fails => step.back,
                    Outcome::Deferred => return Ok(()),
                },
                (Entry::Retry, Some(step)) => {
                    if self.retry(step, frame)? {
                        frame.step += 1;
                        entry = Entry::Test;
                        continue;
                    }
                    step.back
                }
            };
            if back == NONE || back < frame.floor {
                return Ok(());
            }
            frame.step = back;
            entry = Entry::Retry;
        }
    }

    /// Tests the current step.
    fn test(
        &mut self,
        program: &Program,
        clause: &Clause,
        step: &Step,
        frame: &mut Frame,
    ) -> Result<Outcome, Halt> {
        self.count_steps(1, frame)?;
        let query = match &step.test {
            Test::Distinct(a, b) => {
                let slots = &self.slots[frame.slots..];
                let differ = a.build(&mut self.terms, slots) != b.build(&mut self.terms, slots);
                return Ok(Outcome::of(differ));
            }
            Test::Absent(query) | Test::Present(query) => query,
        };
        let is_positive = matches!(step.test, Test::Present(_));
        self.build(&query.key, frame);
        let found = self
            .store
            .find(program, &self.terms, query.call, &self.values);
        if let Found::Rows(first) = found {
            // Where nothing distinguishes rows, there is one at most.
            if query.row.is_empty() {
                return Ok(Outcome::of((first != NONE) == is_positive));
            }
            let rest = self.scan(query, first, frame)?;
            if is_positive
                && !query.once
                && let Some(rest) = rest
            {
                self.choices[frame.choices + frame.step as usize] = rest;
            }
            return Ok(Outcome::of(rest.is_some() == is_positive));
        }
        // Rows are consumed as they come where they may depend on this goal, and where one is
        // enough.
        let call = self.proved_call(program, query.call);
        let is_whole = program.calls[call.index()].is_whole;
        let waits = query.same_component || (self.wants_any && is_positive && !is_whole);
        match found {
            Found::Active { goal, frame: depth } => {
                // Only a circle through a negation leads back to a goal of
                // another frame, or from a negation to one of the same.
                if !waits || depth as usize != self.frames.len() {
                    return Err(frame.halt(Cause::Unstratified));
                }
                self.wait(clause, query.call, goal, frame);
                Ok(Outcome::Fails)
            }
            _ if waits => {
                let begun = self.begin(program, call);
                self.wait(clause, query.call, begun.goal, frame);
                Ok(Outcome::Fails)
            }
            _ => {
                let slots = frame.slots + clause.slots;
                let choices = frame.choices + clause.steps.len();
                self.frames.push(*frame);
                *frame = self.open(program, call, slots, choices);
                Ok(Outcome::Deferred)
            }
        }
    }

    /// Collects terms in `values`.
    #[inline]
    fn build(&mut self, templates: &[TermTemplate], frame: &Frame) {
        let slots = &self.slots[frame.slots..];
        self.values.clear();
        for template in templates {
            let term = template.build(&mut self.terms, slots);
            self.values.push(term);
        }
    }

    /// Tries the rows from `row` on until one matches. Returns the one after it.
    #[inline]
    fn scan(&mut self, query: &Query, mut row: u32, frame: &Frame) -> Result<Option<u32>, Halt> {
        let table = self.store.table(query.call);
        let slots = &mut self.slots[frame.slots..];
        let mut tried = 0;
        let mut rest = None;
        while row != NONE && rest.is_none() {
            tried += 1;
            let after = table.after(row);
            if Match::all_match(&query.row, &self.terms, table.row(row), slots) {
                rest = Some(after);
            }
            row = after;
        }
        self.count_steps(tried, frame)?;
        Ok(rest)
    }

    /// Tries the rows that are left for the current step until one matches; returns whether one does.
    fn retry(&mut self, step: &Step, frame: &mut Frame) -> Result<bool, Halt> {
        let Test::Present(query) = &step.test else {
            unreachable!("only positive conditions have choices")
        };
        if frame.woken != NONE && frame.step == frame.floor {
            return self.consume(query, frame);
        }
        let choice = frame.choices + frame.step as usize;
        let rest = self.scan(query, self.choices[choice], frame)?;
        self.choices[choice] = rest.unwrap_or(NONE);
        Ok(rest.is_some())
    }

    /// Tries the rows that the consumer has not consumed yet until one matches; returns whether one does.
    fn consume(&mut self, query: &Query, frame: &Frame) -> Result<bool, Halt> {
        loop {
            self.count_steps(1, frame)?;
            let table = self.store.table(query.call);
            let consumer = &mut self.consumers[frame.woken as usize];
            let row = match consumer.seen {
                NONE => table.goal(consumer.producer).first,
                seen => table.after(seen),
            };
            if row == NONE {
                consumer.queued = false;
                return Ok(false);
            }
            consumer.seen = row;
            let slots = &mut self.slots[frame.slots..];
            if Match::all_match(&query.row, &self.terms, table.row(row), slots) {
                return Ok(true);
            }
        }
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
    fn answer(&mut self, program: &Program, clause: &Clause, frame: &Frame) -> Result<(), Halt> {
        self.count_steps(1, frame)?;
        self.build(&clause.row, frame);
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
        Ok(())
    }
}

fn clause_of<'a>(program: &'a Program, frame: &Frame) -> &'a Clause {
    &program.calls[frame.owner.call.index()].clauses[frame.clause as usize]
}
