//! Recycling: a tree with full memory forgets what is below the nodes that were visited least.
//!
//! The next descents are least likely to come through the nodes that were visited least, and these take
//! least to find out again. Nodes themselves stay, with all that evaluations brought and what is proved of
//! them; only the moves there are forgotten, and found out again when a descent comes there.

use propjit_stop::Stop;

use super::Tree;
use super::arena::{Block, Marks};
use super::node::{NodeId, Stage};

/// The reciprocal of the part of the memory that is kept at most.
const KEPT_PART: usize = 2;

/// The reciprocal of the part of the memory that has to come free at least, so that it is worth the time.
const FREED_PART: usize = 4;

/// The number of nodes that are visited between checks of the stop.
const NODES_PER_LOOK: usize = 256;

/// The time that the last part takes, which cannot be stopped, for each node: some 10 ns.
const NODES_PER_MICROSECOND: usize = 50;

/// The memory that an expanded node takes up with the nodes below that are reached through it first.
struct Size {
    visits: u64,
    /// Lines of memory, and what counts as such.
    lines: usize,
}

/// The rest of the tree after forgetting.
struct Rest {
    marks: Marks,
    /// How many lines are marked, with what counts as such.
    lines: usize,
    /// The nodes below which all is forgotten.
    cut: Vec<NodeId>,
    /// The sizes of the nodes below which something is kept.
    sizes: Vec<Size>,
}

impl Tree {
    /// Makes room by forgetting what is below the nodes that were visited least, if that is worth it, and unless
    /// a stop comes. Whether it does. No thread may be at work.
    pub(in crate::search::mcts) fn recycle(&mut self, stop: &Stop) -> bool {
        let Some(Rest {
            mut sizes,
            lines: used,
            ..
        }) = self.rest(0, stop)
        else {
            return false;
        };
        sizes.sort_unstable_by_key(|size| std::cmp::Reverse(size.visits));
        let most = self.lines() / KEPT_PART;
        let mut lines = 0;
        let first = sizes.iter().find(|size| {
            lines += size.lines;
            lines > most
        });
        let Some(least) = first.map(|size| size.visits + 1) else {
            return false;
        };
        let Some(rest) = self.rest(least, stop) else {
            return false;
        };
        let left = stop.remaining().map(|left| left.as_micros() as usize);
        let takes = self.len() / NODES_PER_MICROSECOND;
        let is_worth_it = used.saturating_sub(rest.lines) >= self.lines() / FREED_PART;
        if !is_worth_it || left.is_some_and(|left| left < takes) {
            return false;
        }
        for &id in &rest.cut {
            self.node(id).set_inside(Stage::Unexpanded, Block(0));
        }
        self.keep(&rest.marks);
        tracing::debug!(
            least,
            used,
            left = rest.lines,
            "discarding rarely visited nodes"
        );
        true
    }

    /// Returns what would be left if all were forgotten below nodes with fewer visits, except the root;
    /// nothing if a stop comes.
    fn rest(&self, least: u64, stop: &Stop) -> Option<Rest> {
        let mut rest = Rest {
            marks: self.marks(),
            lines: 0,
            cut: Vec::new(),
            sizes: Vec::new(),
        };
        rest.lines += self.mark_node(self.root(), &mut rest.marks);
        let (mut left, mut children) = (vec![self.root()], Vec::new());
        let mut looked = 0;
        while let Some(id) = left.pop() {
            looked += 1;
            if looked % NODES_PER_LOOK == 0 && stop.is_set() {
                return None;
            }
            let node = self.node(id);
            if node.inside().0 != Stage::Expanded {
                continue;
            }
            if id != self.root() && node.visits() < least {
                rest.cut.push(id);
                continue;
            }
            let before = rest.lines;
            rest.lines += self.mark_inside(id, &mut rest.marks, &mut children);
            for child in children.drain(..) {
                let new = self.mark_node(child, &mut rest.marks);
                rest.lines += new;
                if new > 0 {
                    left.push(child);
                }
            }
            rest.sizes.push(Size {
                visits: node.visits(),
                lines: rest.lines - before,
            });
        }
        Some(rest)
    }
}
