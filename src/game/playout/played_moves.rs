//! The moves that matches are made of, whenever they were made: what a search needs for all moves
//! as first (AMAF), as in rapid action value estimation (RAVE).
//!
//! Where moves leave [marks](crate::game::ground::MoveMarks), they are read off the last state of a match. Elsewhere, each lane's
//! moves are listed as they are chosen, and read when the match ends. Those that are the only ones in all
//! lanes, as a role has that does not decide, are many and tell little: of these it is kept where they were made, a bit for
//! each lane.

use propjit_jit::lanes::Width;
use propjit_jit::lanes::select::Selector;

use super::move_numbers::MoveNumbers;
use crate::game::machine::RoleId;
use crate::game::vocabulary::lane_mask::LaneMask;
use crate::game::vocabulary::state::ones;

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
    /// What was noted of them; nothing if they are read off states.
    noted: Option<NotedMoves>,
    /// The moves of each lane whose match ended last.
    ended: Vec<Vec<u32>>,
}

/// Moves that are noted when they are chosen.
#[derive(Debug)]
struct NotedMoves {
    /// The moves of each lane.
    made: Vec<Vec<u32>>,
    /// The lanes in which moves were made that were the only ones, besides.
    forced: Vec<(u32, LaneMask)>,
    /// How many matches have ended, and for each move, which of these was the last one in which it was made.
    matches: u64,
    seen: Vec<u64>,
}

impl LaneMoves {
    /// No moves yet. They are to be [noted](LaneMoves::note), or else read off [marks](LaneMoves::read).
    pub(super) fn new(numbers: MoveNumbers, width: Width, are_noted: bool) -> LaneMoves {
        let lists = || vec![Vec::new(); width.lanes()];
        let noted = || NotedMoves {
            made: lists(),
            forced: Vec::new(),
            matches: 0,
            seen: vec![0; numbers.count()],
        };
        LaneMoves {
            noted: are_noted.then(noted),
            ended: lists(),
            numbers,
        }
    }

    pub(super) fn numbers(&self) -> &MoveNumbers {
        &self.numbers
    }

    /// The same without moves, for lanes of this width.
    pub(super) fn renew(&mut self, width: Width) {
        *self = LaneMoves::new(self.numbers.clone(), width, self.noted.is_some());
    }

    /// Adds what a role's selector has chosen, in rows of this width, if moves are noted.
    pub(super) fn note(&mut self, width: Width, role: RoleId, selector: &Selector, chosen: &[u64]) {
        let Some(NotedMoves { made, forced, .. }) = &mut self.noted else {
            return;
        };
        let first = self.numbers.of(role).start as u32;
        let row = |place: u32| &chosen[place as usize * width.words()..][..width.words()];
        if let &[only] = selector.listed() {
            let (number, lanes) = (first + only, LaneMask::from_words(row(only)));
            match forced.iter_mut().find(|(known, _)| *known == number) {
                Some((_, known)) => *known = known.or(lanes),
                None => forced.push((number, lanes)),
            }
            return;
        }
        for &place in selector.listed() {
            for lane in ones(row(place).iter().copied()) {
                made[lane].push(first + place);
            }
        }
    }

    /// Takes out the moves of the lanes whose matches end, each move once: those that were noted.
    pub(super) fn end(&mut self, ended: LaneMask) {
        let Some(noted) = &mut self.noted else {
            return;
        };
        for lane in ended.lanes() {
            self.ended[lane].clear();
            noted.matches += 1;
            let made = noted.made[lane].drain(..);
            let forced = noted.forced.iter();
            let forced = forced.filter(|(_, lanes)| lanes.contains(lane));
            for number in made.chain(forced.map(|&(number, _)| number)) {
                let seen = &mut noted.seen[number as usize];
                if std::mem::replace(seen, noted.matches) != noted.matches {
                    self.ended[lane].push(number);
                }
            }
        }
        for (_, lanes) in &mut noted.forced {
            *lanes = lanes.and_not(ended);
        }
    }

    /// Reads the marks off the last states, in rows of this width, of the lanes whose matches end. Those that are
    /// older than the match are among them.
    pub(super) fn read(
        &mut self,
        ended: LaneMask,
        width: Width,
        state: &[u64],
        marks: &[(u32, usize)],
    ) {
        for lane in ended.lanes() {
            let (word, bit) = (lane / 64, lane % 64);
            let is_made = |place: usize| state[place * width.words() + word] >> bit & 1;
            let made = &mut self.ended[lane];
            // Most marks are as likely there as not: branches would often be mispredicted.
            made.resize(marks.len(), 0);
            let mut count = 0;
            for &(number, place) in marks {
                made[count] = number;
                count += is_made(place) as usize;
            }
            made.truncate(count);
        }
    }

    /// The moves of a lane whose match has just ended.
    pub(super) fn of(&self, lane: usize) -> &[u32] {
        &self.ended[lane]
    }
}
