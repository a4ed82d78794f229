//! Running matches, one per lane.

use propjit_jit::lanes::Width;
use propjit_jit::lanes::advance::Start;
use propjit_jit::lanes::times::{Ages, LaneTimes};

use super::columns::Columns;
use super::queue::{JobId, PlayoutQueue};
use crate::game::circuits::stepping::StateCode;
use crate::game::vocabulary::lane_mask::LaneMask;

/// The running matches.
#[derive(Debug)]
pub(super) struct Lanes {
    pub(super) width: Width,
    /// The number of base propositions of a state.
    bases: usize,
    /// Lanes with a match.
    pub(super) running: LaneMask,
    /// Lanes in which a match starts with the state that they enter next.
    starting: LaneMask,
    /// The job of all of these, unless there are several or none.
    same: Option<JobId>,
    /// The job of all running matches, unless there are several or none.
    only: Option<JobId>,
    /// The job of each lane's match, if not all are for the same.
    ids: Vec<JobId>,
    /// The step at which each lane's match started.
    started: LaneTimes,
    /// Made when lanes first start from different states together.
    columns: Option<Columns>,
}

impl Lanes {
    /// Creates lanes without matches.
    pub(super) fn new(width: Width, bases: usize) -> Lanes {
        Lanes {
            width,
            bases,
            running: LaneMask::default(),
            starting: LaneMask::default(),
            same: None,
            only: None,
            ids: vec![JobId::default(); width.lanes()],
            started: LaneTimes::new(width),
            columns: None,
        }
    }

    /// Returns the lanes without a match.
    pub(super) fn idle(&self) -> LaneMask {
        LaneMask::all(self.width).and_not(self.running)
    }

    /// Starts the matches that are next in the queue in the given lanes, if there are any for this
    /// step. Returns whether there are. Different states are converted to the code, if there is
    /// one.
    pub(super) fn start(
        &mut self,
        lanes: LaneMask,
        queue: &mut PlayoutQueue,
        now: u64,
        code: Option<&StateCode>,
    ) -> bool {
        (self.starting, self.same) = (LaneMask::default(), None);
        let wanted = lanes.count();
        let phase = queue.phase(now);
        let (mut first, mut mixed) = (None, false);
        let (mut left, mut free) = (wanted, lanes.lanes());
        while left > 0
            && let Some((id, count)) = queue.next(phase, left)
        {
            mixed |= *first.get_or_insert(id) != id;
            let started = if count == wanted {
                lanes
            } else {
                let mut some = LaneMask::default();
                free.by_ref()
                    .take(count as usize)
                    .for_each(|lane| some.insert(lane));
                some
            };
            left -= count;
            self.assign(started, id);
            self.starting = self.starting.or(started);
        }
        if first.is_some() {
            (self.started).set(self.starting.words(self.width), now as u32);
        }
        self.same = first.filter(|_| !mixed);
        if mixed {
            let bits = code.map_or(self.bases, StateCode::bits);
            self.columns = self.columns.take().filter(|columns| columns.bits() == bits);
            let make = || Columns::new(self.width, bits);
            let columns = self.columns.get_or_insert_with(make);
            // Several jobs have matches now, so the job of each lane is recorded.
            for lane in self.starting.lanes() {
                let (state, number) = queue.state(self.ids[lane]);
                if !columns.has(lane, number) {
                    let coded = code.map(|code| code.encode(state));
                    columns.set(lane, coded.as_ref().unwrap_or(state), number);
                }
            }
        }
        first.is_some()
    }

    /// Returns the lanes in which a match starts, and the states that they start from.
    pub(super) fn starting<'a>(&'a self, queue: &'a PlayoutQueue) -> (LaneMask, Start<'a>) {
        let start = match (self.same, &self.columns) {
            (Some(id), _) => Start::Same(queue.state(id).0.words()),
            (None, Some(columns)) => Start::Each(columns.rows()),
            (None, None) => Start::Same(&[]),
        };
        (self.starting, start)
    }

    /// Returns the job of all running matches, unless there are several or none.
    pub(super) fn only(&self) -> Option<JobId> {
        self.only
    }

    /// Returns the job of the lane's match.
    #[inline]
    pub(super) fn job(&self, lane: usize) -> JobId {
        self.only.unwrap_or(self.ids[lane])
    }

    /// Returns the number of steps that the lane's match has made.
    #[inline]
    pub(super) fn length(&self, lane: usize, now: u64) -> u32 {
        self.started.age(lane, now as u32)
    }

    /// Returns the sum of the numbers of steps that the matches of these lanes have made.
    pub(super) fn lengths(&self, lanes: LaneMask, now: u64) -> Ages {
        self.started.ages(lanes.words(self.width), now as u32)
    }

    /// Returns the step at which the lane's match started.
    pub(super) fn started(&self, lane: usize, now: u64) -> u64 {
        now - u64::from(self.length(lane, now))
    }

    /// Returns the step at which the oldest of the matches started, if any run.
    pub(super) fn oldest(&self, now: u64) -> Option<u64> {
        let running = self.running.lanes();
        running.map(|lane| self.started(lane, now)).min()
    }

    /// Ends the matches of these lanes.
    pub(super) fn end(&mut self, ended: LaneMask) {
        self.running = self.running.and_not(ended);
    }

    /// Assigns the matches of these lanes to this job.
    fn assign(&mut self, lanes: LaneMask, id: JobId) {
        if self.running.is_empty() {
            self.only = Some(id);
        } else if self.only != Some(id) {
            if let Some(only) = self.only.take() {
                let running = self.running.lanes();
                running.for_each(|lane| self.ids[lane] = only);
            }
            lanes.lanes().for_each(|lane| self.ids[lane] = id);
        }
        self.running = self.running.or(lanes);
    }
}
