//! What is known of a node without searching it: by bounds of goals, and by the table.

use super::Search;
use crate::search::minimax::sides::viewpoint;
use crate::search::minimax::table::{Bound, Entry};
use crate::search::minimax::value::{Value, from_below, to_below};

impl Search {
    /// What is known for certain of the state at a ply, for the side that it is valued for: the least and the most.
    fn certain(&mut self, at: usize) -> Option<(Value, Value)> {
        let bounds = self.bounds.as_ref()?;
        let ply = &self.plies[at];
        if bounds.exclude_nothing(ply.sums.state()) {
            return None;
        }
        self.state.assign(ply.sums.state());
        Some(
            self.frontier
                .certain(bounds, &self.state, viewpoint(ply.mover)),
        )
    }

    /// Returns the value of the node at a ply that is certain by what bounds goals, or a bound of it outside the
    /// window.
    pub(super) fn certain_value(&mut self, at: usize, low: Value, high: Value) -> Option<Value> {
        let (least, most) = self.certain(at)?;
        let (least, most) = (from_below(least, at), from_below(most, at));
        if least == most || least >= high {
            return Some(least);
        }
        (most <= low).then_some(most)
    }

    /// What the table has of the node at a ply: the best move; and below the root, from a search of a depth at least,
    /// an exact value or a bound outside the window.
    pub(super) fn look_up(
        &self,
        at: usize,
        depth: i32,
        low: Value,
        high: Value,
    ) -> (Option<u16>, Option<(Value, Bound)>) {
        let Some(entry) = self.table.find(self.plies[at].key) else {
            return (None, None);
        };
        let value = from_below(entry.value, at);
        let is_enough = match entry.bound {
            Bound::Exact => true,
            Bound::Lower => value >= high,
            Bound::Upper => value <= low,
        };
        let is_known = at > 0 && i32::from(entry.depth) >= depth && is_enough;
        (entry.best, is_known.then_some((value, entry.bound)))
    }

    /// Stores what was found of the node at a ply, for the side that it is valued for.
    pub(super) fn store(
        &self,
        at: usize,
        value: Value,
        bound: Bound,
        depth: i32,
        best: Option<usize>,
    ) {
        let entry = Entry {
            value: to_below(value, at),
            bound,
            depth: depth as u8,
            best: best.and_then(|best| u16::try_from(best).ok()),
        };
        self.table.store(self.plies[at].key, entry);
    }
}
