//! Search of moves whose outcomes depend on chance, and of states in which only chance plays.

use super::principal_variation::Scope;
use super::{Halt, NONE, Search};
use crate::search::minimax::average::{ALL, Average, Limits};
use crate::search::minimax::pruning;
use crate::search::minimax::value::{Value, share};

/// The depth that a state in which only chance plays takes.
const CHANCE_DEPTH: i32 = 1;

impl Search {
    /// Returns the value of the expanded node at a ply in which only chance plays, for the first side.
    pub(super) fn search_chance(&mut self, at: usize, scope: Scope) -> Result<Value, Halt> {
        let value = match scope.depth {
            ..=CHANCE_DEPTH => self.plies[at].values[0],
            depth => self.search_outcomes(at, 0, scope.with_depth(depth - CHANCE_DEPTH))?,
        };
        self.store(at, value, scope.bound(value), scope.depth, None);
        Ok(value)
    }

    /// Returns the mean of the values of the outcomes of a move, for the side that decides at a ply. Outcomes that are
    /// the same state are searched once.
    pub(super) fn search_outcomes(
        &mut self,
        at: usize,
        number: usize,
        scope: Scope,
    ) -> Result<Value, Halt> {
        let is_narrow = self.plies[at].is_narrow || scope.is_null_window();
        let places = self.plies[at].children.of_move(number);
        // Outside the best lines, it is enough that a bound is nearly certain.
        let margin = is_narrow.then(|| pruning::outcome(&self.margins, scope.depth));
        let mut rest = [0.0; 2];
        for child in places.clone() {
            let limits = self.limits(at, child, margin);
            (rest[0], rest[1]) = (rest[0] + limits[0], rest[1] + limits[1]);
        }
        let mut average = Average::new(places.len(), rest);
        for child in places.clone() {
            let keys = &self.plies[at].scores.keys;
            if keys[places.start..child].contains(&keys[child]) {
                continue;
            }
            let same = keys[child..places.end].iter();
            let same = same.filter(|&&key| key == keys[child]).count();
            let limits = self.limits(at, child, margin);
            let found = match self.plies[at].children.movers[child] {
                NONE => self.plies[at].estimate(child),
                _ => {
                    let (low, high) = average.window(same, limits, scope.low, scope.high);
                    self.search_child(at, child, is_narrow, scope.with_window(low, high))?
                }
            };
            average.add(found, same, limits);
            if let Some(value) = average.outside(scope.low, scope.high) {
                return Ok(value);
            }
        }
        Ok(average.value())
    }

    /// The shares between which an outcome is for certain, or nearly so if it hardly differs from its estimate by more
    /// than a margin.
    fn limits(&self, at: usize, child: usize, margin: Option<Value>) -> Limits {
        let estimate = self.plies[at].estimate(child);
        match margin {
            Some(margin) => [estimate - margin, estimate + margin].map(share),
            None => ALL,
        }
    }
}
