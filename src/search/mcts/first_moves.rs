//! All moves as first: what playouts tell of the moves that were made in them at any time.
//!
//! A playout below a node says something of each move that the role which decides in the node makes in
//! it, as if it had been made first; so a few playouts tell of many moves (Gelly and Silver,
//! "Monte-Carlo tree search and rapid action value estimation in computer Go", 2011). That is right
//! where it matters little when a move is made, as for stones that stay where they are put. In hex a
//! playout tells of some sixty moves, in breakthrough of three, at the cost of the time to look.

use super::descent::Path;
use super::node::Decider;
use super::tree::Tree;
use crate::machine::{Move, RoleId};
use crate::playout::MoveNumbers;

/// Of how many moves in the root a playout has to tell.
const LEAST_MOVES: f64 = 20.0;

/// After how many playouts this is looked at.
const TRIAL: u64 = 1000;

/// How a search looks at all moves as first.
#[derive(Debug)]
pub(super) struct FirstMoves {
    /// How many visits of an edge count as much as any number of playouts with its move.
    pub visits: f32,
    made: MadeMoves,
    /// While it is to be found out whether playouts tell of many moves: how many they were, and how
    /// many moves in the root they told of.
    trial: Option<(u64, u64)>,
}

impl FirstMoves {
    /// Looks at the moves with these numbers, always or if that turns out to be of use.
    pub(super) fn new(visits: f32, numbers: MoveNumbers, is_on_trial: bool) -> FirstMoves {
        FirstMoves {
            visits,
            made: MadeMoves::new(numbers),
            trial: is_on_trial.then_some((0, 0)),
        }
    }

    /// Whether it has turned out that playouts tell of few moves.
    pub(super) fn are_few(&mut self) -> bool {
        let ended = self.trial.filter(|(playouts, _)| *playouts >= TRIAL);
        let Some((playouts, told)) = ended else {
            return false;
        };
        self.trial = None;
        let moves = told as f64 / playouts as f64;
        tracing::debug!(moves, "of how many moves a playout tells");
        moves < LEAST_MOVES
    }
}

/// A set of moves of all roles.
#[derive(Debug)]
struct MadeMoves {
    numbers: MoveNumbers,
    /// Which are in the set, by number.
    bits: Vec<u64>,
    /// The words that may be other than 0.
    touched: Vec<usize>,
}

impl MadeMoves {
    fn new(numbers: MoveNumbers) -> MadeMoves {
        MadeMoves {
            bits: vec![0; numbers.count().div_ceil(64)],
            touched: Vec::new(),
            numbers,
        }
    }

    /// Makes it the set of the moves with these numbers.
    fn assign(&mut self, numbers: &[u32]) {
        for word in self.touched.drain(..) {
            self.bits[word] = 0;
        }
        for &number in numbers {
            self.set(number as usize);
        }
    }

    fn insert(&mut self, role: RoleId, played: Move) {
        self.set(self.number(role, played));
    }

    fn contains(&self, role: RoleId, played: Move) -> bool {
        let number = self.number(role, played);
        self.bits[number / 64] >> (number % 64) & 1 != 0
    }

    fn number(&self, role: RoleId, played: Move) -> usize {
        self.numbers.of(role).start + played.0 as usize
    }

    fn set(&mut self, number: usize) {
        self.bits[number / 64] |= 1 << (number % 64);
        self.touched.push(number / 64);
    }
}

impl Tree {
    /// Adds a playout from the end of a path: the goals, and the numbers of the moves made in it. Those
    /// on the path count as well.
    pub(super) fn back_up_moves(
        &self,
        path: &Path,
        goals: &[i32],
        moves: &[u32],
        first_moves: &mut FirstMoves,
    ) {
        let made = &mut first_moves.made;
        made.assign(moves);
        let mut told = 0;
        for (id, inside, place) in path.edges() {
            let decision = self.decision(inside);
            let Decider::One(role) = self.node(id).meta().decider() else {
                continue;
            };
            made.insert(role, decision.edge(place).played());
            let value = self.ranges()[role.index()].to_unit(goals[role.index()] as f32);
            told = 0;
            for edge in decision.each() {
                if made.contains(role, edge.played()) {
                    edge.add_as_first(value);
                    told += 1;
                }
            }
        }
        if let Some((playouts, of_all)) = &mut first_moves.trial {
            (*playouts, *of_all) = (*playouts + 1, *of_all + told);
        }
    }
}
