//! Search to the ends of matches, where they are near: its values are exact.
//!
//! Estimates only order the moves, together with the number of replies that a move leaves: where the opponent has few,
//! little is to be searched.

use super::{Halt, MAX_PLIES, NONE, Search, bound};
use crate::search::minimax::table::{Bound, PROVED};
use crate::search::minimax::value::{INFINITE, Value, WIN, from_below};

/// The number of matches at random that show how far the ends are, and the distance from which on they are not near.
const TRIED: u64 = 8;
const FAR: usize = 40;

/// How many plies before the ends, in the longest of these matches, estimates no longer pay for themselves.
const UNESTIMATED: usize = 12;

/// An exact search of a state with so many moves in a row, each chosen among so many, expands about as many states as
/// there are lines, to this power: the order of moves and the table spare the others.
const GROWTH: f64 = 0.36;

/// How far the ends of matches are.
#[derive(Clone, Copy, Debug)]
pub(in crate::search::minimax) struct Ends {
    /// In decisions, at most, in some matches at random.
    pub distance: usize,
    /// How many states a search to the ends will about expand.
    pub cost: f64,
}

impl Search {
    /// Returns how far the ends of matches are, unless they are far away.
    ///
    /// # Errors
    /// If both roles decide in a state.
    pub(in crate::search::minimax) fn find_ends(&mut self) -> Result<Option<Ends>, Halt> {
        let mut ends = Ends {
            distance: 0,
            cost: 1.0,
        };
        for number in 0..TRIED {
            let mut lines = 0.0;
            let mut chance = self.plies[0].key ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            for at in 0.. {
                if at >= FAR.min(MAX_PLIES - 2) {
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
                // A linear congruential generator (Knuth) is random enough.
                chance = chance
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                self.enter(at, (chance >> 33) as usize % count);
                ends.distance = ends.distance.max(at + 1);
                if self.plies[at + 1].mover == NONE {
                    break;
                }
            }
            ends.cost = ends.cost.max((GROWTH * lines).exp());
        }
        Ok(Some(ends))
    }

    /// Returns the value of the root for the role that decides there, by a search to the ends of matches: first whether it is
    /// won, drawn or lost, and then the rest. Not more than so many states are expanded.
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
        let mut first = None;
        if at > 0 {
            // Nothing is better than a win with the next move.
            low = low.max(at as Value - WIN);
            high = high.min(WIN - at as Value - 1);
            if low >= high {
                return Ok(low);
            }
        }
        if let Some(entry) = self.table.find(self.plies[at].key) {
            first = entry.best;
            let value = from_below(entry.value, at);
            let is_enough = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => value >= high,
                Bound::Upper => value <= low,
            };
            if at > 0 && entry.depth == PROVED && is_enough {
                return Ok(value);
            }
        }
        if at + 2 >= MAX_PLIES {
            return Err(Halt::TooFar);
        }
        if at > 0 {
            self.pack(at);
            if let Some((least, most)) = self.certain(at) {
                let (least, most) = (from_below(least, at), from_below(most, at));
                if least == most || least >= high {
                    return Ok(least);
                }
                if most <= low {
                    return Ok(most);
                }
            }
            self.expand(at)?;
        } else {
            self.find_children(at)?;
        }
        if let Some(value) = self.order_to_ends(at, high, first) {
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
            self.note_root(at, child, found, bound(found, low, high), super::MAX_DEPTH);
            value = value.max(found);
            if found > low {
                (low, best) = (found, Some(child));
                if found >= high {
                    self.note_cut(at, number, 4);
                    break;
                }
            }
        }
        self.store(
            at,
            value,
            bound(value, alpha, high),
            i32::from(PROVED),
            best,
        );
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

    /// Orders the children of the node at a ply. Returns a value that is enough at once, if the table has one for a child.
    fn order_to_ends(&mut self, at: usize, high: Value, first: Option<u16>) -> Option<Value> {
        let ply = &mut self.plies[at];
        ply.rank(&self.history, first);
        ply.rank_by_replies();
        let proved = i32::from(PROVED);
        if let Some((child, value)) = ply.rank_by_table(&self.table, at, [proved, 3], high) {
            self.store(at, value, Bound::Lower, proved, Some(child));
            return Some(value);
        }
        self.plies[at].sort();
        None
    }
}
