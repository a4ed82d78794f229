//! A full search for forced goals, straight from the definition, and states in proved cubes.

use propjit::game::ground::GroundGame;
use propjit::game::machine::{State, StateMachine};
use propjit::proof::forced::{Cube, Target};
use rand::{Rng, RngExt};

use super::random_matches::{joints, legal};

/// A full search, straight from the definition.
pub(crate) struct Reference<'a> {
    pub(crate) machine: &'a mut dyn StateMachine,
    pub(crate) target: Target,
    /// The number of states that may still be looked at.
    pub(crate) left: u64,
}

/// There is more to look at than is allowed.
#[derive(Debug)]
pub(crate) struct TooMuch;

impl Reference<'_> {
    pub(crate) fn achieves(&mut self, state: &State) -> bool {
        let mut goals = Vec::new();
        let machine = &mut self.machine;
        machine.goals(state, self.target.role, &mut goals).unwrap();
        machine.is_terminal(state).unwrap() && goals.len() == 1 && goals[0] >= self.target.value
    }

    /// Whether the role can force the target in this number of joint moves.
    pub(crate) fn forces(&mut self, state: &State, depth: u32) -> Result<bool, TooMuch> {
        self.left = self.left.checked_sub(1).ok_or(TooMuch)?;
        if self.achieves(state) {
            return Ok(true);
        }
        if depth == 0 || self.machine.is_terminal(state).unwrap() {
            return Ok(false);
        }
        let legal = legal(self.machine, state);
        if legal.iter().any(Vec::is_empty) {
            return Ok(false);
        }
        'moves: for &own in &legal[self.target.role.index()] {
            let mut choices = legal.clone();
            choices[self.target.role.index()] = vec![own];
            for joint in joints(&choices) {
                let mut next = State::new();
                let machine = &mut self.machine;
                machine
                    .next_state_unchecked(state, &joint, &mut next)
                    .unwrap();
                if !self.forces(&next, depth - 1)? {
                    continue 'moves;
                }
            }
            return Ok(true);
        }
        Ok(false)
    }
}

/// A state of a phase in the cube; the rest is at random, and often near another state.
pub(crate) fn completion(
    game: &GroundGame,
    phase: usize,
    cube: &Cube,
    near: &State,
    rng: &mut impl Rng,
) -> State {
    let bit = |words: &[u64], at: usize| words[at / 64] >> (at % 64) & 1 == 1;
    let bases = game.layout().bases.len();
    let flips = match rng.random_bool(0.7) {
        true => f64::from(rng.random_range(1..=6)) / bases as f64,
        false => 0.5,
    };
    let state: State = (0..bases)
        .filter(|&at| {
            if bit(cube.mask(), at) {
                bit(cube.values(), at)
            } else if game.phases().bases().contains(&at) {
                game.phases().each()[phase].contains(at)
            } else {
                near.contains(at) != rng.random_bool(flips.min(1.0))
            }
        })
        .collect();
    assert!(is_in(&state, cube));
    state
}

/// Whether a state is in a cube.
pub(crate) fn is_in(state: &State, cube: &Cube) -> bool {
    let mut words = state.words().to_vec();
    words.resize(cube.mask().len(), 0);
    cube.contains(&words)
}
