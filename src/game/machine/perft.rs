//! Perft: the number of all sequences of joint moves to a depth, the classic test of
//! a move generator.

use crate::game::machine::{MachineError, Move, RoleId, State, StateMachine};
use propjit_stop::Stop;

/// The number of sequences of joint moves, saturating at `u128::MAX`.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct PerftCount {
    /// Sequences of exactly the requested depth.
    pub sequences: u128,
    /// Sequences that ended earlier, in a terminal state.
    pub ended: u128,
    /// Sequences that ended earlier, because a role has no legal move in a state that is not
    /// terminal.
    pub stuck: u128,
}

/// Counts the sequences of `depth` joint moves from `state`; `None` if stopped.
///
/// The last joint moves are counted, not played. Memory grows with the depth that is actually
/// reached.
///
/// # Errors
/// When the machine cannot continue.
pub fn perft(
    machine: &mut dyn StateMachine,
    state: &State,
    depth: usize,
    stop: &Stop,
) -> Result<Option<PerftCount>, MachineError> {
    let mut count = PerftCount::default();
    if depth == 0 {
        count.sequences = 1;
        return Ok(Some(count));
    }
    // The states on the way to the current one, instead of recursion.
    let mut path = Vec::new();
    let mut arrived = Some(state.clone());
    loop {
        if let Some(state) = arrived.take() {
            if stop.is_set() {
                return Ok(None);
            }
            if machine.is_terminal(&state)? {
                count.ended += 1;
            } else {
                let moves = JointMoves::new(machine, &state)?;
                if moves.next.is_none() {
                    count.stuck += 1;
                } else if path.len() + 1 == depth {
                    count.sequences = count.sequences.saturating_add(moves.total());
                } else {
                    path.push((state, moves));
                }
            }
        }
        let Some((state, moves)) = path.last_mut() else {
            return Ok(Some(count));
        };
        match moves.next() {
            Some(joint) => {
                let mut next = State::new();
                machine.next_state_unchecked(state, &joint, &mut next)?;
                arrived = Some(next);
            }
            None => {
                path.pop();
            }
        }
    }
}

/// The first joint moves from a state, each with the count of [`perft`] after it.
pub type Division = Vec<(Vec<Move>, PerftCount)>;

/// Returns the counts of all parts together.
pub fn total(division: &[(Vec<Move>, PerftCount)]) -> PerftCount {
    division
        .iter()
        .fold(PerftCount::default(), |total, (_, part)| PerftCount {
            sequences: total.sequences.saturating_add(part.sequences),
            ended: total.ended + part.ended,
            stuck: total.stuck + part.stuck,
        })
}

/// Returns [`perft`] divided by the first joint move, and whether it is complete: if stopped, it has
/// the first joint moves for which everything was counted. At depth 0, and in a state that is
/// terminal or where a role has no legal move, there is no first joint move.
///
/// # Errors
/// When the machine cannot continue.
pub fn divide(
    machine: &mut dyn StateMachine,
    state: &State,
    depth: usize,
    stop: &Stop,
) -> Result<(Division, bool), MachineError> {
    let mut division = Division::new();
    if depth == 0 || machine.is_terminal(state)? {
        return Ok((division, true));
    }
    for joint in JointMoves::new(machine, state)? {
        if stop.is_set() {
            return Ok((division, false));
        }
        let mut next = State::new();
        machine.next_state_unchecked(state, &joint, &mut next)?;
        match perft(machine, &next, depth - 1, stop)? {
            Some(count) => {
                tracing::debug!(?joint, ?count, "counted a first move");
                division.push((joint, count));
            }
            None => return Ok((division, false)),
        }
    }
    Ok((division, true))
}

/// All combinations of one legal move per role.
struct JointMoves {
    /// The legal moves of each role.
    legal: Vec<Vec<Move>>,
    /// For each role, the index of its next move; `None` when all are done.
    next: Option<Vec<usize>>,
}

impl JointMoves {
    fn new(machine: &mut dyn StateMachine, state: &State) -> Result<JointMoves, MachineError> {
        let mut legal = Vec::new();
        for role in RoleId::first(machine.roles().len()) {
            let mut moves = Vec::new();
            machine.legal_moves_unchecked(state, role, &mut moves)?;
            legal.push(moves);
        }
        let some = legal.iter().all(|moves| !moves.is_empty());
        let next = some.then(|| vec![0; legal.len()]);
        Ok(JointMoves { legal, next })
    }

    /// Returns the number of combinations; saturates.
    fn total(&self) -> u128 {
        let counts = self.legal.iter().map(|moves| moves.len() as u128);
        counts.fold(1, u128::saturating_mul)
    }
}

impl Iterator for JointMoves {
    type Item = Vec<Move>;

    fn next(&mut self) -> Option<Vec<Move>> {
        let indices = self.next.as_mut()?;
        let current = indices.iter().zip(&self.legal).map(|(&i, moves)| moves[i]);
        let current = current.collect();
        // Count up, the last role fastest.
        let carry = indices.iter_mut().zip(&self.legal).rev().all(|(i, moves)| {
            *i = (*i + 1) % moves.len();
            *i == 0
        });
        if carry {
            self.next = None;
        }
        Some(current)
    }
}
