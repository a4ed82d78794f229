//! The matches that run, one per lane.

use propjit_jit::lanes::Width;
use propjit_jit::lanes::advance::Start;

use super::columns::Columns;
use super::queue::{JobId, PlayoutQueue};
use crate::lane_mask::LaneMask;

/// The matches that run.
#[derive(Debug)]
pub(super) struct Lanes {
    pub(super) width: Width,
    /// The number of base propositions of a state.
    bases: usize,
    /// Lanes with a match.
    pub(super) running: LaneMask,
    /// Lanes whose match starts with the state that they enter next.
    starting: LaneMask,
    /// The job that all of those are for, unless there are several or none.
    same: Option<JobId>,
    /// The job of each lane's match.
    ids: Vec<JobId>,
    /// The step at which each lane's match started.
    started: Vec<u64>,
    /// For each job, by its index, the lanes with a match for it.
    playing: Vec<LaneMask>,
    /// Made when lanes first start from different states together.
    columns: Option<Columns>,
}

impl Lanes {
    /// Lanes without matches.
    pub(super) fn new(width: Width, bases: usize) -> Lanes {
        Lanes {
            width,
            bases,
            running: LaneMask::default(),
            starting: LaneMask::default(),
            same: None,
            ids: vec![JobId::default(); width.lanes()],
            started: vec![0; width.lanes()],
            playing: Vec::new(),
            columns: None,
        }
    }

    /// Lanes without a match.
    pub(super) fn idle(&self) -> LaneMask {
        LaneMask::all(self.width).and_not(self.running)
    }

    /// Starts the matches that are next in the queue in the lanes given, as far as there are any
    /// for this step. Returns whether there are.
    pub(super) fn start(&mut self, lanes: LaneMask, queue: &mut PlayoutQueue, now: u64) -> bool {
        self.starting = LaneMask::default();
        let phase = queue.phase(now);
        let (mut first, mut mixed) = (None, false);
        let mut left = lanes;
        let mut wanted = lanes.count();
        while wanted > 0
            && let Some((id, count)) = queue.next(phase, wanted)
        {
            mixed |= *first.get_or_insert(id) != id;
            let started = match count == wanted {
                true => left,
                false => left.first_lanes(count),
            };
            wanted -= count;
            left = left.and_not(started);
            started.lanes().for_each(|lane| {
                self.ids[lane] = id;
                self.started[lane] = now;
            });
            if self.playing.len() <= id.index() {
                self.playing.resize(id.index() + 1, LaneMask::default());
            }
            let playing = &mut self.playing[id.index()];
            *playing = playing.or(started);
            self.starting = self.starting.or(started);
        }
        self.running = self.running.or(self.starting);
        self.same = first.filter(|_| !mixed);
        if mixed {
            let make = || Columns::new(self.width, self.bases);
            let columns = self.columns.get_or_insert_with(make);
            for lane in self.starting.lanes() {
                let (state, number) = queue.state(self.ids[lane]);
                columns.set(lane, state, number);
            }
        }
        first.is_some()
    }

    /// The lanes whose match starts, and the states that they start from.
    pub(super) fn starting<'a>(&'a self, queue: &'a PlayoutQueue) -> (&'a [u64], Start<'a>) {
        let start = match (self.same, &self.columns) {
            (Some(id), _) => Start::Same(queue.state(id).0.words()),
            (None, Some(columns)) => Start::Each(columns.rows()),
            (None, None) => Start::Same(&[]),
        };
        (self.starting.words(self.width), start)
    }

    /// The number of steps that the lane's match has made.
    pub(super) fn length(&self, lane: usize, now: u64) -> u64 {
        now - self.started[lane]
    }

    /// The step at which the lane's match started.
    pub(super) fn started(&self, lane: usize) -> u64 {
        self.started[lane]
    }

    /// The step at which the oldest of the matches started, if any run.
    pub(super) fn oldest(&self) -> Option<u64> {
        self.running.lanes().map(|lane| self.started[lane]).min()
    }

    /// Ends the matches of the first job that has one in `ended`, and takes their lanes from
    /// there.
    pub(super) fn end_some(&mut self, ended: &mut LaneMask) -> Option<(JobId, LaneMask)> {
        let id = self.ids[ended.lanes().next()?];
        let playing = &mut self.playing[id.index()];
        let lanes = playing.and(*ended);
        *playing = playing.and_not(lanes);
        *ended = ended.and_not(lanes);
        self.running = self.running.and_not(lanes);
        Some((id, lanes))
    }
}
