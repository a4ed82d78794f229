//! AMAF move records: the moves of a match, regardless of when they were made, as a search needs
//! them for all-moves-as-first (AMAF) statistics such as rapid action value estimation (RAVE).
//!
//! If moves leave [marks](crate::game::ground::MoveMarks), they are read off the last state of a match. Otherwise, each
//! lane's moves are listed as they are chosen, and read when the match ends. Moves that are the only ones in all lanes,
//! such as those of a role without a choice, are many and carry little information: for these, a bit for each lane
//! records where they were made.

use propjit_jit::lanes::Width;
use propjit_jit::lanes::select::Selector;

use super::move_numbers::MoveNumbers;
use crate::game::machine::RoleId;
use crate::game::vocabulary::lane_mask::LaneMask;
use crate::game::vocabulary::state::ones;

/// Records of playouts: the goals of each, and the numbers of its moves.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct PlayedMoves {
    goals: Vec<i32>,
    moves: Vec<u32>,
    /// The ends of the moves of each playout.
    ends: Vec<usize>,
}

impl PlayedMoves {
    /// Removes all of them.
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

    /// Returns the goals of each playout, and the numbers of its moves.
    pub fn each(&self) -> impl Iterator<Item = (&[i32], &[u32])> {
        let roles = self.goals.len() / self.ends.len().max(1);
        let starts = std::iter::once(&0).chain(&self.ends);
        let moves = starts.zip(&self.ends);
        let moves = moves.map(|(&start, &end)| &self.moves[start..end]);
        self.goals.chunks_exact(roles.max(1)).zip(moves)
    }
}

/// The moves of the running matches, in lanes.
#[derive(Debug)]
pub(super) struct LaneMoves {
    numbers: MoveNumbers,
    /// The recorded moves; `None` if they are read off states.
    noted: Option<NotedMoves>,
    /// The moves of the match that ended last, for each lane.
    ended: Vec<Vec<u32>>,
}

/// Moves that are recorded when they are chosen.
#[derive(Debug)]
struct NotedMoves {
    /// The moves of each lane.
    made: Vec<Vec<u32>>,
    /// For each move that was the only one, the lanes in which it was made.
    forced: Vec<(u32, LaneMask)>,
    /// The number of ended matches, and for each move, the last of these in which it was made.
    matches: u64,
    seen: Vec<u64>,
}

impl LaneMoves {
    /// Creates it without moves. They are to be [recorded](LaneMoves::note), or else read off
    /// [marks](LaneMoves::read).
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

    /// Removes all moves, for lanes of this width.
    pub(super) fn renew(&mut self, width: Width) {
        *self = LaneMoves::new(self.numbers.clone(), width, self.noted.is_some());
    }

    /// Adds the moves that a role's selector has chosen, in rows of this width, if moves are
    /// recorded.
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

    /// Takes out the recorded moves of the lanes in which matches end, each move once.
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

    /// Reads the marks off the last states, in rows of this width, of the lanes in which matches end. Marks that
    /// are older than the match are among them.
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
            // Most marks are about as likely present as absent: branches would often be
            // mispredicted.
            made.resize(marks.len(), 0);
            let mut count = 0;
            for &(number, place) in marks {
                made[count] = number;
                count += is_made(place) as usize;
            }
            made.truncate(count);
        }
    }

    /// Returns the moves of a lane in which a match has just ended.
    pub(super) fn of(&self, lane: usize) -> &[u32] {
        &self.ended[lane]
    }
}
