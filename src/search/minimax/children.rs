//! The children of a node, found in one call in lanes, and kept as rows.
//!
//! Only children that are entered are packed into states: most are cut off, or valued by their rows.

use super::value::{self, Value, is_decided, share_of_range};
use crate::game::ground::GoalBounds;
use crate::game::machine::batch::Batch;
use crate::game::machine::expansion::Expander;
use crate::game::machine::expansion::forced::{Ends, skip_forced_moves};
use crate::game::machine::{Move, RoleId, State};
use crate::game::vocabulary::lane_mask::LaneMask;

/// The distance that a win has which is certain but was not followed to its end.
const FAR: Value = 10_000;

/// The mover of a state in which no role decides.
pub(super) const NONE: u8 = 2;

/// The children of a node, in the order of the moves of the role that decides.
#[derive(Clone, Default, Debug)]
pub(super) struct Children {
    /// The moves.
    pub moves: Vec<Move>,
    /// The number of the role that decides in each; [`NONE`] if the match is over there.
    pub movers: Vec<u8>,
    /// The value for the first role where the match is over.
    pub ends: Vec<Value>,
    /// The number of legal moves in each, if they are counted.
    pub replies: Vec<u16>,
    /// Rows of propositions, of all children in a call, one call after the other.
    rows: Vec<u64>,
    /// The number of children in a call.
    lanes: usize,
    /// The number of propositions.
    bases: usize,
}

/// Finds the children of nodes.
#[derive(Debug)]
pub(super) struct Frontier {
    expander: Expander,
    /// The lowest and the highest goal of each role.
    ranges: [(i32, i32); 2],
    legal: [Vec<Move>; 2],
    /// The number of joint moves in a line of forced ones after which a match counts as drawn.
    max_forced: u32,
    counts_replies: bool,
    /// Whether what one role got the other one did not, at all ends so far.
    are_opposed: bool,
}

/// A state in which both roles decide at once, which is out of the scope of this search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BothDecide;

impl Children {
    /// The number of children.
    pub(super) fn len(&self) -> usize {
        self.movers.len()
    }

    /// The children of each call: their places, their rows, and the number of words of a row.
    pub(super) fn calls(&self) -> impl Iterator<Item = (std::ops::Range<usize>, &[u64], usize)> {
        let lanes = self.lanes.max(1);
        let mut rest = &self.rows[..];
        (0..self.len()).step_by(lanes).map(move |first| {
            let places = first..self.len().min(first + lanes);
            let width = places.len().div_ceil(64);
            let (rows, after) = rest.split_at(width * self.bases);
            rest = after;
            (places, rows, width)
        })
    }

    /// Packs the state of a child.
    pub(super) fn pack(&self, child: usize, state: &mut [u64]) {
        let (place, lane) = (child / self.lanes, child % self.lanes);
        let before = place * self.lanes;
        let width = (self.len() - before).min(self.lanes).div_ceil(64);
        let rows = &self.rows[before.div_ceil(64) * self.bases..][..width * self.bases];
        state.fill(0);
        for (base, row) in rows.chunks_exact(width).enumerate() {
            state[base / 64] |= (row[lane / 64] >> (lane % 64) & 1) << (base % 64);
        }
    }
}

impl Frontier {
    /// Finds children by an expander of a game of two roles.
    pub(super) fn new(expander: Expander, max_forced: u32) -> Frontier {
        let ranges = expander.game().goal_ranges();
        Frontier {
            ranges: [ranges[0], ranges[1]],
            expander,
            legal: Default::default(),
            max_forced,
            counts_replies: false,
            are_opposed: true,
        }
    }

    /// Counts the legal moves in children from now on, or no longer.
    pub(super) fn count_replies(&mut self, counts: bool) {
        self.counts_replies = counts;
    }

    /// Returns whether what one role got the other one did not, at all ends so far. Elsewhere, values are differences of goals,
    /// which prove nothing about either.
    pub(super) fn are_opposed(&self) -> bool {
        self.are_opposed
    }

    /// Returns the number of words of a packed state.
    pub(super) fn words(&self) -> usize {
        self.expander.words()
    }

    /// Changes to a better engine, if there is one.
    pub(super) fn poll(&mut self) {
        self.expander.poll();
    }

    /// Returns the least and the most that a role can get in a state by these bounds of goals, for certain. Nothing is
    /// known about how far a win is.
    pub(super) fn certain(
        &self,
        bounds: &GoalBounds,
        state: &State,
        role: RoleId,
    ) -> (Value, Value) {
        let [own, other] = [role, RoleId(1 - role.0)].map(|role| {
            let range = self.ranges[role.index()];
            let (least, most) = bounds.of(state, role).unwrap_or(range);
            [least, most].map(|goal| share_of_range(range, goal))
        });
        let far = |value: Value| match is_decided(value) {
            true => value - value.signum() * FAR,
            false => value,
        };
        let least = far(value::of_end(own[0], other[1]));
        (least, far(value::of_end(own[1], other[0])))
    }

