//! A node on the way from the root, with its children.

use super::average::Average;
use super::children::Children;
use super::ordering::{History, Killers};
use super::sides::{NONE, viewpoint};
use super::table::{Bound, Entry, Table};
use super::value::{INFINITE, MAX_ESTIMATE, Value, for_side, from_below};
use crate::search::learned::{Accumulator, ChangeLists, ChildRows, ChildScores, LaneScorer};

/// How many children are looked up in the table: each look-up misses the processor's caches.
const LOOKED_UP: usize = 8;

/// How much a reply that a move leaves counts in the order of a search to the ends.
const REPLY: Value = 150;

/// The node at a distance from the root.
#[derive(Debug)]
pub(super) struct Ply {
    /// Its place among the children of the node above.
    pub from: usize,
    pub key: u64,
    pub mover: u8,
    /// The sums for its state, once it is expanded.
    pub sums: Accumulator,
    pub children: Children,
    pub scores: ChildScores,
    /// The values of the moves for the side that this node is valued for; and those of all children, where moves have
    /// several outcomes.
    pub values: Vec<Value>,
    outcomes: Vec<Value>,
    /// Whether what matters is a bound, though the window may be wide: for the mean of several outcomes.
    pub is_narrow: bool,
    /// What the order is by: the least comes first.
    pub ranks: Vec<Value>,
    pub order: Vec<u32>,
    pub killers: Killers,
}

impl Ply {
    /// No node yet.
    pub(super) fn new(scorer: &LaneScorer) -> Ply {
        Ply {
            from: 0,
            key: 0,
            mover: NONE,
            sums: scorer.accumulator(),
            children: Children::default(),
            scores: ChildScores::default(),
            values: Vec::new(),
            outcomes: Vec::new(),
            is_narrow: false,
            ranks: Vec::new(),
            order: Vec::new(),
            killers: Killers::default(),
        }
    }

    /// Values the children, which have just been found, at `at` plies from the root: those in which the match is over, and
    /// by estimates the others, unless they are not to be estimated.
    pub(super) fn take_values(
        &mut self,
        scorer: &LaneScorer,
        lists: &mut ChangeLists,
        at: usize,
        is_estimated: bool,
    ) {
        self.scores.values.clear();
        self.scores.keys.clear();
        for (places, rows, width) in self.children.calls() {
            let children = ChildRows {
                rows,
                width,
                movers: &self.children.movers[places],
            };
            match is_estimated {
                true => scorer.score_children(&mut self.sums, children, lists, &mut self.scores),
                false => scorer.find_keys(&self.sums, children, lists, &mut self.scores),
            }
        }
        self.scores.values.resize(self.children.len(), 0);
        let side = viewpoint(self.mover);
        let ends = self.children.movers.iter().zip(&self.children.ends);
        let values = ends
            .zip(&self.scores.values)
            .map(|((&mover, &end), &score)| {
                let value = match mover {
                    NONE => from_below(end, at + 1),
                    _ => score.clamp(-MAX_ESTIMATE, MAX_ESTIMATE),
                };
                for_side(value, side)
            });
        self.values.clear();
        if self.children.outcomes == 1 {
            self.values.extend(values);
            return;
        }
        self.outcomes.clear();
        self.outcomes.extend(values);
        let moves = self.outcomes.chunks_exact(self.children.outcomes);
        self.values.extend(moves.map(Average::of));
    }

    /// The value of a child, which is an outcome of a move.
    pub(super) fn estimate(&self, child: usize) -> Value {
        match self.children.outcomes {
            1 => self.values[child],
            _ => self.outcomes[child],
        }
    }

    /// Ranks the moves: the one that was best before comes first, then those by estimates and by what cut off
    /// elsewhere.
    pub(super) fn rank(&mut self, history: &History, first: Option<u16>) {
        let values = self.values.iter().zip(&self.children.moves);
        let ranks = values.enumerate().map(|(child, (&value, &played))| {
            let bonus = history.bonus(self.mover, played) + self.killers.bonus(played);
            match first == u16::try_from(child).ok() {
                true => -INFINITE,
                false => -value - bonus,
            }
        });
        self.ranks.clear();
        self.ranks.extend(ranks);
    }

    /// Orders the children by their ranks.
    pub(super) fn sort(&mut self) {
        self.order.clear();
        self.order.extend(0..self.values.len() as u32);
        let ranks = &self.ranks;
        self.order
            .sort_unstable_by_key(|&child| (ranks[child as usize], child));
    }

    /// Returns the greatest value of a child.
    pub(super) fn greatest(&self) -> Option<Value> {
        self.values.iter().copied().max()
    }

    /// Moves children up that leave few replies, if these are counted.
    pub(super) fn rank_by_replies(&mut self) {
        for (rank, &replies) in self.ranks.iter_mut().zip(&self.children.replies) {
            if *rank > -INFINITE {
                *rank += REPLY * Value::from(replies);
            }
        }
    }

    /// Corrects ranks by what earlier searches found out about the first children. Returns a child with a value that is
    /// enough, if there is one. The depths are those from which on an entry is enough, and from which on it counts.
    pub(super) fn rank_by_table(
        &mut self,
        table: &Table,
        at: usize,
        [enough, near]: [i32; 2],
        high: Value,
    ) -> Option<(usize, Value)> {
        self.sort();
        if self.children.outcomes > 1 {
            return None;
        }
        for place in 0..self.order.len().min(LOOKED_UP) {
            let child = self.order[place] as usize;
            let next = self.children.movers[child];
            if next == NONE || self.ranks[child] == -INFINITE {
                continue;
            }
            let Some(entry) = self.entry_of(child, table, at) else {
                continue;
            };
            let found = i32::from(entry.depth);
            let is_least = entry.bound != Bound::Upper;
            if at > 0 && is_least && entry.value >= high && found >= enough {
                return Some((child, entry.value));
            }
            if found >= near {
                self.ranks[child] = (self.ranks[child] - entry.value) / 2;
            }
        }
        None
    }

    /// Returns what the table has of a child, with the value as seen from the root, for the side that this node is
    /// valued for.
    pub(super) fn entry_of(&self, child: usize, table: &Table, at: usize) -> Option<Entry> {
        let entry = table.find(self.scores.keys[child])?;
        let value = from_below(entry.value, at + 1);
        let is_same = viewpoint(self.children.movers[child]) == viewpoint(self.mover);
        let (value, bound) = match (is_same, entry.bound) {
            (true, bound) => (value, bound),
            (false, Bound::Exact) => (-value, Bound::Exact),
            (false, Bound::Lower) => (-value, Bound::Upper),
            (false, Bound::Upper) => (-value, Bound::Lower),
        };
        Some(Entry {
            value,
            bound,
            ..entry
        })
    }
}
