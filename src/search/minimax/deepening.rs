//! Iterative deepening: searches of one depth after the other, by each thread, which share the table.
//!
//! Threads that search the same tree help each other by what they put into the table, if they do not do the same at the
//! same time ("lazy SMP"): every second one is a ply ahead.

use std::time::{Duration, Instant};

use propjit_stop::Stop;

use super::proofs::Focus;
use super::search::{Counts, Ends, Halt, MAX_DEPTH, RootMove, Search};
use super::table::Bound;
use super::value::{INFINITE, Value, WIN, is_decided};
use crate::game::machine::{Move, RoleId};

/// From which depth on a search begins with a narrow window around the value of the one before.
const WINDOW_DEPTH: i32 = 4;

/// The width from which on a window is opened altogether.
const MAX_WINDOW: Value = 2000;

/// The part of what is left that a search to the ends may take.
const ENDS_PART: f64 = 0.5;

/// The part of the time that is left for finding out how far the ends are: where that takes longer, they are far enough.
const FINDING_PART: f64 = 1.0 / 16.0;

/// The number of moves in a line.
const MAX_LINE: usize = 30;

/// The result of a search.
#[derive(Clone, Default, Debug)]
pub(super) struct Outcome {
    /// The value for the role that decides.
    pub value: Value,
    /// Whether that is exact, and the share of the goals of the role.
    pub is_proved: bool,
    /// The depth to which all moves were searched.
    pub depth: i32,
    /// The moves, best first.
    pub moves: Vec<RootMove>,
    /// The decisions that are thought best, each with its role.
    pub line: Vec<(RoleId, Move)>,
    pub counts: Counts,
    /// Why it ended, unless there was nothing more to do.
    pub halt: Option<Halt>,
}

/// Searches from a packed state in which this side decides, as one thread of several, and goes on from an earlier
/// result. The positions that matter are put into the focus.
pub(super) fn deepen(
    search: &mut Search,
    (state, mover): (&[u64], u8),
    thread: usize,
    stop: Stop,
    limit: u64,
    focus: Option<&Focus>,
    before: Option<&Outcome>,
) -> Outcome {
    let mut outcome = Outcome {
        counts: Counts::default(),
        halt: None,
        ..before.cloned().unwrap_or_default()
    };
    if let Err(halt) = search.begin(state, mover, stop.clone(), limit) {
        outcome.halt = Some(halt);
        return outcome;
    }
    match before {
        Some(before) => search.root.iter_mut().for_each(|of| {
            let mut known = before.moves.iter();
            if let Some(known) = known.find(|known| known.played == of.played) {
                *of = *known;
            }
        }),
        None => {
            outcome.moves = search.root.clone();
            sort(&mut outcome.moves);
            outcome.value = outcome.moves.first().map_or(0, |best| best.value);
        }
    }
    let mut endgame = EndGame::default();
    for depth in outcome.depth + 1..=MAX_DEPTH {
        // A win cannot be nearer than the depth to which all was searched.
        if outcome.is_proved
            || outcome.depth > 0
                && is_decided(outcome.value)
                && WIN - outcome.value.abs() <= depth + 1
        {
            break;
        }
        if thread % 2 == 1 && depth % 2 == 1 && depth > 1 {
            continue;
        }
        let found = search_window(search, depth, outcome.value);
        let is_complete = found.is_ok();
        outcome.adopt(search, depth, is_complete);
        match found {
            Ok(value) => (outcome.value, outcome.depth) = (value, depth),
            Err(halt) => {
                outcome.halt = Some(halt);
                break;
            }
        }
        if let Some(focus) = focus {
            focus.set(search.focus(&outcome.moves));
        }
        match endgame.try_search(search, outcome.value, &stop) {
            Ok(Some(value)) => {
                outcome.adopt(search, depth, true);
                (outcome.value, outcome.is_proved) = (value, search.are_opposed());
                break;
            }
            Ok(None) => {}
            Err(halt) => {
                outcome.halt = Some(halt);
                break;
            }
        }
        if outcome.moves.len() == 1 && outcome.moves[0].depth >= MAX_DEPTH {
            break;
        }
    }
    if outcome.halt.is_none() {
        stop.set();
    }
    outcome.counts = search.counts;
    outcome.line = search.best_line(MAX_LINE);
    outcome
}

/// Searches to the ends of matches, if these are so near that a part of what may be spent is enough, and what one role gets the
/// other one does not. Otherwise, the result has no depth and is not proved.
pub(super) fn search_to_ends(
    search: &mut Search,
    (state, mover): (&[u64], u8),
    stop: &Stop,
    limit: u64,
) -> Outcome {
    let mut outcome = Outcome::default();
    let mut endgame = EndGame {
        are_opposed: true,
        ..EndGame::default()
    };
    // Expansions may take longer than they seem to at first.
    let part = stop.for_part(ENDS_PART);
    let found = search.begin(state, mover, part, limit).and_then(|()| {
        let best = search.root.iter().map(|of| of.value).max();
        let expected = best.unwrap_or_default();
        match is_decided(expected) {
            true => Ok(Some(expected)),
            false => endgame.try_search(search, expected, stop),
        }
    });
    match found {
        Ok(Some(value)) => {
            outcome.adopt(search, MAX_DEPTH, true);
            (outcome.value, outcome.is_proved) = (value, search.are_opposed());
        }
        Ok(None) => {}
        Err(halt) => outcome.halt = Some(halt),
    }
    outcome.counts = search.counts;
    outcome.line = search.best_line(MAX_LINE);
    outcome
}

/// Attempts to search to the ends of matches.
#[derive(Debug)]
struct EndGame {
    start: Instant,
    /// How far they are, if they are not far away, once that is known.
    ends: Option<Option<Ends>>,
    /// How many states were expanded in vain.
    wasted: f64,
    /// Whether only opposed goals are searched for.
    are_opposed: bool,
}

