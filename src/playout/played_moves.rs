//! The moves that matches are made of, whenever they were made: what a search needs for all moves
//! as first (AMAF), as in rapid action value estimation (RAVE).
//!
//! Each lane's moves are listed as they are chosen, and read when the match ends. Those that are the only ones in all
//! lanes, as a role has that does not decide, are many and tell little: of these it is kept where they were made, a bit for
//! each lane.

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
    /// The moves of each lane.
    made: Vec<Vec<u32>>,
    /// The lanes in which moves were made that were the only ones, besides.
    forced: Vec<(u32, LaneMask)>,
    /// The moves of each lane whose match ended last.
    ended: Vec<Vec<u32>>,
    /// How many matches have ended, and for each move, which of these was the last one in which it was made.
    matches: u64,
    seen: Vec<u64>,
}

impl LaneMoves {
    /// No moves yet.
    pub(super) fn new(numbers: MoveNumbers, width: Width) -> LaneMoves {
        let [made, ended] = [(); 2].map(|()| vec![Vec::new(); width.lanes()]);
        LaneMoves {
            made,
            forced: Vec::new(),
            ended,
            matches: 0,
            seen: vec![0; numbers.count()],
            numbers,
        }
    }

    pub(super) fn numbers(&self) -> &MoveNumbers {
        &self.numbers
    }

    /// The same without moves, for lanes of this width.
    pub(super) fn renew(&mut self, width: Width) {
        *self = LaneMoves::new(self.numbers.clone(), width);
    }

    /// Adds what a role's selector has chosen, in rows of this width.
    pub(super) fn note(&mut self, width: Width, role: RoleId, selector: &Selector, chosen: &[u64]) {
        let first = self.numbers.of(role).start as u32;
        let row = |place: u32| &chosen[place as usize * width.words()..][..width.words()];
        if let &[only] = selector.listed() {
            let (number, lanes) = (first + only, LaneMask::from_words(row(only)));
            match self.forced.iter_mut().find(|(known, _)| *known == number) {
                Some((_, known)) => *known = known.or(lanes),
                None => self.forced.push((number, lanes)),
            }
            return;
        }
        for &place in selector.listed() {
            for lane in ones(row(place).iter().copied()) {
                self.made[lane].push(first + place);
            }
        }
    }

    /// Takes out the moves of the lanes whose matches end, each move once.
    pub(super) fn end(&mut self, ended: LaneMask) {
        for lane in ended.lanes() {
            self.ended[lane].clear();
            self.matches += 1;
            let made = self.made[lane].drain(..);
            let forced = self.forced.iter();
            let forced = forced.filter(|(_, lanes)| lanes.contains(lane));
            for number in made.chain(forced.map(|&(number, _)| number)) {
                let seen = &mut self.seen[number as usize];
                if std::mem::replace(seen, self.matches) != self.matches {
                    self.ended[lane].push(number);
                }
            }
        }
        for (_, lanes) in &mut self.forced {
            *lanes = lanes.and_not(ended);
        }
    }

    /// The moves of a lane whose match has just ended.
    pub(super) fn of(&self, lane: usize) -> &[u32] {
        &self.ended[lane]
    }
}
