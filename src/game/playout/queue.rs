//! Job queues: states to play from, and the results of the playouts.

use std::collections::VecDeque;
use std::sync::Arc;

use super::tally::Tally;
use crate::game::circuits::stepping::StateCode;
use crate::game::engine::Validity;
use crate::game::ground::Phases;
use crate::game::machine::State;

/// The number of a job in a [`PlayoutQueue`].
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct JobId(u32);

impl JobId {
    /// Returns a number below the greatest number of jobs that ever existed at a time.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The jobs of a [runner](super::PlayoutRunner): states, the number of playouts from each that
/// are still to be started, and the tally of each.
///
/// Jobs take turns: when some playouts can be started, each job that has any to start has an
/// equal share. Numbers and memory of jobs that were removed are used again.
#[derive(Clone, Debug)]
pub struct PlayoutQueue {
    roles: usize,
    phases: Phases,
    /// The states that may be added.
    validity: Arc<Validity>,
    slots: Vec<Slot>,
    free: Vec<JobId>,
    /// The jobs with playouts to start: for each phase, and last those without one.
    queues: Vec<VecDeque<JobId>>,
    /// The state that all matches of the game start from.
    initial: State,
    /// Whether a job without a phase comes before one with a phase.
    unphased_first: bool,
    finished: Vec<JobId>,
    /// The ordinary states, if not all are.
    ordinary: Option<Ordinary>,
    /// The number of jobs that are not finished, and not from ordinary states.
    extraordinary: usize,
    /// The number of jobs that were ever added.
    added: u64,
}

/// A job.
#[derive(Clone, Default, Debug)]
struct Slot {
    state: State,
    /// Different for each job that was ever added.
    number: u64,
    /// The number of playouts that are still to be started, or `None` without limit.
    left: Option<u64>,
    /// The number of playouts that were started and have not ended.
    running: u64,
    /// Whether the state is initial, or known not to be terminal.
    is_going: bool,
    is_ordinary: bool,
    tally: Tally,
}

impl Slot {
    fn is_unfinished(&self) -> bool {
        self.running > 0 || self.left != Some(0)
    }
}

/// States that circuits of random steps take.
#[derive(Clone, Debug)]
struct Ordinary {
    /// For each phase, those that agree with its constants.
    phases: Vec<Validity>,
    code: Arc<StateCode>,
}

/// Returns whether the state of a job, which is in this phase, is ordinary.
fn is_ordinary(ordinary: Option<&Ordinary>, phase: Option<usize>, slot: &Slot) -> bool {
    let Some(phase) = phase.filter(|_| slot.is_going) else {
        return false;
    };
    ordinary.is_none_or(|Ordinary { phases, code }| {
        phases[phase].contains(&slot.state) && code.is_right_for(&slot.state)
    })
}

impl PlayoutQueue {
    /// Creates a queue without jobs, for a game with this number of roles and this initial state.
    pub(super) fn new(roles: usize, phases: Phases, initial: State) -> PlayoutQueue {
        PlayoutQueue {
            roles,
            queues: vec![VecDeque::new(); phases.period() + 1],
            phases,
            initial,
            validity: Arc::default(),
            slots: Vec::new(),
            free: Vec::new(),
            unphased_first: false,
            finished: Vec::new(),
            ordinary: None,
            extraordinary: 0,
            added: 0,
        }
    }

    /// Returns the states that may be added: all, unless the engine was made for some.
    pub fn validity(&self) -> &Validity {
        &self.validity
    }

    /// Returns whether the validity covers all states that playouts are running from or will be
    /// started from.
    pub(super) fn fits(&self, validity: &Validity) -> bool {
        let slots = self.slots.iter().filter(|slot| slot.is_unfinished());
        let mut states = slots.map(|slot| &slot.state);
        states.all(|state| validity.contains(state))
    }

    /// Changes the states that may be added, to a validity that [fits](PlayoutQueue::fits).
    pub(super) fn set_validity(&mut self, validity: Arc<Validity>) {
        self.validity = validity;
    }

    /// Changes the states that are ordinary, if they are initial or known not to be terminal: those
    /// given for their phase, for which the code is valid.
    pub(super) fn set_ordinary(&mut self, phases: Vec<Validity>, code: Arc<StateCode>) {
        self.ordinary = Some(Ordinary { phases, code });
        self.extraordinary = 0;
        for slot in &mut self.slots {
            if slot.is_unfinished() {
                slot.is_ordinary =
                    is_ordinary(self.ordinary.as_ref(), self.phases.of(&slot.state), slot);
                self.extraordinary += usize::from(!slot.is_ordinary);
            }
        }
    }

    /// Adds a job: `rollouts` playouts from a state, or with `None`, as many as possible in the
    /// time.
    ///
    /// # Panics
    /// If the state is outside the [`validity`](PlayoutQueue::validity).
    pub fn add(&mut self, state: &State, rollouts: Option<u64>) -> JobId {
        let is_going = *state == self.initial;
        self.add_job(state, rollouts, is_going)
    }

