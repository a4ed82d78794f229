//! The moves thought best from the root on, and the positions that matter to provers.

use super::{CHANCE, MAX_PLIES, RootMove, Search};
use crate::game::machine::{Move, RoleId, State};
use crate::search::minimax::sides::NONE;
use crate::search::minimax::table::{Bound, Entry, PROVED};
use crate::search::minimax::value::{INFINITE, Value, WIN};

/// How many moves at the root, and plies of the best line, matter to provers.
const FOCUS_MOVES: usize = 3;
const FOCUS_PLIES: usize = 5;

impl Search {
    /// Returns the moves thought best from the root on, with the roles that decide, until chance plays.
    pub(in crate::search::minimax) fn best_line(&mut self, most: usize) -> Vec<(RoleId, Move)> {
        let mut line = Vec::new();
        for at in 0..most.min(MAX_PLIES - 1) {
            // Without counting: this is no part of the search.
            if at > 0 {
                self.pack(at);
                if self.find_children(at).is_err() {
                    break;
                }
            }
            let entry = self.table.find(self.plies[at].key);
            let known = entry.and_then(|entry| entry.best).map(usize::from);
            let best = known.or_else(|| self.best_of_proved(at));
            let Some(best) = best else {
                break;
            };
            let ply = &self.plies[at];
            let Some(&played) = ply.children.moves.get(best) else {
                break;
            };
            line.push((self.frontier.sides().role(ply.mover), played));
            if ply.children.outcomes > 1 {
                break;
            }
            self.enter(at, best);
            if self.plies[at + 1].mover >= CHANCE {
                break;
            }
        }
        line
    }

    /// Returns the first move of those that are proved to be best. A search to the ends notes none where it found that no move
    /// is better than what it asked for, as in a lost position, and where the table had a reply that was enough.
    fn best_of_proved(&self, at: usize) -> Option<usize> {
        let ply = &self.plies[at];
        if ply.children.outcomes > 1 {
            return None;
        }
        let bounds = (0..ply.children.moves.len()).map(|child| {
            if ply.children.movers[child] == NONE {
                return (ply.values[child], ply.values[child]);
            }
            let entry = ply.entry_of(child, &self.table, at);
            match entry.filter(|entry| entry.depth == PROVED) {
                None => (-INFINITE, INFINITE),
                Some(Entry { value, bound, .. }) => match bound {
                    Bound::Exact => (value, value),
                    Bound::Lower => (value, INFINITE),
                    Bound::Upper => (-INFINITE, value),
                },
            }
        });
        // All wins are as good, and all losses as bad, no matter how long the match lasts.
        let alike = |value: Value| value.clamp(-WIN / 2, WIN / 2);
        let bounds: Vec<_> = bounds
            .map(|(low, high)| (alike(low), alike(high)))
            .collect();
        let most = bounds.iter().map(|&(_, high)| high).max()?;
        bounds.iter().position(|&(low, _)| low == most)
    }

    /// Returns the positions that matter: the root, the states after its best moves, which come in this order, and
    /// those of the best line.
    pub(in crate::search::minimax) fn focus(&mut self, best: &[RootMove]) -> Vec<State> {
        let mut states = vec![State::from_words(self.plies[0].sums.state())];
        for of in best.iter().take(FOCUS_MOVES).rev() {
            let mut moves = self.plies[0].children.moves.iter();
            let is_certain = self.plies[0].children.outcomes == 1;
            if let Some(child) = moves.position(|&played| is_certain && played == of.played) {
                self.enter(0, child);
                self.pack(1);
                if self.plies[1].mover < CHANCE {
                    states.insert(1, State::from_words(self.plies[1].sums.state()));
                }
            }
        }
        let line = self.best_line(FOCUS_PLIES).len();
        states.extend((2..line).map(|at| State::from_words(self.plies[at].sums.state())));
        states
    }
}
