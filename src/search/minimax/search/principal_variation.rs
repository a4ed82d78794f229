//! Principal variation search to a depth (Marsland and Campbell, "Parallel search of strongly ordered game trees", 1982).
//! What is pruned, reduced or extended depends on [margins](crate::search::minimax::margins::Margins) learned on the way.

use super::{Halt, MAX_DEPTH, MAX_PLIES, Search, bound, narrow};
use crate::search::minimax::pruning;
use crate::search::minimax::sides::{CHANCE, viewpoint};
use crate::search::minimax::table::{Bound, PROVED};
use crate::search::minimax::value::{INFINITE, Value, WIN, is_decided};

/// How many plies a line may be extended.
pub(super) const MAX_EXTENSIONS: i32 = 4;

/// How many noisy children of a node of depth 1 are searched further.
const MAX_NOISY: usize = 6;

/// How a node is searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    /// The number of plies.
    pub depth: i32,
    /// The window: values up to the lower one, and from the higher one on, need not be told apart.
    pub low: Value,
    pub high: Value,
    /// How many plies a line may still be extended.
    pub extensions: i32,
}

impl Scope {
    /// As the other side sees it.
    fn reversed(self) -> Scope {
        Scope {
            low: -self.high,
            high: -self.low,
            ..self
        }
    }

    /// With another depth.
    pub(super) fn with_depth(self, depth: i32) -> Scope {
        Scope { depth, ..self }
    }

    /// With another window.
    pub(super) fn with_window(self, low: Value, high: Value) -> Scope {
        Scope { low, high, ..self }
    }

    /// Whether all that matters is which side of the window the value is on.
    pub(super) fn is_null_window(self) -> bool {
        self.high - self.low <= 1
    }

    /// How a value that was found relates to the true one.
    pub(super) fn bound(self, value: Value) -> Bound {
        bound(value, self.low, self.high)
    }
}

impl Search {
    /// Returns the value of the node at a ply for the side that decides there, or the first one where only chance
    /// plays. It is estimated as `estimate`.
    pub(super) fn search(
        &mut self,
        at: usize,
        mut scope: Scope,
        estimate: Value,
    ) -> Result<Value, Halt> {
        let is_open = !scope.is_null_window() && !self.plies[at].is_narrow;
        if let Some(value) = narrow(at, &mut scope.low, &mut scope.high) {
            return Ok(value);
        }
        let Scope {
            depth, low, high, ..
        } = scope;
        let (mut first, known) = self.look_up(at, depth, low, high);
        if let Some((value, bound)) = known
            && (!is_open || bound == Bound::Exact)
        {
            return Ok(value);
        }
        if at + 2 >= MAX_PLIES {
            return Ok(estimate);
        }
        let is_decisive = [low, high, estimate].into_iter().any(is_decided);
        let is_quiet = !is_open && at > 0 && !is_decisive;
        if is_quiet
            && let Some(sure) = pruning::sure_value(&self.margins, estimate, depth)
            && sure >= high
        {
            return Ok(sure);
        }
        if is_quiet
            && let Some(most) = pruning::greatest_value(&self.margins, estimate, depth)
            && most <= low
        {
            return Ok(most);
        }
        if at > 0 {
            self.pack(at);
            if let Some(value) = self.certain_value(at, low, high) {
                return Ok(value);
            }
            self.expand(at)?;
        }
        let win = WIN - (at as Value + 1);
        if let Some(won) = self.plies[at].values.iter().position(|&value| value == win) {
            self.store(at, win, Bound::Exact, i32::from(PROVED), Some(won));
            self.note_root(at, won, win, Bound::Exact, MAX_DEPTH);
            return Ok(win);
        }
        if self.plies[at].mover == CHANCE {
            return self.search_chance(at, scope);
        }
        let is_outside = estimate <= low || estimate >= high;
        if is_quiet
            && is_outside
            && let Some((shallow, margin)) = pruning::probe(&self.margins, depth)
        {
            let shallow = scope.with_depth(shallow);
            if let Some(value) = self.probe(at, shallow, margin, estimate, first)? {
                return Ok(value);
            }
            first = self.look_up(at, depth, low, high).0.or(first);
        }
        match depth {
            ..=1 => self.search_noisy(at, scope, estimate),
            _ => self.search_children(at, scope, estimate, first),
        }
    }

    /// Searches an expanded node to a depth that is less than it should be, on the side of the window on which its estimate
    /// is. Returns a value if that is so far outside that a deeper search would hardly find another.
    fn probe(
        &mut self,
        at: usize,
        scope: Scope,
        margin: Value,
        estimate: Value,
        first: Option<u16>,
    ) -> Result<Option<Value>, Halt> {
        let is_above = estimate >= scope.high;
        let (below, towards) = match is_above {
            true => (scope.high + margin - 1, -margin),
            false => (scope.low - margin, margin),
        };
        let scope = Scope {
            extensions: 0,
            ..scope.with_window(below, below + 1)
        };
        let found = self.search_children(at, scope, estimate, first)?;
        let is_outside = is_above == (found > below);
        // What is proved is so at any depth.
        let value = if is_decided(found) {
            found
        } else {
            found + towards
        };
        Ok(is_outside.then_some(value))
    }

