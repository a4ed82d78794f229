//! Lines: records of the moves of lanes, from which the best match is read.
//!
//! The result of a match is known at its end. Until then, each step's moves are kept as the
//! numbers of the rows that were chosen, bit-sliced: a few hundred bytes a step, and little work.
//! They are read only for a match that is better than all previous ones.

use std::collections::VecDeque;

use propjit_jit::lanes::Width;
use propjit_jit::lanes::encoder::{decode, encode};
use propjit_jit::lanes::select::Selector;

use super::lanes::Lanes;
use super::tally::{Line, Tally};
use crate::game::machine::Move;
use crate::game::vocabulary::lane_mask::LaneMask;

/// The minimum number of steps that are kept before unneeded ones are dropped.
const LOOK: usize = 64;

/// The record of lines in a game with one role.
#[derive(Debug)]
pub(super) struct Lines {
    /// Only lines with a greater goal are kept.
    pub(super) above: i32,
    /// The last steps, without a gap.
    steps: VecDeque<Step>,
    /// The number of the first of them.
    first: u64,
    /// The number of steps at which unneeded ones are dropped.
    look: usize,
    /// Dropped steps, kept for reuse of their memory.
    spare: Vec<Step>,
}

/// The moves of all lanes in a step.
#[derive(Default, Debug)]
struct Step {
    /// The moves that were legal in some lane.
    moves: Vec<u32>,
    /// For each lane, the index of its move in that list.
    places: Vec<u64>,
}

impl Lines {
    /// Creates an empty record, for lines with a goal greater than `above`.
    pub(super) fn new(above: i32) -> Lines {
        Lines {
            above,
            steps: VecDeque::new(),
            first: 0,
            look: LOOK,
            spare: Vec::new(),
        }
    }

    /// Records the rows that the selector has chosen for step `now`.
    pub(super) fn note(&mut self, lanes: &Lanes, now: u64, selector: &Selector, chosen: &[u64]) {
        if self.first + self.steps.len() as u64 != now {
            // No match continues over a step without a choice.
            self.spare.extend(self.steps.drain(..));
            self.first = now;
        }
        if self.steps.len() >= self.look {
            self.forget(lanes.oldest(now).unwrap_or(now));
        }
        let mut step = self.spare.pop().unwrap_or_default();
        step.moves.clear();
        step.moves.extend_from_slice(selector.listed());
        encode(lanes.width, chosen, &step.moves, &mut step.places);
        self.steps.push_back(step);
    }

    /// Drops the steps before the oldest match.
    fn forget(&mut self, oldest: u64) {
        let old = oldest.saturating_sub(self.first);
        self.first += old;
        self.spare.extend(self.steps.drain(..old as usize));
        self.look = (2 * self.steps.len()).max(LOOK);
    }

    /// Puts the best of the matches that end in the lanes `terminal`, all for the job of the tally,
    /// into that tally if it is better than the one there. Each row of `goals` says where the role
    /// has one of the values, which are ascending.
    pub(super) fn keep(
        &self,
        lanes: &Lanes,
        now: u64,
        terminal: LaneMask,
        goals: &[u64],
        values: impl DoubleEndedIterator<Item = i32> + ExactSizeIterator,
        tally: &mut Tally,
    ) {
        let rows = goals.chunks_exact(lanes.width.words());
        let mut valid = None;
        for (row, goal) in rows.zip(values).rev() {
            if goal <= self.above || !tally.is_better(goal) {
                return;
            }
            let having = LaneMask::from_words(row).and(terminal);
            if having.is_empty() {
                continue;
            }
            let valid = *valid.get_or_insert_with(|| LaneMask::exactly_one(lanes.width, goals));
            let mut lines = having.and(valid).lanes();
            let line =
                lines.find_map(|lane| self.moves(lanes.width, lane, lanes.started(lane, now), now));
            if let Some(moves) = line {
                tally.best = Some(Line { goal, moves });
                return;
            }
        }
    }

    /// Returns the moves of a lane from step `from` to step `to`, if they were all recorded.
    fn moves(&self, width: Width, lane: usize, from: u64, to: u64) -> Option<Vec<Move>> {
        let from = from.checked_sub(self.first)? as usize;
        let to = to.checked_sub(self.first)? as usize;
        if from == to {
            return Some(Vec::new());
        }
        let played = |step: &Step| Move(step.moves[decode(width, &step.places, lane)]);
        let whole = to <= self.steps.len();
        whole.then(|| self.steps.range(from..to).map(played).collect())
    }
}