    /// Finds the children of a packed state in which this role decides. Moves that are forced after them are skipped.
    ///
    /// # Errors
    /// If both roles decide in a child.
    pub(super) fn expand(
        &mut self,
        state: &[u64],
        mover: u8,
        children: &mut Children,
    ) -> Result<(), BothDecide> {
        let batch = self.expander.batch_mut();
        let own = usize::from(mover);
        let lanes = batch.lanes();
        batch.fill(state, lanes);
        for (role, legal) in self.legal.iter_mut().enumerate() {
            batch.legal_in_first(RoleId(role as u32), legal);
        }
        let (moves, other) = (&self.legal[own], 1 - own);
        let others = self.legal[other]
            .first()
            .map(|&only| (RoleId(other as u32), only));
        children.bases = batch.game().layout().bases.len();
        children.lanes = lanes;
        children.moves.clone_from(moves);
        children.movers.clear();
        children.ends.clear();
        children.rows.clear();
        children.replies.clear();
        for (call, moves) in moves.chunks(lanes).enumerate() {
            if call > 0 {
                batch.fill(state, lanes);
            }
            batch.keep_first(moves.len());
            batch.play_alone(RoleId(own as u32), moves, others.as_slice());
            batch.advance(batch.filled());
            let turns = Turns::after_forced_moves(batch, self.max_forced);
            self.are_opposed &= turns.add(batch, &self.ranges, children)?;
            if self.counts_replies {
                add_replies(batch, &mut children.replies);
            }
        }
        Ok(())
    }
}

/// The lanes in which each role decides, and in which none does.
struct Turns {
    several: [LaneMask; 2],
    terminal: LaneMask,
    over: LaneMask,
}

impl Turns {
    /// Plays forced moves in all lanes where there are no others, a few at most.
    fn after_forced_moves(batch: &mut Batch, max_forced: u32) -> Turns {
        let mut several = [LaneMask::default(); 2];
        let mut left = max_forced;
        let ends = skip_forced_moves(batch, &mut several, |forced| {
            let is_allowed = left > 0;
            left = left.saturating_sub(1);
            Some(if is_allowed {
                forced
            } else {
                LaneMask::default()
            })
        });
        let Ends { terminal, stuck } = ends.expect("it is not stopped");
        let undecided = batch.filled().and_not(several[0].or(several[1]));
        Turns {
            several,
            terminal,
            over: undecided.or(terminal).or(stuck),
        }
    }

    /// Adds the children in the lanes. Returns whether what one role gets the other one does not, where the match is over.
    ///
    /// # Errors
    /// If both roles decide in one of them.
    fn add(
        self,
        batch: &mut Batch,
        ranges: &[(i32, i32); 2],
        children: &mut Children,
    ) -> Result<bool, BothDecide> {
        let [first, second] = self.several;
        if !first.and(second).and_not(self.over).is_empty() {
            return Err(BothDecide);
        }
        let before = children.movers.len();
        let count = batch.filled().count() as usize;
        let movers = (0..count).map(|lane| u8::from(second.contains(lane)));
        children.movers.extend(movers);
        children.ends.resize(before + count, 0);
        for lane in self.over.lanes() {
            children.movers[before + lane] = NONE;
        }
        let mut are_opposed = true;
        for lane in self.terminal.lanes() {
            let [first, second] = [0, 1].map(|role| {
                let goal = batch.goal(RoleId(role as u32), lane).unwrap_or(0);
                share_of_range(ranges[role], goal)
            });
            children.ends[before + lane] = value::of_end(first, second);
            are_opposed &= (first + second - 1.0).abs() < 1e-3;
        }
        let width = batch.width().words();
        let used = count.div_ceil(64);
        let rows = batch.state_rows().chunks_exact(width);
        let start = children.rows.len();
        children.rows.resize(start + used * children.bases, 0);
        let kept = &mut children.rows[start..];
        match used {
            // Without a call for each word: most nodes have at most 64 children.
            1 => kept
                .iter_mut()
                .zip(rows)
                .for_each(|(kept, row)| *kept = row[0]),
            _ => (kept.chunks_exact_mut(used).zip(rows))
                .for_each(|(kept, row)| kept.copy_from_slice(&row[..used])),
        }
        Ok(are_opposed)
    }
}

/// Adds the number of legal moves in each lane.
fn add_replies(batch: &mut Batch, replies: &mut Vec<u16>) {
    let start = replies.len();
    replies.resize(start + batch.filled().count() as usize, 0);
    for role in [0, 1].map(RoleId) {
        batch.for_each_legal(role, |lane, _| replies[start + lane] += 1);
    }
}

/// Returns the number of the role that decides where these moves are legal, [`NONE`] if the match does not continue.
///
/// # Errors
/// If both roles decide.
pub(super) fn mover(legal: &[Vec<Move>]) -> Result<u8, BothDecide> {
    if legal.iter().any(Vec::is_empty) {
        return Ok(NONE);
    }
    match [0, 1].map(|role| legal[role].len() > 1) {
        [false, false] => Ok(NONE),
        [true, true] => Err(BothDecide),
        [_, second] => Ok(u8::from(second)),
    }
}