impl Default for EndGame {
    fn default() -> EndGame {
        EndGame {
            start: Instant::now(),
            ends: None,
            wasted: 0.0,
            are_opposed: false,
        }
    }
}

impl EndGame {
    /// Returns the exact value of the root, if it is found in a part of the time that is left, and it seemed that it would be.
    ///
    /// # Errors
    /// When the search ends early.
    fn try_search(
        &mut self,
        search: &mut Search,
        expected: Value,
        stop: &Stop,
    ) -> Result<Option<Value>, Halt> {
        if is_decided(expected) {
            return Ok(None);
        }
        let ends = match self.ends {
            Some(ends) => ends,
            None => {
                let part = stop.for_part(FINDING_PART);
                *self.ends.insert(search.find_ends(&part)?)
            }
        };
        let Some(ends) = ends.filter(|_| !self.are_opposed || search.are_opposed()) else {
            return Ok(None);
        };
        let allowed = self.expansions_left(search, stop) * ENDS_PART;
        if !search.may_be_enough(ends, allowed) || allowed < self.wasted * 1.5 {
            return Ok(None);
        }
        match search.search_to_ends(ends, expected, allowed as u64) {
            Ok(value) => Ok(Some(value)),
            Err(Halt::Stopped) if !stop.is_set() && search.expansions_left() != Some(0) => {
                self.wasted = allowed;
                search.note_misjudgement(ends, allowed);
                Ok(None)
            }
            Err(Halt::TooFar) => {
                self.ends = Some(None);
                Ok(None)
            }
            Err(halt) => Err(halt),
        }
    }

    /// About how many states can still be expanded; where nothing limits that, twice as many as were.
    fn expansions_left(&self, search: &Search, stop: &Stop) -> f64 {
        let done = search.counts.expansions as f64;
        let by_time = stop.remaining().map(|left| {
            let elapsed = self.start.elapsed().max(Duration::from_micros(100));
            done * left.div_duration_f64(elapsed)
        });
        let by_limit = search.expansions_left().map(|left| left as f64);
        match (by_time, by_limit) {
            (Some(one), Some(other)) => one.min(other),
            (Some(left), None) | (None, Some(left)) => left,
            (None, None) => 2.0 * done,
        }
    }
}

/// Searches with a window around the value that is expected, which grows until the value is inside.
fn search_window(search: &mut Search, depth: i32, expected: Value) -> Result<Value, Halt> {
    let mut width = search.window();
    let (mut low, mut high) = (-INFINITE, INFINITE);
    if depth >= WINDOW_DEPTH && !is_decided(expected) {
        (low, high) = (expected - width, expected + width);
    }
    loop {
        let found = search.search_root(depth, low, high)?;
        let opened = width > MAX_WINDOW || is_decided(found);
        if found <= low {
            low = if opened { -INFINITE } else { found - width };
        } else if found >= high {
            high = if opened { INFINITE } else { found + width };
        } else {
            return Ok(found);
        }
        width *= 3;
    }
}

impl Outcome {
    /// Takes over what is known of the moves after a search of a depth. One that was not completed counts if by it another
    /// move is best: values of different depths do not compare.
    fn adopt(&mut self, search: &Search, depth: i32, is_complete: bool) {
        if !is_complete {
            // Moves that were not searched to this depth keep what was known, which is of another depth.
            let exact = |of: &&RootMove| of.depth >= depth && of.bound != Bound::Upper;
            let Some(best) = (search.root)
                .iter()
                .filter(exact)
                .max_by_key(|of| of.value)
                .copied()
            else {
                return;
            };
            // That some moves lose says nothing of the others.
            let (is_won, is_lost) = (best.value > WIN / 2, best.value < -WIN / 2);
            let at = self.moves.iter().position(|of| of.played == best.played);
            if let Some(at) = at.filter(|&at| (at > 0 || is_won) && !is_lost) {
                self.moves[at] = best;
                self.moves[..=at].rotate_right(1);
                // The others were not better before, and are not thought to be so now.
                let rest = self.moves.iter_mut().skip(1);
                rest.for_each(|of| of.value = of.value.min(best.value));
                self.value = best.value;
            }
            return;
        }
        self.moves.clone_from(&search.root);
        sort(&mut self.moves);
    }

    /// Whether the value is proved, and the depth of the search.
    fn certainty(&self) -> (bool, i32) {
        (self.is_proved || is_decided(self.value), self.depth)
    }

    /// The result of the threads: that of one that has proved the value, or else came deepest. If they found nothing, it
    /// is the one before.
    pub(super) fn of(before: Option<Outcome>, results: Vec<Outcome>) -> Option<Outcome> {
        let mut counts = before
            .as_ref()
            .map_or(Counts::default(), |before| before.counts);
        for outcome in &results {
            counts.expansions += outcome.counts.expansions;
            counts.evaluated += outcome.counts.evaluated;
        }
        let deepest = results.into_iter().rev().max_by_key(Outcome::certainty);
        let is_better = |found: &Outcome| {
            let is_certain = |before: &Outcome| found.certainty() >= before.certainty();
            !found.moves.is_empty() && before.as_ref().is_none_or(is_certain)
        };
        let found = match deepest.filter(is_better) {
            Some(found) => Some(found),
            None => before,
        };
        found.map(|found| Outcome { counts, ..found })
    }
}

/// Puts the best move first. Of moves with the same value, that is the one whose value is not only an upper bound.
fn sort(moves: &mut [RootMove]) {
    moves.sort_by_key(|of| (-of.value, of.bound == Bound::Upper));
}