    /// Adds a job like [`add`](PlayoutQueue::add) from a state that is known not to be terminal. In
    /// some games, playouts from such states are faster.
    ///
    /// # Panics
    /// If the state is outside the [`validity`](PlayoutQueue::validity).
    pub fn add_going(&mut self, state: &State, rollouts: Option<u64>) -> JobId {
        self.add_job(state, rollouts, true)
    }

    fn add_job(&mut self, state: &State, rollouts: Option<u64>, is_going: bool) -> JobId {
        self.validity.check(state.words());
        let id = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            JobId(self.slots.len() as u32 - 1)
        });
        self.added += 1;
        let slot = &mut self.slots[id.index()];
        slot.state.assign(state.words());
        slot.number = self.added;
        slot.left = rollouts;
        slot.running = 0;
        slot.tally.reset(self.roles);
        if rollouts == Some(0) {
            self.finished.push(id);
        } else {
            let phase = self.phases.of(state);
            slot.is_going = is_going;
            slot.is_ordinary = is_ordinary(self.ordinary.as_ref(), phase, slot);
            self.extraordinary += usize::from(!slot.is_ordinary);
            self.queues[phase.unwrap_or(self.phases.period())].push_back(id);
        }
        id
    }

    /// Returns the counts of the playouts that ended so far.
    pub fn tally(&self, id: JobId) -> &Tally {
        &self.slots[id.index()].tally
    }

    /// Returns the number of jobs that are finished, which means that all their playouts have
    /// ended, and have not been removed.
    pub fn finished(&self) -> usize {
        self.finished.len()
    }

    /// Removes a finished job, if there is one. Its tally is available until the next job is added.
    pub fn take_finished(&mut self) -> Option<(JobId, &Tally)> {
        let id = self.finished.pop()?;
        self.free.push(id);
        Some((id, self.tally(id)))
    }

    /// Removes all jobs, none of which has playouts running.
    pub(super) fn clear(&mut self) {
        self.queues.iter_mut().for_each(VecDeque::clear);
        self.finished.clear();
        self.extraordinary = 0;
        self.free.clear();
        for slot in &mut self.slots {
            (slot.left, slot.running) = (Some(0), 0);
        }
        self.free
            .extend((0..self.slots.len() as u32).rev().map(JobId));
    }

    /// Returns whether there are playouts to start.
    pub(super) fn are_waiting(&self) -> bool {
        self.queues.iter().any(|queue| !queue.is_empty())
    }

    /// Returns whether all jobs that are not finished are from ordinary states: they have a phase,
    /// are initial or known not to be terminal, and agree with the constants of their phase.
    pub(super) fn are_ordinary(&self) -> bool {
        self.extraordinary == 0
    }

    /// Returns the phase of a state that comes `steps` steps after one in phase 0.
    pub(super) fn phase(&self, steps: u64) -> usize {
        (steps % self.phases.period() as u64) as usize
    }

    /// Returns a job in this phase or without a phase of which playouts are to be started now, and
    /// how many: its share of the number `wanted`. They count as started.
    pub(super) fn next(&mut self, phase: usize, wanted: u64) -> Option<(JobId, u64)> {
        let unphased = self.phases.period();
        let queues = if self.unphased_first {
            [unphased, phase]
        } else {
            [phase, unphased]
        };
        let mut waiting = queues.into_iter();
        let queue = waiting.find(|&queue| !self.queues[queue].is_empty())?;
        self.unphased_first = queue == phase;
        let queue = &mut self.queues[queue];
        let share = (wanted / queue.len() as u64).max(1);
        let id = queue.pop_front()?;
        let slot = &mut self.slots[id.index()];
        let count = slot.left.map_or(share, |left| left.min(share));
        slot.running += count;
        slot.left = slot.left.map(|left| left - count);
        if slot.left != Some(0) {
            queue.push_back(id);
        }
        Some((id, count))
    }

    /// Returns the state of a job, and a number that no other job ever has.
    pub(super) fn state(&self, id: JobId) -> (&State, u64) {
        let slot = &self.slots[id.index()];
        (&slot.state, slot.number)
    }

    /// Returns the tally of a job of which `ended` playouts end, to add them to it.
    pub(super) fn end(&mut self, id: JobId, ended: u64) -> &mut Tally {
        let slot = &mut self.slots[id.index()];
        slot.running -= ended;
        if slot.running == 0 && slot.left == Some(0) {
            self.finished.push(id);
            self.extraordinary -= usize::from(!slot.is_ordinary);
        }
        &mut slot.tally
    }

    /// Returns the tally of a job, to add to it.
    pub(super) fn tally_mut(&mut self, id: JobId) -> &mut Tally {
        &mut self.slots[id.index()].tally
    }

    /// Removes a playout that is abandoned after `steps` steps.
    pub(super) fn abandon(&mut self, id: JobId, steps: u64) {
        let slot = &mut self.slots[id.index()];
        slot.running -= 1;
        slot.tally.state_changes += steps;
    }
}
