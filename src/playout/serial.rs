//! One match after the other, through the state machine trait.

use rand::RngExt;

use super::Table;
use super::tally::{Ending, Tally};
use crate::machine::{MachineError, Move, RoleId, State, StateMachine};

/// Plays matches while the table's quota grants them.
pub(super) fn play(
    machine: &mut dyn StateMachine,
    table: &mut Table<'_>,
) -> Result<Tally, MachineError> {
    let mut player = Player {
        initial: machine.initial_state()?,
        state: State::new(),
        next: State::new(),
        legal: Vec::new(),
        joint: Vec::new(),
        values: Vec::new(),
        tally: Tally::new(machine.roles().len()),
        machine,
    };
    while table.quota.grant(1) == 1 {
        if !player.play_match(table)? {
            break;
        }
        table.progress.add(1);
    }
    Ok(player.tally)
}

/// The machine and the memory that matches share, so that none allocates.
struct Player<'a> {
    machine: &'a mut dyn StateMachine,
    initial: State,
    state: State,
    next: State,
    legal: Vec<Move>,
    joint: Vec<Move>,
    values: Vec<i32>,
    tally: Tally,
}

impl Player<'_> {
    /// Plays one match and counts it; false if a stop came.
    fn play_match(&mut self, table: &mut Table<'_>) -> Result<bool, MachineError> {
        self.state.assign(self.initial.words());
        let mut length = 0;
        let ending = loop {
            if table.stop.is_set() {
                return Ok(false);
            }
            if self.machine.is_terminal(&self.state)? {
                self.count_goals()?;
                break Ending::Terminal;
            }
            if length == table.max_steps {
                break Ending::Truncated;
            }
            if !self.choose_moves(table)? {
                break Ending::Stuck;
            }
            self.machine
                .next_state_unchecked(&self.state, &self.joint, &mut self.next)?;
            std::mem::swap(&mut self.state, &mut self.next);
            self.tally.state_changes += 1;
            length += 1;
        };
        self.tally.end(length, ending);
        Ok(true)
    }

    /// Chooses each role's move uniformly; false if a role has none.
    fn choose_moves(&mut self, table: &mut Table<'_>) -> Result<bool, MachineError> {
        self.joint.clear();
        for role in RoleId::first(self.machine.roles().len()) {
            self.machine
                .legal_moves(&self.state, role, &mut self.legal)?;
            let choice = match self.legal.len() {
                0 => return Ok(false),
                1 => 0,
                count => table.rng.random_range(0..count as u32) as usize,
            };
            self.joint.push(self.legal[choice]);
        }
        Ok(true)
    }

    fn count_goals(&mut self) -> Result<(), MachineError> {
        for (role, goals) in RoleId::first(self.tally.goals.len()).zip(&mut self.tally.goals) {
            self.machine.goals(&self.state, role, &mut self.values)?;
            match *self.values {
                [value] => goals.values.add(i64::from(value), 1),
                _ => goals.undefined += 1,
            }
        }
        Ok(())
    }
}
