//! The moves thought best from the root on, and the positions that matter to provers.

use super::{CHANCE, MAX_PLIES, RootMove, Search};
use crate::game::machine::{Move, RoleId, State};

/// How many moves at the root, and plies of the best line, matter to provers.
const FOCUS_MOVES: usize = 3;
const FOCUS_PLIES: usize = 5;

impl Search {
    /// Returns the moves thought best from the root on, with the roles that decide, until chance plays.
    pub(in crate::search::minimax) fn best_line(&mut self, most: usize) -> Vec<(RoleId, Move)> {
        let mut line = Vec::new();
        for at in 0..most.min(MAX_PLIES - 1) {
            let best = self
                .table
                .find(self.plies[at].key)
                .and_then(|entry| entry.best);
            let Some(best) = best.map(usize::from) else {
                break;
            };
            // Without counting: this is no part of the search.
            if at > 0 {
                self.pack(at);
                if self.find_children(at).is_err() {
                    break;
                }
            }
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
