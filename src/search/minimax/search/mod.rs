//! Search of the tree below a state, by one thread.
//!
//! A node is expanded and all its children are estimated in one call, so that a search of depth 1 is one expansion.
//! Moves are ordered by these estimates.
//!
//! - `principal_variation`: to a depth; `chance`: the same for moves with several outcomes.
//! - `exact`: to the ends of matches, without estimates.
//! - `known`: what need not be searched.
//! - `line`: the moves thought best, and the positions that matter.

mod chance;
mod exact;
mod known;
mod line;
mod principal_variation;

use std::sync::Arc;

use propjit_stop::{Stop, Ticker};

use crate::game::ground::GoalBounds;
use crate::game::machine::{Move, State};
use crate::search::learned::{ChangeLists, LaneScorer};
use crate::search::minimax::children::Frontier;
use crate::search::minimax::margins::Margins;
use crate::search::minimax::ordering::{History, Killers};
use crate::search::minimax::ply::Ply;
use crate::search::minimax::pruning::Reductions;
use crate::search::minimax::sides::{BothDecide, CHANCE, NONE};
use crate::search::minimax::table::{Bound, Table};
use crate::search::minimax::value::{Value, WIN};

pub(in crate::search::minimax) use exact::Ends;
use principal_variation::{MAX_EXTENSIONS, Scope};

/// The greatest number of plies below the root.
const MAX_PLIES: usize = 128;

/// The greatest depth of a search.
pub(in crate::search::minimax) const MAX_DEPTH: i32 = 100;

/// The number of expansions between looks at the clock. Most take a few microseconds, but some milliseconds where a state has
/// hundreds of children.
const BETWEEN_LOOKS: u32 = 4;

/// Why a search has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::search::minimax) enum Halt {
    /// It was stopped, or its budget is spent.
    Stopped,
    /// Both roles decide in a state.
    BothDecide,
    /// The ends of matches are too far from the root.
    TooFar,
}

impl From<BothDecide> for Halt {
    fn from(BothDecide: BothDecide) -> Halt {
        Halt::BothDecide
    }
}

/// What is known of a move at the root.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::search::minimax) struct RootMove {
    /// The move.
    pub played: Move,
    /// The value for the role that decides.
    pub value: Value,
    /// How it relates to the true value of the search.
    pub bound: Bound,
    /// The depth of the search that found it; 0 for an estimate.
    pub depth: i32,
}

/// Numbers of what was done.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(in crate::search::minimax) struct Counts {
    /// Nodes that were expanded.
    pub expansions: u64,
    /// Children that were estimated.
    pub evaluated: u64,
}

/// A search by one thread.
#[derive(Debug)]
pub(in crate::search::minimax) struct Search {
    frontier: Frontier,
    scorer: Arc<LaneScorer>,
    table: Arc<Table>,
    bounds: Option<GoalBounds>,
    plies: Vec<Ply>,
    lists: ChangeLists,
    /// The ply from which on nothing is estimated.
    unestimated: usize,
    /// By how much the cost of a search to the ends may seem greater than what it may take.
    misjudged: f64,
    history: History,
    margins: Margins,
    reductions: Reductions,
    stop: Ticker,
    /// How many expansions there may be.
    limit: u64,
    pub(in crate::search::minimax) counts: Counts,
    /// The moves at the root.
    pub(in crate::search::minimax) root: Vec<RootMove>,
    /// A packed state, and a state for questions about bounds.
    packed: Vec<u64>,
    state: State,
}

impl Search {
    /// A search with these parts.
    pub(in crate::search::minimax) fn new(
        frontier: Frontier,
        scorer: Arc<LaneScorer>,
        table: Arc<Table>,
        moves: [usize; 2],
    ) -> Search {
        Search {
            packed: vec![0; frontier.words()],
            plies: (0..MAX_PLIES).map(|_| Ply::new(&scorer)).collect(),
            frontier,
            scorer,
            table,
            bounds: None,
            lists: ChangeLists::default(),
            unestimated: usize::MAX,
            misjudged: exact::MISJUDGED,
            history: History::new(moves),
            margins: Margins::default(),
            reductions: Reductions::default(),
            stop: Stop::new().ticker(),
            limit: u64::MAX,
            counts: Counts::default(),
            root: Vec::new(),
            state: State::new(),
        }
    }

    /// Knows what goals are still possible from now on.
    pub(in crate::search::minimax) fn set_bounds(&mut self, bounds: &GoalBounds) {
        self.bounds = Some(bounds.clone());
    }

    /// Begins a search from a packed state in which this role decides.
    ///
    /// # Errors
    /// If both roles decide in a child.
    pub(in crate::search::minimax) fn begin(
        &mut self,
        state: &[u64],
        mover: u8,
        stop: Stop,
        limit: u64,
    ) -> Result<(), Halt> {
        self.frontier.poll();
        self.stop = stop.ticker_of(BETWEEN_LOOKS);
        self.counts = Counts::default();
        self.limit = u64::MAX;
        self.history.fade();
        self.plies
            .iter_mut()
            .for_each(|ply| ply.killers = Killers::default());
        let root = &mut self.plies[0];
        root.mover = mover;
        root.is_narrow = false;
        self.scorer.go_to(&mut root.sums, state);
        root.key = root.sums.key();
        self.expand(0)?;
        self.limit = limit;
        let root = &self.plies[0];
        let moves = root.children.moves.iter().zip(&root.values).enumerate();
        self.root.clear();
        self.root
            .extend(moves.map(|(number, (&played, &value))| RootMove {
                played,
                value,
                bound: Bound::Exact,
                depth: match root.children.is_over(number) {
                    true => MAX_DEPTH,
                    false => 0,
                },
            }));
        Ok(())
    }