    /// Returns the value of an expanded node by its children, of which those that gain much are searched further.
    fn search_noisy(&mut self, at: usize, scope: Scope, estimate: Value) -> Result<Value, Halt> {
        let noise = self.margins.noise();
        let most = self.plies[at].greatest().unwrap_or(0);
        if at > 0 && !is_decided(most) {
            self.margins.note_gain(most - estimate);
        }
        let further = Scope {
            depth: 1,
            extensions: scope.extensions - 1,
            ..scope
        };
        let mut searched = Vec::new();
        let (best, value) = loop {
            let ply = &self.plies[at];
            let best = ply
                .values
                .iter()
                .enumerate()
                .rev()
                .max_by_key(|(_, value)| **value);
            let Some((best, &value)) = best else {
                return Ok(0);
            };
            let is_known = searched.contains(&best) || ply.children.is_over(best);
            let is_quiet = at > 0 && value - estimate < noise;
            let is_enough = searched.len() >= MAX_NOISY || scope.extensions == 0;
            if is_known || is_quiet || is_enough || value <= scope.low || is_decided(value) {
                break (best, value);
            }
            searched.push(best);
            let found = self.search_move(at, best, further)?;
            self.plies[at].values[best] = found;
        };
        if at > 0 && !is_decided(value) {
            self.margins.note_loss(estimate - value);
        }
        let bound = scope.bound(value);
        self.note_root(at, best, value, bound, 1);
        self.store(at, value, bound, 1, Some(best));
        Ok(value)
    }

    /// Returns the value of an expanded node by a search of its children.
    fn search_children(
        &mut self,
        at: usize,
        scope: Scope,
        estimate: Value,
        first: Option<u16>,
    ) -> Result<Value, Halt> {
        let depth = scope.depth;
        if let Some(value) = self.order(at, depth, scope.high, first) {
            return Ok(value);
        }
        let is_wide = !scope.is_null_window();
        let is_open = is_wide && !self.plies[at].is_narrow;
        let count = self.plies[at].values.len();
        let most = self.plies[at].greatest().unwrap_or(estimate);
        let gain = pruning::greatest_gain(&self.margins, depth);
        let noise = self.margins.noise();
        // The rest of the window, for moves a ply below.
        let mut rest = scope.with_depth(depth - 1);
        let (mut best, mut value) = (None, -INFINITE);
        for number in 0..count {
            let ply = &self.plies[at];
            let child = ply.order[number] as usize;
            let expected = ply.values[child];
            let is_over = ply.children.is_over(child);
            let is_noisy = at > 0 && expected - estimate > noise;
            let may_skip = !is_open && number > 0 && !is_decided(value) && !is_over;
            if let Some(gain) = gain.filter(|_| may_skip && !is_decided(rest.low))
                && expected + gain <= rest.low
            {
                value = value.max(expected + gain);
                continue;
            }
            if may_skip && !is_noisy && pruning::is_late(number, depth) {
                continue;
            }
            let found = if is_over {
                expected
            } else if number == 0 {
                self.search_move(at, child, rest)?
            } else {
                let matter = i32::from(is_open) + i32::from(is_noisy);
                let less =
                    (self.reductions).of(&self.margins, depth, number, most - expected, matter);
                let is_better = rest.with_window(rest.low, rest.low + 1);
                let reduced = is_better.with_depth(rest.depth - less);
                let mut found = self.search_move(at, child, reduced)?;
                if found > rest.low && less > 0 {
                    found = self.search_move(at, child, is_better)?;
                }
                if found > rest.low && found < rest.high && is_wide {
                    found = self.search_move(at, child, rest)?;
                }
                found
            };
            self.note_root(at, child, found, rest.bound(found), depth);
            value = value.max(found);
            if found > rest.low {
                (rest.low, best) = (found, Some(child));
                if found >= rest.high {
                    self.note_cut(at, number, depth);
                    break;
                }
            }
        }
        self.store(at, value, scope.bound(value), depth, best);
        Ok(value)
    }

    /// Returns the value of a move for the side that decides at a ply.
    fn search_move(&mut self, at: usize, number: usize, scope: Scope) -> Result<Value, Halt> {
        if self.plies[at].children.outcomes > 1 {
            return self.search_outcomes(at, number, scope);
        }
        let is_narrow = self.plies[at].is_narrow;
        self.search_child(at, number, is_narrow, scope)
    }

    /// Returns the value of a child for the side that a ply is valued for. If `is_narrow`, the search is for a bound,
    /// though the window may be wide.
    pub(super) fn search_child(
        &mut self,
        at: usize,
        child: usize,
        is_narrow: bool,
        scope: Scope,
    ) -> Result<Value, Halt> {
        self.enter(at, child);
        self.plies[at + 1].is_narrow = is_narrow;
        let estimate = self.plies[at].estimate(child);
        match viewpoint(self.plies[at + 1].mover) == viewpoint(self.plies[at].mover) {
            true => self.search(at + 1, scope, estimate),
            false => Ok(-self.search(at + 1, scope.reversed(), -estimate)?),
        }
    }
}
