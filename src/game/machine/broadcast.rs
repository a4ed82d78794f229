//! Broadcast evaluation of one state in all lanes, for the lanes interpreter and machine code as
//! backends.
//!
//! All lanes hold the same state here, which wastes all but one of them. Lanes are meant for many
//! states at a time, as in [`playout`](crate::game::playout); these machines exist to test the same
//! code, and to show its results.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use propjit_jit::evaluator::{Engine, LaneEvaluator};

use super::circuit::CircuitEvaluator;
use super::{MachineError, Move, RoleId, State};
use crate::game::engine::Programs;
use crate::game::ground::sections::alone;
use crate::game::ground::{GroundGame, Port};

/// The engine that evaluates the lanes, and its sections.
pub trait Sections: Send {
    /// The sections that the next state needs, in the order of evaluation.
    const NEXT: &'static [usize];
    /// The sections that percepts need, in the order of evaluation.
    const PERCEPTS: &'static [usize];

    /// Creates the engine.
    ///
    /// # Errors
    /// When there is no such engine.
    fn engine(programs: &Programs) -> Result<Engine, MachineError>;

    /// Returns the sections that a port needs, in the order of evaluation.
    fn needs(port: Port) -> &'static [usize];
}

/// Evaluates one state in all lanes.
#[derive(Debug)]
pub struct BroadcastEvaluator<S> {
    game: Arc<GroundGame>,
    lanes: LaneEvaluator,
    /// The state that the lanes have as input.
    state: State,
    /// The move of each role that the lanes have as input, if any.
    joint: Vec<Move>,
    /// The sections that are evaluated for the current inputs.
    evaluated: [bool; alone::COUNT],
    sections: PhantomData<S>,
}

impl<S: Sections> BroadcastEvaluator<S> {
    /// Creates an evaluator with an engine that was made for this game and has these sections.
    pub fn with(game: Arc<GroundGame>, engine: Engine) -> BroadcastEvaluator<S> {
        BroadcastEvaluator {
            lanes: LaneEvaluator::new(engine),
            state: State::new(),
            joint: Vec::new(),
            evaluated: [false; alone::COUNT],
            sections: PhantomData,
            game,
        }
    }

    fn enter(&mut self, state: &State) {
        if self.state == *state {
            return;
        }
        let bases = self.game.layout().bases.start;
        for (before, value) in [(&self.state, false), (state, true)] {
            for base in before.iter() {
                set_input(&mut self.lanes, bases + base, value);
            }
        }
        self.state.assign(state.words());
        self.evaluated = [false; alone::COUNT];
    }

    fn play(&mut self, joint: &[Move]) {
        if self.joint == joint {
            return;
        }
        for (moves, value) in [(&self.joint[..], false), (joint, true)] {
            for (played, does) in moves.iter().zip(&self.game.layout().does) {
                set_input(&mut self.lanes, does.start + played.index(), value);
            }
        }
        self.joint.clear();
        self.joint.extend_from_slice(joint);
        for &section in S::NEXT.iter().chain(S::PERCEPTS) {
            self.evaluated[section] = false;
        }
    }

    /// Evaluates sections, and returns those of some outputs that are true, counted from the first.
    fn true_outputs(
        &mut self,
        sections: &[usize],
        outputs: Range<usize>,
    ) -> impl Iterator<Item = usize> {
        for &section in sections {
            if !std::mem::replace(&mut self.evaluated[section], true) {
                self.lanes.evaluate(section);
            }
        }
        let words = self.lanes.width().words();
        let rows = self.lanes.outputs(outputs).iter().step_by(words);
        let first_lane = rows.enumerate().filter(|(_, word)| *word & 1 == 1);
        first_lane.map(|(place, _)| place)
    }
}

/// Gives all lanes an input.
fn set_input(lanes: &mut LaneEvaluator, input: usize, value: bool) {
    lanes
        .input_mut(input)
        .fill(if value { u64::MAX } else { 0 });
}

impl<S: Sections> CircuitEvaluator for BroadcastEvaluator<S> {
    fn new(programs: &Programs) -> Result<BroadcastEvaluator<S>, MachineError> {
        let engine = S::engine(programs)?;
        Ok(BroadcastEvaluator::with(programs.game().clone(), engine))
    }

    fn for_each_true(&mut self, state: &State, port: Port, found: impl FnMut(usize)) {
        self.enter(state);
        let outputs = self.game.layout().outputs_of(port);
        self.true_outputs(S::needs(port), outputs).for_each(found);
    }

    fn next_state(&mut self, state: &State, joint: &[Move], next: &mut State) {
        self.enter(state);
        self.play(joint);
        let outputs = self.game.layout().next.clone();
        next.clear();
        self.true_outputs(S::NEXT, outputs)
            .for_each(|base| next.insert(base));
    }

    fn for_each_percept(
        &mut self,
        state: &State,
        joint: &[Move],
        role: RoleId,
        found: impl FnMut(usize),
    ) {
        self.enter(state);
        self.play(joint);
        let outputs = self.game.layout().percepts[role.index()].clone();
        self.true_outputs(S::PERCEPTS, outputs).for_each(found);
    }
}
