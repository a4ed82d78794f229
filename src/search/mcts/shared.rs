//! Shared state of the threads of a search, beside the tree.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use super::tree::Tree;
use crate::game::playout::PlayoutProgress;
use crate::search::mcts::walk::best_line::BestLine;
use crate::support::statistics::Moments;

/// The cost that the playouts of a leaf may have, in gates evaluated for all lanes: a small part of
/// what it takes to choose a leaf and to make its node. With that, breakthrough and reversi get 1
/// and connect four 4.
///
/// Between 1 and 4, it matters little. Scores at equal time with decisive moves, in 40 to 50
/// matches (their standard error is 7 to 8 points): breakthrough with 2 against 1 44%, with 4
/// against 1 38%; reversi 47% and 64%, and with 16 against 4 34%; connect four with 16 against 4
/// 58%, and against 1 at equal nodes 85%.
const LEAF_COST: f64 = 1000.0;

/// How many playouts a leaf gets at most.
const MAX_PLAYOUTS: u64 = 4;

/// How many it gets before it is known what they cost.
pub(super) const FIRST_PLAYOUTS: u64 = 2;

/// A search with a limit on nodes also ends after this many visits of the root for each node of the limit,
/// which counts as `MIN_NODES` at least: there are no more nodes in games with a tree that is known but
/// cannot be solved, as where roles decide at once.
const VISITS_PER_NODE: u64 = 64;
const MIN_NODES: u64 = 1000;

/// The limits of a search: numbers of playouts and of nodes in the tree.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) playouts: Option<u64>,
    pub(super) nodes: Option<u64>,
}

impl Wanted {
    /// Whether nothing is counted, so that what is found may depend on the machine's speed.
    pub(super) fn is_timed(&self) -> bool {
        self.playouts.is_none() && self.nodes.is_none()
    }
}

/// The figures that the threads of a search count together.
#[derive(Default)]
pub(super) struct Shared {
    /// How many playouts have ended.
    pub(super) playouts: PlayoutProgress,
    /// How many joint moves they had.
    pub(super) steps: AtomicU64,
    /// For how long all threads together played since the time was last taken, in nanoseconds.
    playing: AtomicU64,
    /// How many more there would have been if their results had not been known.
    pub(super) spared: AtomicU64,
    /// The values that evaluations had behind each edge of the root, for each role.
    pub(super) root_statistics: Mutex<Vec<Moments<f64>>>,
    /// In a game of one role, the best match seen.
    pub(super) best_line: Mutex<Option<BestLine>>,
}

impl Shared {
    /// Keeps a match of the only role if it is better than those before; returns its goal
    /// then.
    pub(super) fn improve(&self, line: BestLine) -> Option<f32> {
        let mut best = self.best_line.lock();
        let is_better = best.as_ref().is_none_or(|best| line.goal > best.goal);
        is_better.then(|| best.insert(line).goal)
    }

    /// Notes that a thread played for this time.
    pub(super) fn note_playing(&self, time: Duration) {
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.playing.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// Returns for how long all threads together played since the last call.
    pub(super) fn take_playing(&self) -> Duration {
        Duration::from_nanos(self.playing.swap(0, Ordering::Relaxed))
    }

    /// Whether a search that makes room in its tree, or does not, has nothing more to do.
    pub(super) fn is_done(&self, wanted: Wanted, tree: &Tree, recycles: bool) -> bool {
        self.is_enough(wanted, tree)
            || tree.node(tree.root()).is_solved()
            || wanted.nodes.is_some() && tree.is_full() && !recycles
    }

    /// Whether there is what is wanted.
    fn is_enough(&self, wanted: Wanted, tree: &Tree) -> bool {
        let Wanted { playouts, nodes } = wanted;
        playouts.is_some_and(|playouts| self.playouts_and_spared() >= playouts)
            || nodes.is_some_and(|nodes| {
                let visits = tree.node(tree.root()).visits();
                tree.made() >= nodes || visits >= VISITS_PER_NODE * nodes.max(MIN_NODES)
            })
    }

    /// By how many playouts the work is measured.
    pub(super) fn playouts_and_spared(&self) -> u64 {
        self.playouts.rollouts() + self.spared.load(Ordering::Relaxed)
    }

    /// How many playouts a leaf should get if a step of one costs `step`.
    ///
    /// More nodes make a search stronger than more playouts, so playouts should cost less than
    /// the rest does; but it is no use that they cost nothing.
    pub(super) fn playouts_per_leaf(&self, step: f64) -> u64 {
        let playouts = self.playouts.rollouts();
        if playouts == 0 {
            return FIRST_PLAYOUTS;
        }
        let steps = self.steps.load(Ordering::Relaxed);
        let playout = steps as f64 / playouts as f64 * step;
        // Not a number, if all playouts were over at once.
        ((LEAF_COST / playout) as u64).clamp(1, MAX_PLAYOUTS)
    }
}
