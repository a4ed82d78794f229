//! Random matches in all lanes of an evaluator, which are looked at state by state.

use propjit::LaneMask;
use propjit::game::ground::{GroundGame, section};
use propjit_jit::evaluator::{Engine, LaneEvaluator};
use propjit_jit::lanes::advance::{Start, advance, enter};
use propjit_jit::lanes::random::LaneRandom;
use propjit_jit::lanes::select::Selector;

/// A match in each lane, from the initial state; where one is over, the next one begins.
pub(crate) struct RandomLanes<'a> {
    ground: &'a GroundGame,
    pub(crate) evaluator: LaneEvaluator,
    selectors: Vec<Selector>,
    random: LaneRandom,
}

/// The lanes in a state of which all sections are evaluated.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    /// Where the match is over.
    pub(crate) terminal: LaneMask,
    /// Where it goes on: all roles have a move, and it is not over.
    pub(crate) going: LaneMask,
}

impl<'a> RandomLanes<'a> {
    pub(crate) fn new(ground: &'a GroundGame, engine: Engine) -> RandomLanes<'a> {
        let layout = ground.layout();
        let mut evaluator = LaneEvaluator::new(engine);
        let width = evaluator.width();
        let legal = layout.legal.iter().cloned();
        let selectors = legal.map(|legal| Selector::among(evaluator.live_outputs(legal)));
        let selectors = selectors.collect();
        let all = LaneMask::all(width);
        let state = evaluator.inputs_mut(layout.bases.clone());
        enter(
            width,
            state,
            all.words(width),
            Start::Same(ground.initial().words()),
        );
        RandomLanes {
            ground,
            evaluator,
            selectors,
            random: LaneRandom::new(7),
        }
    }

    /// All lanes.
    pub(crate) fn all(&self) -> LaneMask {
        LaneMask::all(self.evaluator.width())
    }

    /// Chooses moves, and evaluates what comes of them, and the goals.
    pub(crate) fn evaluate(&mut self) -> Step {
        let layout = self.ground.layout();
        let (width, all) = (self.evaluator.width(), self.all());
        let evaluator = &mut self.evaluator;
        evaluator.evaluate(section::STATE);
        let terminal = LaneMask::from_words(evaluator.output(layout.terminal));
        let mut going = all.and_not(terminal);
        let roles = layout.legal.iter().zip(&layout.does);
        for ((legal, does), selector) in roles.zip(&mut self.selectors) {
            let (legal, does) = evaluator.outputs_and_inputs_mut(legal.clone(), does.clone());
            let none = selector.select(width, legal, going.words(width), &mut self.random, does);
            going = going.and_not(LaneMask::from_words(&none));
        }
        evaluator.evaluate(section::NEXT);
        evaluator.evaluate(section::GOALS);
        Step { terminal, going }
    }

    /// Goes to the next states, and to the initial one where no match goes on.
    pub(crate) fn advance(&mut self, step: &Step) {
        let layout = self.ground.layout();
        let (width, ended) = (self.evaluator.width(), self.all().and_not(step.going));
        let start = Start::Same(self.ground.initial().words());
        let evaluator = &mut self.evaluator;
        let (next, state) =
            evaluator.outputs_and_inputs_mut(layout.next.clone(), layout.bases.clone());
        advance(width, next, state, ended.words(width), start);
    }
}
