//! Random matches, and the moves that can be made in a state.

use propjit::game::machine::{Move, RoleId, State, StateMachine};
use rand::{Rng, RngExt};

/// The legal moves of each role.
pub(crate) fn legal(machine: &mut dyn StateMachine, state: &State) -> Vec<Vec<Move>> {
    let roles = RoleId::first(machine.roles().len());
    let moves = roles.map(|role| {
        let mut moves = Vec::new();
        machine.legal_moves(state, role, &mut moves).unwrap();
        moves
    });
    moves.collect()
}

/// All ways to choose one move of each role.
pub(crate) fn joints(choices: &[Vec<Move>]) -> Vec<Vec<Move>> {
    choices.iter().fold(vec![Vec::new()], |joints, moves| {
        let longer = joints.iter().flat_map(|joint| {
            moves.iter().map(|&played| {
                let mut joint = joint.clone();
                joint.push(played);
                joint
            })
        });
        longer.collect()
    })
}

/// The states of a random match, up to the one in which it ends, or a role has no move; at most 300.
pub(crate) fn random_match(machine: &mut dyn StateMachine, rng: &mut impl Rng) -> Vec<State> {
    let mut states = vec![machine.initial_state().unwrap()];
    while !machine.is_terminal(&states[states.len() - 1]).unwrap() && states.len() < 300 {
        let state = &states[states.len() - 1];
        let legal = legal(machine, state);
        if legal.iter().any(Vec::is_empty) {
            break;
        }
        let joint: Vec<Move> = legal
            .iter()
            .map(|moves| moves[rng.random_range(0..moves.len())])
            .collect();
        states.push(machine.next_state(state, &joint).unwrap());
    }
    states
}
