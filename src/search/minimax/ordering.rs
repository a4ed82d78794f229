//! The order in which moves are searched: what cut off elsewhere is likely to do so here.

use super::value::Value;
use crate::game::machine::Move;

/// How much a killer move counts.
const KILLER: Value = 200;

/// The most that history counts.
const MAX_HISTORY: i32 = 400;

/// The units of history.
const UNIT: i32 = 16;

/// Moves that cut off in another node at the same distance from the root (Akl and Newborn, "The principal continuation
/// and the killer heuristic", 1977).
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Killers([Option<Move>; 2]);

impl Killers {
    /// A move cut off.
    pub(super) fn add(&mut self, played: Move) {
        if self.0[0] != Some(played) {
            self.0 = [Some(played), self.0[0]];
        }
    }

    /// How much a move counts more.
    pub(super) fn bonus(self, played: Move) -> Value {
        match self.0.contains(&Some(played)) {
            true => KILLER,
            false => 0,
        }
    }
}

/// How often each move cut off, weighted by depth and by how long ago (Schaeffer, "The history heuristic and
/// alpha-beta search enhancements in practice", 1989).
#[derive(Clone, Debug)]
pub(super) struct History([Vec<i32>; 2]);

impl History {
    /// Nothing is known of this number of moves of each role.
    pub(super) fn new(moves: [usize; 2]) -> History {
        History(moves.map(|moves| vec![0; moves]))
    }

    /// Another search begins.
    pub(super) fn fade(&mut self) {
        self.0.iter_mut().flatten().for_each(|worth| *worth /= 8);
    }

    /// A move of a role cut off after a search of this depth; the others did not.
    pub(super) fn note_cut(
        &mut self,
        role: u8,
        played: Move,
        others: impl Iterator<Item = Move>,
        depth: i32,
    ) {
        let history = &mut self.0[usize::from(role)];
        let bonus = (depth * depth).min(MAX_HISTORY);
        // They approach the limits, and forget what was long ago.
        let mut change = |played: Move, sign: i32| {
            let worth = &mut history[played.index()];
            *worth += sign * bonus * UNIT - *worth * bonus / (2 * MAX_HISTORY);
        };
        change(played, 1);
        others.for_each(|other| change(other, -1));
    }

    /// How much a move of a role counts more or less.
    pub(super) fn bonus(&self, role: u8, played: Move) -> Value {
        let worth = self.0[usize::from(role)][played.index()];
        (worth / UNIT).clamp(-MAX_HISTORY, MAX_HISTORY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cuts_off_comes_earlier() {
        let mut history = History::new([3, 3]);
        for depth in [3, 5, 20, 20, 20] {
            history.note_cut(1, Move(2), [Move(0)].into_iter(), depth);
        }
        let of = |role| [0, 1, 2].map(|at| history.bonus(role, Move(at)));
        assert_eq!(of(0), [0; 3]);
        let [low, none, high] = of(1);
        assert!(low < -100 && none == 0 && high > 100, "{low} {high}");
        assert!(high <= MAX_HISTORY && low >= -MAX_HISTORY);
        history.fade();
        assert!(history.bonus(1, Move(2)) < high / 4);
        let mut killers = Killers::default();
        [4, 5, 5, 6]
            .into_iter()
            .for_each(|number| killers.add(Move(number)));
        assert_eq!(
            [4, 5, 6].map(|number| killers.bonus(Move(number))),
            [0, KILLER, KILLER]
        );
    }
}
