//! The children of a node, found in one call in lanes, and kept as rows: one for each move, or one for each of its
//! outcomes where chance plays.
//!
//! Only children that are entered are packed into states: most are cut off, or valued by their rows.

use std::ops::Range;

use super::sides::{BothDecide, CHANCE, NONE, Sides};
use super::value::{self, Value, is_decided, share_of_range};
use crate::game::ground::GoalBounds;
use crate::game::machine::batch::Batch;
use crate::game::machine::expansion::Expander;
use crate::game::machine::expansion::forced::{Ends, skip_forced_moves};
use crate::game::machine::{Move, RoleId, State};
use crate::game::vocabulary::lane_mask::LaneMask;

/// The distance that a win has which is certain but was not followed to its end.
const FAR: Value = 10_000;

/// The children of a node, in the order of the moves of the side that decides, with all outcomes of one before those of
/// the next.
#[derive(Clone, Default, Debug)]
pub(super) struct Children {
    /// The moves. Where only chance plays, there is one, which stands for all that it may play.
    pub moves: Vec<Move>,
    /// The number of outcomes of each move, which are equally likely.
    pub outcomes: usize,
    /// The side that decides in each child; [`NONE`] if the match is over there.
    pub movers: Vec<u8>,
    /// The value for the first side where the match is over.
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
    sides: Sides,
    /// The lowest and the highest goal of each side.
    ranges: [(i32, i32); 2],
    /// The legal moves of each role.
    legal: Vec<Vec<Move>>,
    /// The moves that are played in all children, and those that are in each: of the side that decides, and of chance
    /// if that plays at the same time.
    forced: Vec<(RoleId, Move)>,
    played: [Vec<Move>; 2],
    /// The number of joint moves in a line of forced ones after which a match counts as drawn.
    max_forced: u32,
    counts_replies: bool,
    /// Whether what one side got the other one did not, at all ends so far.
    are_opposed: bool,
}

impl Children {
    /// The number of children.
    pub(super) fn len(&self) -> usize {
        self.movers.len()
    }

    /// The children that are outcomes of the move with this number.
    pub(super) fn of_move(&self, number: usize) -> Range<usize> {
        number * self.outcomes..(number + 1) * self.outcomes
    }

    /// Whether the match is over after the move with this number, whatever chance plays.
    pub(super) fn is_over(&self, number: usize) -> bool {
        let mut outcomes = self.movers[self.of_move(number)].iter();
        outcomes.all(|&mover| mover == NONE)
    }

