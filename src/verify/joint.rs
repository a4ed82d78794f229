//! Joint moves in the numbers of a machine.

use crate::machine::{MachineError, Move, RoleId, State, StateMachine};

/// The moves that the texts spell, one for each role.
pub(crate) fn parse_joint(
    machine: &mut dyn StateMachine,
    texts: &[impl AsRef<str>],
) -> Result<Vec<Move>, MachineError> {
    let moves = RoleId::first(texts.len()).zip(texts);
    moves
        .map(|(role, text)| machine.parse_move(role, text.as_ref()))
        .collect()
}

/// The state after a joint move that is known to be legal.
pub(crate) fn apply(
    machine: &mut dyn StateMachine,
    state: &State,
    joint: &[Move],
) -> Result<State, MachineError> {
    let mut next = State::new();
    machine.next_state_unchecked(state, joint, &mut next)?;
    Ok(next)
}