    /// Returns whether what one role got the other one did not, at all ends of matches that were seen.
    pub(in crate::search::minimax) fn are_opposed(&self) -> bool {
        self.frontier.are_opposed()
    }

    /// Returns the value of the root for the role that decides there, by a search of a depth with a window.
    ///
    /// # Errors
    /// When the search ends early.
    pub(in crate::search::minimax) fn search_root(
        &mut self,
        depth: i32,
        low: Value,
        high: Value,
    ) -> Result<Value, Halt> {
        let scope = Scope {
            depth,
            low,
            high,
            extensions: MAX_EXTENSIONS,
        };
        self.search(0, scope, 0)
    }

    /// How many states may still be expanded, if there is a limit.
    pub(in crate::search::minimax) fn expansions_left(&self) -> Option<u64> {
        (self.limit < u64::MAX).then(|| self.limit.saturating_sub(self.counts.expansions))
    }

    /// What is lost in a ply at most, in nearly all cases: the size of a window around a value that is expected.
    pub(in crate::search::minimax) fn window(&self) -> Value {
        self.margins.loss(1.5).max(30)
    }

    /// Goes to a child of the node at a ply, without packing its state.
    fn enter(&mut self, at: usize, child: usize) {
        let (before, after) = self.plies.split_at_mut(at + 1);
        let (ply, next) = (&before[at], &mut after[0]);
        next.from = child;
        next.key = ply.scores.keys[child];
        next.mover = ply.children.movers[child];
    }

    /// Brings the state and the sums of a ply up to date.
    fn pack(&mut self, at: usize) {
        let (before, after) = self.plies.split_at_mut(at);
        let (Some(parent), ply) = (before.last(), &mut after[0]) else {
            return;
        };
        parent.children.pack(ply.from, &mut self.packed);
        if at >= self.unestimated {
            ply.sums.set_state(&self.packed, ply.key);
            return;
        }
        ply.sums.copy_from(&parent.sums);
        self.scorer.go_to(&mut ply.sums, &self.packed);
        debug_assert_eq!(ply.key, ply.sums.key(), "keys follow the state");
    }

    /// Finds and estimates the children of the node at a ply.
    fn expand(&mut self, at: usize) -> Result<(), Halt> {
        if self.stop.is_set() || self.counts.expansions >= self.limit {
            return Err(Halt::Stopped);
        }
        self.find_children(at)?;
        self.counts.expansions += 1;
        self.counts.evaluated += self.plies[at].children.len() as u64;
        Ok(())
    }

    fn find_children(&mut self, at: usize) -> Result<(), Halt> {
        let ply = &mut self.plies[at];
        self.frontier
            .expand(ply.sums.state(), ply.mover, &mut ply.children)?;
        let is_estimated = at < self.unestimated;
        ply.take_values(&self.scorer, &mut self.lists, at, is_estimated);
        Ok(())
    }

    /// Orders the children of the node at a ply: the move that was best before comes first, then those by estimates,
    /// by what earlier searches found, and by what cut off elsewhere. Returns a value that is enough at once, if the
    /// table has one for a child.
    fn order(&mut self, at: usize, depth: i32, high: Value, first: Option<u16>) -> Option<Value> {
        self.plies[at].rank(&self.history, first);
        match depth >= 3 {
            true => self.order_by_table(at, depth, [depth - 1, depth - 3], high),
            false => {
                self.plies[at].sort();
                None
            }
        }
    }

    /// Corrects ranks by the table, and orders the children by them; a value that is enough is stored with a depth. The
    /// depths of entries are those of [`rank_by_table`](Ply::rank_by_table).
    fn order_by_table(
        &mut self,
        at: usize,
        depth: i32,
        entries: [i32; 2],
        high: Value,
    ) -> Option<Value> {
        if let Some((child, value)) = self.plies[at].rank_by_table(&self.table, at, entries, high) {
            self.store(at, value, Bound::Lower, depth, Some(child));
            return Some(value);
        }
        self.plies[at].sort();
        None
    }

    /// The move with this number in the order cut off.
    fn note_cut(&mut self, at: usize, number: usize, depth: i32) {
        let ply = &mut self.plies[at];
        let played = |&child: &u32| ply.children.moves[child as usize];
        let others = ply.order[..number].iter().map(played);
        let cutting = played(&ply.order[number]);
        self.history.note_cut(ply.mover, cutting, others, depth);
        ply.killers.add(cutting);
    }

    /// Notes what was found of a move, if this is the root.
    fn note_root(&mut self, at: usize, child: usize, value: Value, bound: Bound, depth: i32) {
        if at == 0 {
            let of = &mut self.root[child];
            (of.value, of.bound, of.depth) = (value, bound, depth);
        }
    }
}

/// Narrows the window of a node at a ply to the values that it may have. Returns a value if none is left.
fn narrow(at: usize, low: &mut Value, high: &mut Value) -> Option<Value> {
    if at > 0 {
        // Nothing is better than a win with the next move.
        *low = (*low).max(at as Value - WIN);
        *high = (*high).min(WIN - at as Value - 1);
    }
    (low >= high).then_some(*low)
}

/// How a value that was found with this window relates to the true one.
fn bound(value: Value, low: Value, high: Value) -> Bound {
    if value >= high {
        Bound::Lower
    } else if value > low {
        Bound::Exact
    } else {
        Bound::Upper
    }
}
