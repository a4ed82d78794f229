//! Frames of the machine: proofs that are under way, their tasks, and conditions that wait for rows.

use super::meter::Cause;
use super::program::CallId;
use super::store::GoalRef;

/// The reason why a proof stopped, and the clause that was being run.
pub(super) struct Halt {
    pub cause: Cause,
    pub call: CallId,
    pub clause: u32,
}

/// A task of a frame: work to be done for its goals.
#[derive(Clone, Copy)]
pub(super) enum Task {
    /// Run a clause for a goal.
    Start { owner: GoalRef, clause: u32 },
    /// Let a consumer consume the rows that it has not consumed yet.
    Wake(u32),
}

/// The rest of a clause, waiting for rows of a goal.
#[derive(Clone)]
pub(super) struct Consumer {
    /// The goal that the clause is to answer.
    pub owner: GoalRef,
    pub clause: u32,
    /// The step that waits.
    pub step: u32,
    /// The goal that it waits for.
    pub producer: u32,
    /// The last row consumed, or [`NONE`](super::table::NONE).
    pub seen: u32,
    /// The index of the first saved slot.
    pub saved: u32,
    /// Whether a task will wake it, or it need not be woken any more.
    pub queued: bool,
    /// The next consumer of the same goal, or [`NONE`](super::table::NONE).
    pub next: u32,
}

/// The proof of one goal, together with those of the same component that it meets. The
/// current task is part of it: the clause that is run, its first step in this task
/// (`floor`), and its current step.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// The lengths of the machine's stacks when the frame was opened.
    pub tasks: usize,
    pub active: usize,
    pub consumers: usize,
    pub saved: usize,
    /// The indices of the clause's first slot and first choice (one for each step).
    pub slots: usize,
    pub choices: usize,
    /// The goal that the clause is to answer.
    pub owner: GoalRef,
    pub clause: u32,
    pub floor: u32,
    pub step: u32,
    /// The consumer that was woken, or [`NONE`](super::table::NONE).
    pub woken: u32,
}

impl Frame {
    pub(super) fn halt(&self, cause: Cause) -> Halt {
        Halt {
            cause,
            call: self.owner.call,
            clause: self.clause,
        }
    }
}

/// The way in which a task, or a frame that goes on, enters the current step.
#[derive(Clone, Copy)]
pub(super) enum Entry {
    /// The step is tested.
    Test,
    /// Another row is tried for the step.
    Retry,
}
