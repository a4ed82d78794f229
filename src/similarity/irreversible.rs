//! Moves that cannot be undone.

use propjit_stop::Stop;

use crate::analysis::structural_latches;
use crate::game::Game;
use crate::grid::Grids;
use crate::ground::GroundGame;
use crate::machine::{MachineError, State};

/// What tells moves that cannot be undone from others: latches, and the pieces on boards.
///
/// A move cannot be undone if a latch closes that not all moves of the position close, or if fewer
/// places of the boards are occupied after it, which is a capture. What every move closes, such as
/// that of a counter of moves, tells nothing of the move.
#[derive(Clone, Debug)]
pub(super) struct Irreversible {
    /// The propositions that stay true, and those that stay false.
    latched: [Vec<u64>; 2],
    /// The propositions that say that something is at a place of a board.
    pieces: Vec<u64>,
}

impl Irreversible {
    pub(super) fn find(
        game: &Game,
        ground: &GroundGame,
        stop: &Stop,
    ) -> Result<Irreversible, MachineError> {
        let mut latched = [State::new(), State::new()];
        for latch in structural_latches(ground) {
            latched[usize::from(!latch.value)].insert(latch.proposition);
        }
        let grids = Grids::find(game, stop)?;
        let is_piece = |proposition: &usize| {
            let text = ground.fluents(&[*proposition].into_iter().collect());
            let contents = grids.picture(&text).contents;
            contents
                .iter()
                .flatten()
                .any(|contents| !contents.is_empty())
        };
        let propositions = ground.layout().bases.len();
        let pieces: State = (0..propositions).filter(is_piece).collect();
        let words = |state: &State| {
            let mut words = state.words().to_vec();
            words.resize(propositions.div_ceil(64).max(1), 0);
            words
        };
        Ok(Irreversible {
            latched: [words(&latched[0]), words(&latched[1])],
            pieces: words(&pieces),
        })
    }

    /// Which of the moves that lead from one state to these cannot be undone. States are packed.
    pub(super) fn moves(&self, before: &[u64], after: &[&[u64]]) -> Vec<bool> {
        let [stay_true, stay_false] = &self.latched;
        let closed = |after: &[u64], word: usize| {
            let (old, new) = (before[word], after[word]);
            (!old & new & stay_true[word]) | (old & !new & stay_false[word])
        };
        let words = 0..before.len();
        let by_all: Vec<u64> = (words.clone())
            .map(|word| {
                after
                    .iter()
                    .fold(!0, |all, after| all & closed(after, word))
            })
            .collect();
        let count = |state: &[u64]| -> u32 {
            let pieces = state.iter().zip(&self.pieces);
            pieces
                .map(|(state, pieces)| (state & pieces).count_ones())
                .sum()
        };
        let pieces = count(before);
        let cannot = |after: &&[u64]| {
            let closes = words
                .clone()
                .any(|word| closed(after, word) & !by_all[word] != 0);
            closes || count(after) < pieces
        };
        after.iter().map(cannot).collect()
    }
}
