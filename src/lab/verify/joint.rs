//! Conversion of joint moves to the numbers of a machine.

use crate::game::machine::{MachineError, Move, RoleId, State, StateMachine};

/// Parses the moves in these texts.
///
/// # Errors
/// [`MachineError::JointMove`] if there is not one for each role, or when one spells no move.
pub(crate) fn parse_joint(
    machine: &mut dyn StateMachine,
    texts: &[impl AsRef<str>],
) -> Result<Vec<Move>, MachineError> {
    let (roles, given) = (machine.roles().len(), texts.len());
    if given != roles {
        return Err(MachineError::JointMove { roles, given });
    }
    let moves = RoleId::first(roles).zip(texts);
    moves
        .map(|(role, text)| machine.parse_move(role, text.as_ref()))
        .collect()
}

/// Returns the state after a joint move that is known to be legal.
pub(crate) fn apply(
    machine: &mut dyn StateMachine,
    state: &State,
    joint: &[Move],
) -> Result<State, MachineError> {
    let mut next = State::new();
    machine.next_state_unchecked(state, joint, &mut next)?;
    Ok(next)
}
