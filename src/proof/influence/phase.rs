//! Influences in one phase of a game.

use propjit_stop::Stop;

use super::InfluenceError;
use super::bit_matrix::BitMatrix;
use super::effects::effects;
use super::nonterminal::assume_false;
use super::support::{Cones, supports};
use crate::game::circuits::reasons::PhaseCircuit;
use crate::game::ground::GroundGame;

/// The number of bits that the matrices of a phase may have: 256 MiB.
const MAX_BITS: usize = 1 << 31;

/// A step from one phase to the next.
#[derive(Debug)]
pub(super) struct PhaseStep {
    /// By number, for each move of the game: whether it may be legal in the phase.
    pub(super) live: Vec<bool>,
    /// By number, for each move of the game: the propositions that it touches, ascending.
    pub(super) touched: Vec<Vec<u32>>,
    /// For each proposition, the moves with an influence of it on whether they are legal, or on
    /// what they do to what they touch.
    pub(super) moves: BitMatrix,
    /// For each proposition, those with a next value that it has an influence on.
    pub(super) next: BitMatrix,
}

impl PhaseStep {
    /// The step from this phase. The moves of each role follow those of the one before.
    pub(super) fn new(
        game: &GroundGame,
        phase: &PhaseCircuit,
        stop: &Stop,
    ) -> Result<PhaseStep, InfluenceError> {
        let layout = game.layout();
        let bases = layout.bases.len();
        let moves = layout.inputs() - bases;
        let bits = (moves.next_multiple_of(64) + bases.next_multiple_of(64)) * bases;
        if bits > MAX_BITS {
            return Err(InfluenceError::Memory { most: MAX_BITS });
        }
        let circuit = phase.circuit();
        let circuit = assume_false(circuit, circuit.outputs()[layout.terminal]);
        let effects = effects(&circuit, layout, phase.moves(), stop)?;
        let mut step = PhaseStep {
            live: vec![false; moves],
            touched: vec![Vec::new(); moves],
            moves: BitMatrix::new(bases, moves),
            next: BitMatrix::new(bases, bases),
        };
        let mut cones = Cones::new(&effects.circuit);
        for (role, moves) in phase.moves().iter().enumerate() {
            for (&played, touched) in moves.iter().zip(&effects.touched[role]) {
                if stop.is_set() {
                    return Err(InfluenceError::Stopped);
                }
                let number = layout.does[role].start - bases + played.index();
                let legal = circuit.outputs()[layout.legal[role].start + played.index()];
                let values = touched.iter().map(|&(_, value)| value);
                cones.inputs(values.chain([legal]), |input| {
                    if layout.bases.contains(&input) {
                        step.moves.insert(input - layout.bases.start, number);
                    }
                });
                step.live[number] = true;
                step.touched[number] = touched.iter().map(|&(base, _)| base).collect();
            }
        }
        let next = &circuit.outputs()[layout.next.clone()];
        let found = |after: usize, base: usize| step.next.insert(base, after);
        supports(&circuit, &layout.bases, next, stop, found);
        match stop.is_set() {
            true => Err(InfluenceError::Stopped),
            false => Ok(step),
        }
    }
}
