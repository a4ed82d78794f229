//! The forms that steps have: moves are chosen among the rows of an engine, or in its circuit.

use std::ops::Range;

use propjit_jit::evaluator::{Engine, LaneEvaluator};
use propjit_jit::lanes::draw::draw_below;
use propjit_jit::lanes::random::LaneRandom;
use propjit_jit::lanes::select::Selector;

use super::selectors;
use crate::engine::StepEngine;
use crate::ground::{GroundGame, section};
use crate::lane_mask::LaneMask;
use crate::stepping::StepPhase;

/// What evaluates steps.
pub(super) struct Form {
    pub(super) evaluator: LaneEvaluator,
    /// In each phase, where what is evaluated is; one for all phases if it is the same.
    pub(super) phases: Vec<StepPhase>,
    pub(super) choice: Choice,
}

/// How moves are chosen.
pub(super) enum Choice {
    /// Among the rows of legal moves, by a selector for each role.
    Select(Vec<Selector>),
    /// In the circuit, by a number for each role, which are these inputs.
    Draw(Vec<Range<usize>>),
}

impl Form {
    /// Moves are chosen among the rows of this engine of the game.
    pub(super) fn select(game: &GroundGame, engine: Engine) -> Form {
        let evaluator = LaneEvaluator::new(engine);
        let layout = game.layout();
        let all = StepPhase {
            first_section: section::STATE,
            next: layout.next.clone(),
            counts: Vec::new(),
            parts: Vec::new(),
            terminal: layout.terminal,
            goals: layout.goals.clone(),
        };
        Form {
            choice: Choice::Select(selectors(game, &evaluator)),
            evaluator,
            phases: vec![all],
        }
    }

    /// Moves are chosen in the circuit of random steps.
    pub(super) fn steps(steps: &StepEngine) -> Form {
        Form {
            evaluator: LaneEvaluator::new(steps.engine.clone()),
            phases: steps.layout.phases.clone(),
            choice: Choice::Draw(steps.layout.numbers.clone()),
        }
    }

    pub(super) fn is_draw(&self) -> bool {
        matches!(self.choice, Choice::Draw(_))
    }

    /// What is evaluated in a step in phase `now`, modulo the period.
    pub(super) fn phase(&self, now: u64) -> &StepPhase {
        &self.phases[phase(&self.phases, now)]
    }

    /// Evaluates one of the sections that are named in [`section`] for a step in phase `now`.
    pub(super) fn evaluate(&mut self, section: usize, now: u64) {
        let first = self.phase(now).first_section;
        self.evaluator.evaluate(first + section);
    }

    /// Draws the numbers of moves in these lanes, for a step in phase `now`. Returns the lanes in
    /// which a role has no move.
    pub(super) fn draw(&mut self, now: u64, lanes: LaneMask, random: &mut LaneRandom) -> LaneMask {
        let mut stuck = LaneMask::default();
        let Choice::Draw(numbers) = &self.choice else {
            return stuck;
        };
        let width = self.evaluator.width();
        let counts = self.phases[phase(&self.phases, now)].counts.iter();
        for (counts, numbers) in counts.zip(numbers) {
            let (counts, numbers) =
                (self.evaluator).outputs_and_inputs_mut(counts.clone(), numbers.clone());
            let none = draw_below(width, counts, lanes.words(width), random, numbers);
            stuck = stuck.or(LaneMask::from_words(&none));
        }
        stuck
    }

    /// Takes over the states of another form with as many lanes.
    pub(super) fn take_states(&mut self, other: &Form, bases: Range<usize>) {
        let states = other.evaluator.inputs(bases.clone());
        self.evaluator.inputs_mut(bases).copy_from_slice(states);
    }
}

/// The place of what is evaluated in a step in phase `now`, modulo the period.
fn phase(phases: &[StepPhase], now: u64) -> usize {
    (now % phases.len() as u64) as usize
}
