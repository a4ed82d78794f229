//! The moves that matches are made of, whenever they were made: what a search needs for all moves
//! as first (AMAF), as in rapid action value estimation (RAVE).
//!
//! Each lane's moves are added to a set, bit-sliced, as they are chosen, which takes an operation for
//! each move that is legal in some lane. They are read when the match ends.

use propjit_jit::lanes::Width;
use propjit_jit::lanes::select::Selector;

use super::move_numbers::MoveNumbers;
use crate::lane_mask::LaneMask;
use crate::machine::RoleId;
use crate::state::ones;

/// What playouts were made of: the goals of each, and the numbers of the moves that were made in it.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct PlayedMoves {
    goals: Vec<i32>,
    moves: Vec<u32>,
    /// Where the moves of each playout end.
    ends: Vec<usize>,
}

impl PlayedMoves {
    /// Forgets all of them.
    pub(super) fn clear(&mut self) {
        self.goals.clear();
        self.moves.clear();
        self.ends.clear();
    }

    /// Adds a playout.
    pub(super) fn add(&mut self, goals: impl Iterator<Item = i32>, moves: &[u32]) {
        self.goals.extend(goals);
        self.moves.extend_from_slice(moves);
        self.ends.push(self.moves.len());
    }

    /// The goals of each playout, and the numbers of its moves.
    pub fn each(&self) -> impl Iterator<Item = (&[i32], &[u32])> {
        let roles = self.goals.len() / self.ends.len().max(1);
        let starts = std::iter::once(&0).chain(&self.ends);
        let moves = starts.zip(&self.ends);
        let moves = moves.map(|(&start, &end)| &self.moves[start..end]);
        self.goals.chunks_exact(roles.max(1)).zip(moves)
    }
}

/// The moves of the matches that run, in lanes.
#[derive(Debug)]
pub(super) struct LaneMoves {
    numbers: MoveNumbers,
    width: Width,
    /// A row for each move: where it was made.
    rows: Vec<u64>,
    /// The moves that were made in some lane.
    made: Vec<u32>,
    /// The moves of each lane whose match ends.
    ended: Vec<Vec<u32>>,
}

impl LaneMoves {
    /// No moves yet.
    pub(super) fn new(numbers: MoveNumbers, width: Width) -> LaneMoves {
        LaneMoves {
            rows: vec![0; numbers.count() * width.words()],
            made: Vec::new(),
            ended: vec![Vec::new(); width.lanes()],
            numbers,
            width,
        }
    }

    pub(super) fn numbers(&self) -> &MoveNumbers {
        &self.numbers
    }

    /// The same without moves, for lanes of this width.
    pub(super) fn renew(&mut self, width: Width) {
        *self = LaneMoves::new(self.numbers.clone(), width);
    }

    /// Adds the rows that a role's selector has chosen.
    pub(super) fn note(&mut self, role: RoleId, selector: &Selector, chosen: &[u64]) {
        let words = self.width.words();
        let first = self.numbers.of(role).start;
        let chosen = chosen.chunks_exact(words);
        let rows = self.rows[first * words..].chunks_exact_mut(words);
        let mut rows = rows.zip(chosen);
        let mut before = 0;
        for &place in selector.listed() {
            let next = rows.nth(place as usize - before);
            before = place as usize + 1;
            let Some((row, chosen)) = next else {
                return;
            };
            let (mut any, mut new) = (0, 0);
            for (word, &chosen) in row.iter_mut().zip(chosen) {
                any |= *word;
                new |= chosen;
                *word |= chosen;
            }
            if any == 0 && new != 0 {
                self.made.push(first as u32 + place);
            }
        }
    }

    /// Takes out the moves of the lanes whose matches end.
    pub(super) fn end(&mut self, ended: LaneMask) {
        for lane in ended.lanes() {
            self.ended[lane].clear();
        }
        let ended = ended.words(self.width);
        let (rows, lists) = (&mut self.rows, &mut self.ended);
        self.made.retain(|&number| {
            let row = &mut rows[number as usize * ended.len()..][..ended.len()];
            let mut left = 0;
            for (word, (ended, first)) in row.iter_mut().zip(ended.iter().zip((0..).step_by(64))) {
                for bit in ones(std::iter::once(*word & ended)) {
                    lists[first + bit].push(number);
                }
                *word &= !ended;
                left |= *word;
            }
            left != 0
        });
    }

    /// The moves of a lane whose match has just ended.
    pub(super) fn of(&self, lane: usize) -> &[u32] {
        &self.ended[lane]
    }
}
