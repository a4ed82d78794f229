//! Incremental scalar evaluation of the circuit, one state at a time.
//!
//! The interpreter keeps its last inputs. When the machine is queried about a state, it changes
//! only the inputs that differ; along a match these are few.

use std::ops::Range;
use std::sync::Arc;

use propjit_jit::scalar::ScalarInterpreter;

use super::circuit::{CircuitEvaluator, CircuitMachine};
use super::{MachineError, Move, RoleId, State};
use crate::game::engine::Programs;
use crate::game::ground::{GroundGame, Port};
use crate::game::vocabulary::state::ones;

/// A game played by the scalar interpreter.
pub type ScalarMachine = CircuitMachine<ScalarEvaluator>;

impl ScalarMachine {
    /// Creates a machine on the circuit after the passes.
    pub fn optimised(programs: &Programs) -> ScalarMachine {
        ScalarMachine::interpreted(programs, programs.scalar())
    }

    /// Creates a machine on the circuit before any pass: slower, but ready sooner.
    pub fn unoptimised(programs: &Programs) -> ScalarMachine {
        ScalarMachine::interpreted(programs, programs.unoptimised_scalar())
    }

    fn interpreted(programs: &Programs, interpreter: ScalarInterpreter) -> ScalarMachine {
        let game = programs.game();
        let evaluator = ScalarEvaluator::with(interpreter, game.clone());
        ScalarMachine::with(game.clone(), evaluator)
    }
}

/// Evaluates one state, incrementally.
#[derive(Debug)]
pub struct ScalarEvaluator {
    game: Arc<GroundGame>,
    interpreter: ScalarInterpreter,
    /// The base propositions that the interpreter has as inputs.
    bases: Vec<u64>,
    /// For each role, the move that the interpreter has as input.
    does: Vec<Option<Move>>,
    /// Whether the interpreter has settled since inputs changed.
    settled: bool,
}

impl ScalarEvaluator {
    fn with(interpreter: ScalarInterpreter, game: Arc<GroundGame>) -> ScalarEvaluator {
        ScalarEvaluator {
            interpreter,
            bases: vec![0; game.layout().bases.len().div_ceil(64)],
            does: vec![None; game.roles().len()],
            settled: false,
            game,
        }
    }

    /// Gives the interpreter the state as input.
    fn enter(&mut self, state: &State) {
        let words = state.words();
        let (held, rest) = self.bases.split_at_mut(words.len());
        if held != words || rest.iter().any(|&word| word != 0) {
            held.copy_from_slice(words);
            rest.fill(0);
            let count = self.game.layout().bases.len();
            self.interpreter.set_inputs(count, &self.bases);
            self.settled = false;
        }
    }

    /// Gives the interpreter a role's move as input instead of the one it has.
    fn play(&mut self, role: usize, played: Move) {
        let held = self.does[role].replace(played);
        if held != Some(played) {
            let first = self.game.layout().does[role].start;
            if let Some(held) = held {
                self.interpreter.set_input(first + held.index(), false);
            }
            self.interpreter.set_input(first + played.index(), true);
            self.settled = false;
        }
    }

    /// Gives the interpreter the state and the moves of all roles as input.
    fn enter_step(&mut self, state: &State, joint: &[Move]) {
        self.enter(state);
        for (role, &played) in joint.iter().enumerate() {
            self.play(role, played);
        }
    }

    /// Returns the packed outputs for the current inputs.
    fn outputs(&mut self) -> &[u64] {
        if !self.settled {
            self.interpreter.settle();
            self.settled = true;
        }
        self.interpreter.outputs()
    }

    /// Returns the true outputs of a range that shares its words with no other: see `lower`.
    fn true_outputs(&mut self, range: Range<usize>) -> impl Iterator<Item = usize> {
        let words = range.start / 64..range.end.div_ceil(64);
        ones(self.outputs()[words].iter().copied())
    }
}

impl CircuitEvaluator for ScalarEvaluator {
    fn new(programs: &Programs) -> Result<ScalarEvaluator, MachineError> {
        let game = programs.game().clone();
        Ok(ScalarEvaluator::with(programs.scalar(), game))
    }

    fn for_each_true(&mut self, state: &State, port: Port, found: impl FnMut(usize)) {
        self.enter(state);
        let outputs = self.game.layout().outputs_of(port);
        self.true_outputs(outputs).for_each(found);
    }

    fn next_state(&mut self, state: &State, joint: &[Move], next: &mut State) {
        self.enter_step(state, joint);
        let words = self.bases.len();
        next.assign(&self.outputs()[..words]);
    }

    fn for_each_percept(
        &mut self,
        state: &State,
        joint: &[Move],
        role: RoleId,
        found: impl FnMut(usize),
    ) {
        self.enter_step(state, joint);
        let outputs = self.game.layout().percepts[role.index()].clone();
        self.true_outputs(outputs).for_each(found);
    }
}
