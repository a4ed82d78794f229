//! The serial evaluator: one state after the other, by a state machine.

use propjit_stop::Stop;

use super::Evaluator;
use crate::game::machine::expansion::MAX_MOVES;
use crate::game::machine::expansion::legal::LegalMoves;
use crate::game::machine::expansion::successor::{NodeInfo, Successor, Successors, Turn};
use crate::game::machine::{MachineError, Move, RoleId, State, StateMachine};
use crate::game::playout::{PlayoutRunner, SerialPlayouts};

/// Evaluates a game with a machine, which also plays the playouts.
pub(super) struct SerialEvaluator {
    playouts: SerialPlayouts,
    /// How many joint moves a match may have.
    max_steps: u32,
    /// The lowest and the highest goal of each role.
    ranges: Vec<(i32, i32)>,
}

impl SerialEvaluator {
    pub(super) fn new(
        playouts: SerialPlayouts,
        max_steps: u32,
        ranges: Vec<(i32, i32)>,
    ) -> SerialEvaluator {
        SerialEvaluator {
            playouts,
            max_steps,
            ranges,
        }
    }

    fn machine(&mut self) -> &mut dyn StateMachine {
        self.playouts.machine()
    }
}

impl Evaluator for SerialEvaluator {
    fn set_stop(&mut self, stop: &Stop) {
        self.machine().set_stop(stop);
    }

    fn runner(&mut self) -> &mut dyn PlayoutRunner {
        &mut self.playouts
    }

    fn parse_state(&mut self, fluents: &[&str]) -> Result<State, MachineError> {
        self.machine().parse_state(fluents)
    }

    fn move_text(&mut self, role: RoleId, played: Move) -> String {
        self.machine().move_text(role, played)
    }

    fn goal_ranges(&mut self) -> Vec<(i32, i32)> {
        self.ranges.clone()
    }

    fn step_cost(&mut self) -> f64 {
        // A state that is evaluated alone costs as much as if it had a circuit of its own.
        f64::INFINITY
    }

    fn legal_moves(&mut self, state: &State) -> Result<Vec<Vec<Move>>, MachineError> {
        let machine = self.machine();
        match machine.is_terminal(state)? {
            true => Ok(vec![Vec::new(); machine.roles().len()]),
            false => legal_moves(machine, state),
        }
    }

    fn next_state(&mut self, state: &State, joint: &[Move]) -> Result<State, MachineError> {
        let mut next = State::new();
        let machine = self.machine();
        machine.next_state_unchecked(state, joint, &mut next)?;
        Ok(next)
    }

    fn skip_forced_moves(&mut self, state: &State, depth: u32) -> Result<Successor, MachineError> {
        let max_steps = self.max_steps;
        skip_forced_moves(self.machine(), state.clone(), depth, max_steps)
    }

    fn legal_moves_of(&mut self, states: &[(&State, u32)]) -> Result<LegalMoves, MachineError> {
        let machine = self.machine();
        let roles = machine.roles().len();
        let mut legal = LegalMoves::new(roles);
        let mut moves = Vec::new();
        for (state, _) in states {
            for role in RoleId::first(roles) {
                machine.legal_moves_unchecked(state, role, &mut moves)?;
                legal.push(&moves);
            }
            if legal.moves() >= MAX_MOVES / 2 {
                break;
            }
        }
        Ok(legal)
    }

    fn follow_all(
        &mut self,
        parents: &[(&State, u32)],
        joints: &[Move],
        stop: &Stop,
    ) -> Result<Successors, MachineError> {
        let max_steps = self.max_steps;
        let roles = joints.len().checked_div(parents.len()).unwrap_or(1);
        let machine = self.machine();
        let joints = joints.chunks(roles);
        let parents = parents.iter().zip(joints).take_while(|_| !stop.is_set());
        let each = parents.map(|((state, depth), joint)| {
            let mut next = State::new();
            machine.next_state_unchecked(state, joint, &mut next)?;
            skip_forced_moves(machine, next, depth + 1, max_steps)
        });
        each.collect()
    }
}

/// Plays forced moves from a state on, which comes after `depth` joint moves, as long as there
/// are no others.
fn skip_forced_moves(
    machine: &mut dyn StateMachine,
    mut state: State,
    mut depth: u32,
    max_steps: u32,
) -> Result<Successor, MachineError> {
    let roles = machine.roles().len();
    let turn = loop {
        if machine.is_terminal(&state)? {
            let goals = RoleId::first(roles).map(|role| match machine.goal(&state, role) {
                Ok(goal) => Ok(Some(goal)),
                Err(MachineError::Goal { .. }) => Ok(None),
                Err(error) => Err(error),
            });
            break Turn::Over(goals.collect::<Result<_, _>>()?);
        }
        let legal = legal_moves(machine, &state)?;
        let mut deciders = RoleId::first(roles).filter(|role| legal[role.index()].len() > 1);
        if legal.iter().any(Vec::is_empty) {
            break Turn::Stuck;
        }
        match (deciders.next(), deciders.next()) {
            (Some(role), None) => break Turn::One(role),
            (Some(_), Some(_)) => break Turn::Several,
            (None, _) if depth >= max_steps => break Turn::Cut,
            (None, _) => {}
        }
        let joint: Vec<Move> = legal.iter().map(|moves| moves[0]).collect();
        let mut next = State::new();
        machine.next_state_unchecked(&state, &joint, &mut next)?;
        state = next;
        depth += 1;
    };
    let info = NodeInfo { depth, turn };
    Ok(Successor { state, info })
}

/// The legal moves of each role in a state that is not terminal.
fn legal_moves(
    machine: &mut dyn StateMachine,
    state: &State,
) -> Result<Vec<Vec<Move>>, MachineError> {
    let roles = RoleId::first(machine.roles().len());
    roles
        .map(|role| {
            let mut moves = Vec::new();
            machine.legal_moves_unchecked(state, role, &mut moves)?;
            Ok(moves)
        })
        .collect()
}
