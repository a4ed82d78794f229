//! A sample of states from random play, for statistics.

use propjit_stop::Stop;

use crate::term::TermId;

use super::error::ProverError;
use super::limits::ProverLimits;
use super::queries::Prover;

/// The most states that are sampled.
const STATES: usize = 40;

/// The steps that the sample may take. (Not a time, so that a game is always
/// compiled in the same way.)
const TOTAL_STEPS: u64 = 400_000;

/// The terms that the sample may make, on top of those there are.
const TERMS: usize = 1_000_000;

/// Returns the limits of one query, for a prover that has `terms` terms.
pub(super) fn limits(terms: usize, stop: &Stop) -> ProverLimits {
    ProverLimits {
        steps: TOTAL_STEPS / 2,
        time: None,
        cells: 5_000_000,
        terms: terms + TERMS,
        stop: stop.clone(),
    }
}

/// The states of random matches, up to [`STATES`] or [`TOTAL_STEPS`].
pub(super) fn sample(prover: &mut Prover) -> Vec<Vec<TermId>> {
    let mut states = Vec::new();
    // A query that hits its limits ends the sample.
    let _ = play(prover, &mut states);
    states
}

fn play(prover: &mut Prover, states: &mut Vec<Vec<TermId>>) -> Result<(), ProverError> {
    let mut random: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut steps = 0;
    let initial = prover.initial_state()?;
    let mut state = initial.clone();
    while states.len() < STATES && steps < TOTAL_STEPS {
        prover.set_state(&state);
        states.push(state);
        let mut joint = Vec::new();
        let mut over = prover.is_terminal()?;
        steps += prover.machine.steps();
        for role in 0..prover.roles.len() {
            if over {
                break;
            }
            let moves = prover.legal_moves(role)?;
            steps += prover.machine.steps();
            // Xorshift: the choices need not be uniform.
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let choice = random.checked_rem(moves.len() as u64);
            match choice {
                Some(index) => joint.push(moves[index as usize]),
                None => over = true,
            }
        }
        state = if over {
            initial.clone()
        } else {
            let next = prover.next_state(&joint)?;
            steps += prover.machine.steps();
            next
        };
    }
    Ok(())
}
