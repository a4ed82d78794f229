//! The circuit, bit-sliced: as a state machine for one state at a time.
//!
//! All lanes hold the same state here, which wastes all but one of them. What
//! lanes are for are many states at a time, as in [`playout`](crate::playout);
//! the machine is there to test the same code, and to show what it does.

use std::sync::Arc;

use propjit_jit::lanes::LaneEvaluator;

use super::circuit::{CircuitMachine, Evaluator};
use super::ground::section;
use super::lower::Port;
use super::{Backend, GroundGame, Move, State};

/// A game played by the lanes interpreter, all lanes alike.
pub type LanesMachine = CircuitMachine<LanesEvaluator>;

/// Evaluates one state in all lanes.
pub struct LanesEvaluator {
    game: Arc<GroundGame>,
    interpreter: LaneEvaluator,
    /// The state that the interpreter has as input, if any.
    state: Option<State>,
    /// How many sections are evaluated for the inputs as they are.
    evaluated: usize,
}

impl LanesEvaluator {
    fn enter(&mut self, state: &State) {
        if self.state.as_ref() == Some(state) {
            return;
        }
        for base in self.game.layout().bases.clone() {
            self.set_input(base, state.contains(base));
        }
        let held = self.state.get_or_insert_default();
        held.assign(state.words());
        self.evaluated = 0;
    }

    fn set_input(&mut self, input: usize, value: bool) {
        let word = if value { u64::MAX } else { 0 };
        self.interpreter.input_mut(input).fill(word);
    }

    /// Evaluates all sections up to this one that are not yet.
    fn evaluate(&mut self, section: usize) {
        while self.evaluated <= section {
            self.interpreter.evaluate(self.evaluated);
            self.evaluated += 1;
        }
    }

    fn output(&self, output: usize) -> bool {
        self.interpreter.output(output)[0] & 1 == 1
    }
}

impl Evaluator for LanesEvaluator {
    const BACKEND: Backend = Backend::Lanes;

    fn new(game: Arc<GroundGame>) -> LanesEvaluator {
        LanesEvaluator {
            interpreter: LaneEvaluator::interpreter(game.lane_program(), game.width()),
            state: None,
            evaluated: 0,
            game,
        }
    }

    fn for_each_true(&mut self, state: &State, port: Port, mut found: impl FnMut(usize)) {
        self.enter(state);
        self.evaluate(match port {
            Port::Terminal | Port::Legal(_) => section::STATE,
            Port::Goals(_) => section::GOALS,
        });
        let outputs = self.game.layout().outputs_of(port).enumerate();
        for (place, output) in outputs {
            if self.output(output) {
                found(place);
            }
        }
    }

    fn next_state(&mut self, state: &State, joint: &[Move], next: &mut State) {
        self.enter(state);
        for (role, &played) in joint.iter().enumerate() {
            let does = self.game.layout().does[role].clone();
            let first = does.start;
            does.for_each(|input| self.set_input(input, input - first == played.index()));
        }
        self.evaluated = self.evaluated.min(section::NEXT);
        self.evaluate(section::NEXT);
        next.clear();
        for (base, output) in self.game.layout().next.clone().enumerate() {
            if self.output(output) {
                next.insert(base);
            }
        }
    }
}