    /// The children of each call: their places, their rows, and the number of words of a row.
    pub(super) fn calls(&self) -> impl Iterator<Item = (Range<usize>, &[u64], usize)> {
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
    /// Finds children by an expander of a game of two roles, and perhaps one that plays at random.
    pub(super) fn new(expander: Expander, max_forced: u32) -> Frontier {
        let (sides, ranges) = (Sides::of(expander.game()), expander.game().goal_ranges());
        Frontier {
            sides,
            ranges: sides.players().map(|role| ranges[role.index()]),
            legal: vec![Vec::new(); ranges.len()],
            forced: Vec::new(),
            played: Default::default(),
            expander,
            max_forced,
            counts_replies: false,
            are_opposed: true,
        }
    }

    /// Counts the legal moves in children from now on, or no longer.
    pub(super) fn count_replies(&mut self, counts: bool) {
        self.counts_replies = counts;
    }

    /// Returns the sides of the game.
    pub(super) fn sides(&self) -> Sides {
        self.sides
    }

    /// Returns whether what one side got the other one did not, at all ends so far. Elsewhere, values are differences
    /// of goals, which prove nothing about either.
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

    /// Returns the least and the most that a side can get in a state by these bounds of goals, for certain. Nothing is
    /// known about how far a win is.
    pub(super) fn certain(&self, bounds: &GoalBounds, state: &State, side: u8) -> (Value, Value) {
        let [own, other] = [side, 1 - side].map(|side| {
            let range = self.ranges[usize::from(side)];
            let (least, most) = bounds.of(state, self.sides.role(side)).unwrap_or(range);
            [least, most].map(|goal| share_of_range(range, goal))
        });
        let far = |value: Value| match is_decided(value) {
            true => value - value.signum() * FAR,
            false => value,
        };
        let least = far(value::of_end(own[0], other[1]));
        (least, far(value::of_end(own[1], other[0])))
    }

    /// Finds the children of a packed state in which this side decides. Moves that are forced after them are skipped.
    ///
    /// # Errors
    /// If both sides decide in a child.
    pub(super) fn expand(
        &mut self,
        state: &[u64],
        mover: u8,
        children: &mut Children,
    ) -> Result<(), BothDecide> {
        let batch = self.expander.batch_mut();
        let lanes = batch.lanes();
        batch.fill(state, lanes);
        for (role, legal) in self.legal.iter_mut().enumerate() {
            batch.legal_in_first(RoleId(role as u32), legal);
        }
        let own = self.sides.role(mover);
        let several = |role: &RoleId| self.legal[role.index()].len() > 1;
        let beside = self
            .sides
            .random()
            .filter(|role| mover != CHANCE && several(role));
        let [first, second] = &mut self.played;
        children.moves.clone_from(&self.legal[own.index()]);
        children.outcomes = 1;
        if let Some(random) = beside {
            let outcomes = &self.legal[random.index()];
            children.outcomes = outcomes.len();
            let moves = children.moves.iter();
            first.clear();
            first.extend(moves.flat_map(|&played| std::iter::repeat_n(played, outcomes.len())));
            second.clear();
            children.moves.iter().for_each(|_| second.extend(outcomes));
        } else {
            first.clone_from(&children.moves);
        }
        if mover == CHANCE {
            children.outcomes = children.moves.len();
            children.moves.truncate(1);
        }
        self.forced.clear();
        for (role, legal) in self.legal.iter().enumerate() {
            let role = RoleId(role as u32);
            if role != own && Some(role) != beside {
                self.forced.extend(legal.first().map(|&only| (role, only)));
            }
        }
        children.bases = batch.game().layout().bases.len();
        children.lanes = lanes;
        children.movers.clear();
        children.ends.clear();
        children.rows.clear();
        children.replies.clear();
        for start in (0..first.len()).step_by(lanes) {
            if start > 0 {
                batch.fill(state, lanes);
            }
            let places = start..first.len().min(start + lanes);
            batch.keep_first(places.len());
            match beside {
                Some(random) => {
                    let chance = (random, &second[places.clone()]);
                    batch.play_choices(&[(own, &first[places]), chance], &self.forced);
                }
                None => batch.play_choices(&[(own, &first[places])], &self.forced),
            }
            batch.advance(batch.filled());
            let turns = Turns::after_forced_moves(batch, self.max_forced);
            self.are_opposed &= turns.add(batch, self.sides, &self.ranges, children)?;
            if self.counts_replies {
                add_replies(batch, self.sides, &mut children.replies);
            }
        }
        Ok(())
    }
}

/// The most roles: two that decide, and chance.
const MAX_ROLES: usize = 3;

/// The lanes in which each role has a choice, and in which none has.
struct Turns {
    several: [LaneMask; MAX_ROLES],
    terminal: LaneMask,
    over: LaneMask,
}

impl Turns {
    /// Plays forced moves in all lanes where there are no others, a few at most.
    fn after_forced_moves(batch: &mut Batch, max_forced: u32) -> Turns {
        let mut several = [LaneMask::default(); MAX_ROLES];
        let mut left = max_forced;
        let roles = batch.game().roles().len();
        let ends = skip_forced_moves(batch, &mut several[..roles], |forced| {
            let is_allowed = left > 0;
            left = left.saturating_sub(1);
            Some(if is_allowed {
                forced
            } else {
                LaneMask::default()
            })
        });
        let Ends { terminal, stuck } = ends.expect("it is not stopped");
        let choice = several.into_iter().fold(LaneMask::default(), LaneMask::or);
        let undecided = batch.filled().and_not(choice);
        Turns {
            several,
            terminal,
            over: undecided.or(terminal).or(stuck),
        }
    }

    /// Adds the children in the lanes. Returns whether what one side gets the other one does not, where the match is
    /// over.
    ///
    /// # Errors
    /// If both sides decide in one of them.
    fn add(
        self,
        batch: &mut Batch,
        sides: Sides,
        ranges: &[(i32, i32); 2],
        children: &mut Children,
    ) -> Result<bool, BothDecide> {
        let [first, second] = sides.players().map(|role| self.several[role.index()]);
        if !first.and(second).and_not(self.over).is_empty() {
            return Err(BothDecide);
        }
        let before = children.movers.len();
        let count = batch.filled().count() as usize;
        let movers = (0..count).map(|lane| u8::from(second.contains(lane)));
        children.movers.extend(movers);
        children.ends.resize(before + count, 0);
        if let Some(random) = sides.random() {
            let alone = self.several[random.index()].and_not(first.or(second));
            for lane in alone.lanes() {
                children.movers[before + lane] = CHANCE;
            }
        }
        for lane in self.over.lanes() {
            children.movers[before + lane] = NONE;
        }
        let mut are_opposed = true;
        for lane in self.terminal.lanes() {
            let [first, second] = [0, 1].map(|side| {
                let goal = batch.goal(sides.players()[side], lane).unwrap_or(0);
                share_of_range(ranges[side], goal)
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
fn add_replies(batch: &mut Batch, sides: Sides, replies: &mut Vec<u16>) {
    let start = replies.len();
    replies.resize(start + batch.filled().count() as usize, 0);
    for role in sides.players() {
        batch.for_each_legal(role, |lane, _| replies[start + lane] += 1);
    }
}
