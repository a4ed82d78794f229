//! A sample of states from random play, for statistics.

use propjit_stop::Stop;

use crate::term::TermId;

use super::error::ProverError;
use super::limits::ProverLimits;
use super::queries::Prover;

/// The most states that are sampled.
const STATES: usize = 40;

/// The most states that are played to sample them: the end of matches differs from their beginning.
const PLAYED: usize = 240;

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

/// States of random matches, with the joint moves that are played in them.
pub(super) struct Sample {
    /// Without moves where the match ends.
    situations: Vec<(Vec<TermId>, Vec<TermId>)>,
    /// Whether a query about the last state hit its limits.
    is_cut: bool,
}

impl Sample {
    /// Plays until there are enough states or [`TOTAL_STEPS`] are taken; keeps [`STATES`] of them, which are evenly
    /// spread.
    pub(super) fn play(prover: &mut Prover) -> Sample {
        let mut situations = Vec::new();
        let is_cut = play(prover, &mut situations).is_err();
        let stride = situations.len().div_ceil(STATES).max(1);
        Sample {
            situations: situations.into_iter().step_by(stride).collect(),
            is_cut,
        }
    }

    /// Whether a query hit its limits, which ended the sample.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The states.
    pub(super) fn states(&self) -> impl Iterator<Item = &[TermId]> {
        self.situations.iter().map(|(state, _)| &state[..])
    }

    /// Asks about all states what is asked in a match. Returns the steps of the query that took most.
    ///
    /// # Errors
    /// When a query hits its limits.
    pub(super) fn replay(&self, prover: &mut Prover) -> Result<u64, ProverError> {
        let mut most = 0;
        for (state, joint) in &self.situations {
            prover.set_state(state);
            let over = prover.is_terminal()?;
            most = most.max(prover.machine.steps());
            for role in 0..prover.roles.len() {
                match over {
                    true => prover.goals(role)?,
                    false => prover.legal_moves(role)?,
                };
                most = most.max(prover.machine.steps());
            }
            if !joint.is_empty() {
                prover.next_state(joint)?;
                most = most.max(prover.machine.steps());
            }
        }
        // Answers about the last state are observed when they are forgotten.
        prover.set_state(&[]);
        Ok(most)
    }
}

fn play(
    prover: &mut Prover,
    situations: &mut Vec<(Vec<TermId>, Vec<TermId>)>,
) -> Result<(), ProverError> {
    let mut random: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut steps = 0;
    let initial = prover.initial_state()?;
    let mut state = initial.clone();
    while situations.len() < PLAYED && steps < TOTAL_STEPS {
        prover.set_state(&state);
        situations.push((state, Vec::new()));
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
        state = initial.clone();
        if !over {
            state = prover.next_state(&joint)?;
            steps += prover.machine.steps();
            situations.last_mut().expect("one was just pushed").1 = joint;
        }
    }
    Ok(())
}
