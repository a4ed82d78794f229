//! All properties of a state as a machine sees them, in texts that do not depend on the backend.

use crate::game::machine::{MachineError, RoleId, State, StateMachine};

/// The properties of one state as a machine sees them.
pub(crate) struct Snapshot {
    /// The propositions that hold, sorted.
    pub(crate) fluents: Vec<String>,
    pub(crate) terminal: bool,
    /// For each role, the texts of its legal moves, sorted; empty if terminal, where legal moves
    /// are meaningless.
    pub(crate) legal: Vec<Vec<String>>,
}

impl Snapshot {
    pub(crate) fn of(
        machine: &mut dyn StateMachine,
        state: &State,
    ) -> Result<Snapshot, MachineError> {
        let terminal = machine.is_terminal(state)?;
        let mut legal = Vec::new();
        let mut moves = Vec::new();
        let roles = if terminal { 0 } else { machine.roles().len() };
        for role in RoleId::first(roles) {
            machine.legal_moves_unchecked(state, role, &mut moves)?;
            let texts = moves.iter().map(|&played| machine.move_text(role, played));
            let mut texts: Vec<String> = texts.collect();
            texts.sort_unstable();
            legal.push(texts);
        }
        Ok(Snapshot {
            fluents: machine.fluents(state),
            terminal,
            legal,
        })
    }

    /// Returns whether a role has no move though the match goes on.
    pub(crate) fn stuck(&self) -> bool {
        self.legal.iter().any(Vec::is_empty)
    }
}

/// Every goal value of every role that holds in the state.
pub(crate) fn all_goals(
    machine: &mut dyn StateMachine,
    state: &State,
) -> Result<Vec<Vec<i32>>, MachineError> {
    let roles = RoleId::first(machine.roles().len());
    let goals = roles.map(|role| {
        let mut values = Vec::new();
        machine.goals(state, role, &mut values).map(|()| values)
    });
    goals.collect()
}
