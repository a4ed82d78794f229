//! Forced values: what a role can force against all others, in each state of a graph.
//!
//! Values rise from the least goal until none changes any more: the least fixpoint. So the value of a state
//! is reached in a finite number of steps, and a match that goes on for ever is worth no more than the
//! least goal. A match that cannot go on has the worst value for the side that is considered. On a graph
//! without cycles a sweep or two are enough.

use propjit_stop::{Stop, Ticker};

use super::graph::{Edge, Graph};
use super::split::{Side, Split};

/// The value of each state for one role.
pub(super) struct Values {
    /// By state: places among the goals of the role, ascending.
    levels: Vec<u16>,
    /// By state, when it got that value: earlier than all states with values that follow from it.
    stamps: Vec<u32>,
    /// By end of the graph, its value.
    ends: Vec<u16>,
    /// The greatest value there is.
    top: u16,
    /// Whether values have risen to the fixpoint.
    is_final: bool,
}

impl Values {
    /// The values for a side until a stop comes, where the ends of the graph have these, up to `top`.
    /// States of the frontier, and those in which a role has no legal move, have the worst value for the side.
    pub(super) fn of(
        graph: &Graph,
        (ends, top): (Vec<u16>, u16),
        (side, splits): (Side, &[Split]),
        stop: &Stop,
    ) -> Values {
        let mut values = Values {
            levels: vec![0; graph.len()],
            stamps: vec![0; graph.len()],
            ends,
            top,
            is_final: false,
        };
        if side == Side::Others {
            values.levels[graph.expanded()..].fill(top);
            let stuck = (0..graph.expanded()).filter(|&at| graph.is_stuck(at));
            stuck.for_each(|at| values.levels[at] = top);
        }
        let mut clock = 0;
        let mut outer = Vec::new();
        let mut ticker = stop.ticker();
        while let Some(changed) = values.sweep(graph, splits, &mut clock, &mut outer, &mut ticker) {
            if !changed {
                values.is_final = true;
                break;
            }
        }
        values
    }

    /// Raises the values of states by their successors. Returns whether some have changed; `None` if it was
    /// stopped.
    fn sweep(
        &mut self,
        graph: &Graph,
        splits: &[Split],
        clock: &mut u32,
        outer: &mut Vec<u16>,
        ticker: &mut Ticker,
    ) -> Option<bool> {
        let mut has_changed = false;
        for at in (0..graph.expanded()).rev() {
            if ticker.is_set() {
                return None;
            }
            let edges = graph.edges(at);
            if edges.len() == 0 || self.levels[at] == self.top {
                continue;
            }
            let levels = edges.map(|edge| self.level(edge));
            let level = splits[graph.shape(at)].reduce(levels, outer);
            if level > self.levels[at] {
                *clock = clock.checked_add(1)?;
                self.levels[at] = level;
                self.stamps[at] = *clock;
                has_changed = true;
            }
        }
        Some(has_changed)
    }

    /// Returns whether values have risen to the fixpoint. If not, they are lower bounds.
    pub(super) fn is_final(&self) -> bool {
        self.is_final
    }

    /// The value of a state.
    pub(super) fn of_state(&self, at: usize) -> u16 {
        self.levels[at]
    }

    /// The value of where an edge leads.
    pub(super) fn level(&self, edge: Edge) -> u16 {
        match edge {
            Edge::State(state) => self.levels[state],
            Edge::End(end) => self.ends[end],
        }
    }

    /// Whether a step from a state brings its value nearer: it leads to a greater one, or to the
    /// same one that was reached before.
    pub(super) fn brings_nearer(&self, at: usize, edge: Edge) -> bool {
        let level = self.level(edge);
        let is_earlier = match edge {
            Edge::State(state) => self.stamps[state] < self.stamps[at],
            Edge::End(_) => true,
        };
        level > self.levels[at] || level == self.levels[at] && is_earlier
    }
}
