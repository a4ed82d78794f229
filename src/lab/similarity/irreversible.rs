//! Detection of irreversible moves.

use propjit_stop::Stop;

use crate::game::boards::Grids;
use crate::game::facts::structural_latches;
use crate::game::ground::GroundGame;
use crate::game::load::Game;
use crate::game::machine::{MachineError, State};

/// The propositions that identify moves that cannot be undone: latches, and the pieces on boards.
///
/// A move cannot be undone if it closes a latch, or if fewer places of the boards are occupied after
/// it, which is a capture. A latch that closes after any move, such as that of a counter of moves,
/// does not identify the move.
#[derive(Clone, Debug)]
pub(super) struct Irreversible {
    /// The propositions that stay true, and those that stay false.
    latched: [Vec<u64>; 2],
    /// The propositions that describe the content of a place of a board.
    pieces: Vec<u64>,
}

impl Irreversible {
    pub(super) fn find(
        game: &Game,
        ground: &GroundGame,
        stop: &Stop,
    ) -> Result<Irreversible, MachineError> {
        // In the rules, a latch may depend on the fact that some move is made; after passes it does
        // not.
        let (circuit, layout) = (&ground.min_gates().circuit, ground.layout());
        let moves = layout.does.iter().cloned().flatten();
        let by_moves = circuit.influence(moves.map(|input| circuit.inputs()[input]));
        let mut latched = [State::new(), State::new()];
        for latch in structural_latches(ground) {
            let next = circuit.outputs()[layout.next.start + latch.proposition];
            if by_moves.contains(next.node()) {
                latched[usize::from(!latch.value)].insert(latch.proposition);
            }
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
        let propositions = layout.bases.len();
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

    /// Returns whether the move that leads from one state to another one cannot be undone. States are
    /// packed.
    pub(super) fn cannot_be_undone(&self, before: &[u64], after: &[u64]) -> bool {
        let [stay_true, stay_false] = &self.latched;
        let closes = (0..before.len()).any(|word| {
            let (old, new) = (before[word], after[word]);
            let closed = (!old & new & stay_true[word]) | (old & !new & stay_false[word]);
            closed != 0
        });
        let count = |state: &[u64]| -> u32 {
            let pieces = state.iter().zip(&self.pieces);
            pieces
                .map(|(state, pieces)| (state & pieces).count_ones())
                .sum()
        };
        closes || count(after) < count(before)
    }
}
