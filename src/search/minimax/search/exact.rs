//! Search to the ends of matches, where they are near, in games without chance: its values are exact.
//!
//! Estimates only order the moves, together with the number of replies that a move leaves: where the opponent has few,
//! little is to be searched.

use propjit_stop::Stop;
use rand::RngExt;

use super::{Halt, MAX_DEPTH, MAX_PLIES, NONE, Search, bound, narrow};
use crate::search::minimax::table::PROVED;
use crate::search::minimax::value::{INFINITE, Value, WIN};
use crate::support::rng;

/// The number of matches at random that show how far the ends are, and the distance from which on they are not near.
const TRIED: usize = 8;
const FAR: usize = 40;

/// How many plies before the ends, in the longest of these matches, estimates no longer pay for themselves.
const UNESTIMATED: usize = 12;

/// The depth from which on an entry of the table counts for the order of moves, and the depth as which a cut-off counts for
/// those of other nodes.
const NEAR_ENTRY: i32 = 3;
const CUT_DEPTH: i32 = 4;

/// The number of expanded states is about the number of lines of play to this power: the order of moves and the table spare
/// the rest.
const GROWTH: f64 = 0.36;

/// By how much what is allowed may be less than the cost seems to be, until a search has failed by that.
pub(super) const MISJUDGED: f64 = 4.0;

/// The part of what was not enough that is not tried again, as long as the cost is as great in proportion.
const NOT_AGAIN: f64 = 0.5;

/// How far the ends of matches are.
#[derive(Clone, Copy, Debug)]
pub(in crate::search::minimax) struct Ends {
    /// In decisions, at most, in some matches at random.
    pub distance: usize,
    /// How many states a search to the ends will about expand.
    pub cost: f64,
}

impl Search {
    /// Returns how far the ends of matches are, unless they are far away, chance plays, or a stop comes before that is
    /// known.
    ///
    /// # Errors
    /// If both roles decide in a state.
    pub(in crate::search::minimax) fn find_ends(
        &mut self,
        stop: &Stop,
    ) -> Result<Option<Ends>, Halt> {
        if self.frontier.sides().random().is_some() {
            return Ok(None);
        }
        let mut ends = Ends {
            distance: 0,
            cost: 1.0,
        };
        let mut rng = (rng::streams(self.plies[0].key).next()).expect("streams do not end");
        for _ in 0..TRIED {
            let mut lines = 0.0;
            for at in 0.. {
                if at >= FAR || stop.is_set() {
                    return Ok(None);
                }
                if at > 0 {
                    self.pack(at);
                    self.find_children(at)?;
                }
                let count = self.plies[at].values.len();
                if count == 0 {
                    break;
                }
                lines += (count as f64).ln();
                self.enter(at, rng.random_range(0..count));
                ends.distance = ends.distance.max(at + 1);
                if self.plies[at + 1].mover == NONE {
                    break;
                }
            }
            ends.cost = ends.cost.max((GROWTH * lines).exp());
        }
        Ok(Some(ends))
    }

    /// Returns whether this number of expansions may be enough, by what came of earlier searches in the game.
    pub(in crate::search::minimax) fn may_be_enough(&self, ends: Ends, expansions: f64) -> bool {
        ends.cost <= expansions * self.misjudged
    }

    /// Notes that this number of expansions was not enough, or what they took.
    pub(in crate::search::minimax) fn note_misjudgement(&mut self, ends: Ends, expansions: f64) {
        let proportion = ends.cost / expansions.max(1.0);
        self.misjudged = self.misjudged.min(proportion * NOT_AGAIN);
    }

    /// Returns the value of the root for the role that decides there, by a search to the ends of matches: first whether it is
    /// won, drawn or lost, and then the rest. `expansions` limits the number of states that are expanded.
    ///
    /// # Errors
    /// When the search ends early.
    pub(in crate::search::minimax) fn search_to_ends(
        &mut self,
        ends: Ends,
        expected: Value,
        expansions: u64,
    ) -> Result<Value, Halt> {
        let limit = self.limit;
        self.limit = limit.min(self.counts.expansions.saturating_add(expansions));
        self.unestimated = ends.distance.saturating_sub(UNESTIMATED).max(1);
        self.frontier.count_replies(true);
        let found = self.outcome(expected);
        self.frontier.count_replies(false);
        self.unestimated = usize::MAX;
        self.limit = limit;
        found
    }

    fn outcome(&mut self, expected: Value) -> Result<Value, Halt> {
        // With the likelier question first.
        let (mut low, mut high) = (-INFINITE, INFINITE);
        for at in if expected > 0 { [0, -1] } else { [-1, 0] } {
            if low <= at && high > at {
                let found = self.search_ends(0, at, at + 1)?;
                match found > at {
                    true => low = low.max(found),
                    false => high = high.min(found),
                }
            }
        }
        let is_won = low > WIN / 2;
        if is_won || high < -WIN / 2 {
            return Ok(if is_won { low } else { high });
        }
        if low < high {
            return self.search_ends(0, low - 1, high + 1);
        }
        // Of all moves that are no better, the table knows which one is as good.
        self.search_ends(0, low - 1, low)?;
        Ok(low)
    }

    /// Returns the exact value of the node at a ply, for the role that decides there; or a bound that is outside the
    /// window.
    fn search_ends(&mut self, at: usize, mut low: Value, mut high: Value) -> Result<Value, Halt> {
        let alpha = low;
        if let Some(value) = narrow(at, &mut low, &mut high) {
            return Ok(value);
        }
        let (first, known) = self.look_up(at, i32::from(PROVED), low, high);
        if let Some((value, _)) = known {
            return Ok(value);
        }
        if at + 2 >= MAX_PLIES {
            return Err(Halt::TooFar);
        }
        if at > 0 {
            self.pack(at);
            if let Some(value) = self.certain_value(at, low, high) {
                return Ok(value);
            }
            self.expand(at)?;
        } else {
            self.find_children(at)?;
        }
        let proved = i32::from(PROVED);
        let ply = &mut self.plies[at];
        ply.rank(&self.history, first);
        ply.rank_by_replies();
        if let Some(value) = self.order_by_table(at, proved, [proved, NEAR_ENTRY], high) {
            return Ok(value);
        }
        let (mut best, mut value) = (None, -INFINITE);
        for number in 0..self.plies[at].order.len() {
            let ply = &self.plies[at];
            let child = ply.order[number] as usize;
            let found = match ply.children.movers[child] {
                NONE => ply.values[child],
                _ if number == 0 => self.search_ends_after(at, child, low, high)?,
                _ => {
                    let found = self.search_ends_after(at, child, low, low + 1)?;
                    match found > low && found < high {
                        true => self.search_ends_after(at, child, low, high)?,
                        false => found,
                    }
                }
            };
            self.note_root(at, child, found, bound(found, low, high), MAX_DEPTH);
            value = value.max(found);
            if found > low {
                (low, best) = (found, Some(child));
                if found >= high {
                    self.note_cut(at, number, CUT_DEPTH);
                    break;
                }
            }
        }
        self.store(at, value, bound(value, alpha, high), proved, best);
        Ok(value)
    }

    /// Returns the value of a child for the role that decides at a ply.
    fn search_ends_after(
        &mut self,
        at: usize,
        child: usize,
        low: Value,
        high: Value,
    ) -> Result<Value, Halt> {
        self.enter(at, child);
        match self.plies[at + 1].mover == self.plies[at].mover {
            true => self.search_ends(at + 1, low, high),
            false => Ok(-self.search_ends(at + 1, -high, -low)?),
        }
    }
}
