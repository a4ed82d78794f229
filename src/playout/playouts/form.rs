//! The forms that steps have: moves are chosen among the rows of an engine, or in its circuit.

use std::ops::Range;

use propjit_jit::evaluator::{Engine, LaneEvaluator};
use propjit_jit::lanes::advance::{Start, advance, enter};
use propjit_jit::lanes::draw::draw_below;
use propjit_jit::lanes::random::LaneRandom;
use propjit_jit::lanes::select::Selector;

use super::selectors;
use crate::engine::StepEngine;
use crate::ground::{GroundGame, section};
use crate::lane_mask::LaneMask;
use crate::machine::State;
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
    /// In the circuit, by a number for each role.
    Draw(Numbers),
}

/// What the circuit of random steps takes besides states.
pub(super) struct Numbers {
    /// For each role, the inputs that are the number of its move.
    of_roles: Vec<Range<usize>>,
    /// The input that says where the next state is the initial one.
    restart: usize,
    initial: State,
    /// Whether the next state is written where it is read.
    are_in_place: bool,
}

impl Form {
    /// Moves are chosen among the rows of this engine of the game.
    pub(super) fn select(game: &GroundGame, engine: Engine) -> Form {
        let evaluator = LaneEvaluator::new(engine);
        let layout = game.layout();
        let all = StepPhase {
            first_section: section::STATE,
            bases: layout.bases.clone(),
            next: layout.next.clone(),
            restarts: false,
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

    /// Moves are chosen in the circuit of random steps of the game.
    pub(super) fn steps(game: &GroundGame, steps: &StepEngine) -> Form {
        let layout = &steps.layout;
        Form {
            evaluator: LaneEvaluator::new(steps.engine.clone()),
            phases: layout.phases.clone(),
            choice: Choice::Draw(Numbers {
                of_roles: layout.numbers.clone(),
                restart: layout.restart,
                initial: game.initial().clone(),
                are_in_place: layout.in_place > 0,
            }),
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
        for (counts, numbers) in counts.zip(&numbers.of_roles) {
            let (counts, numbers) =
                (self.evaluator).outputs_and_inputs_mut(counts.clone(), numbers.clone());
            let none = draw_below(width, counts, lanes.words(width), random, numbers);
            stuck = stuck.or(LaneMask::from_words(&none));
        }
        stuck
    }

    /// Goes on from a step in phase `now`: in the lanes `starting` to the states that they start
    /// from, and in the others to the next ones, which no lane has if `is_over`.
    pub(super) fn advance(&mut self, now: u64, is_over: bool, starting: &[u64], start: Start<'_>) {
        let width = self.evaluator.width();
        let mut starting = LaneMask::from_words(starting);
        let here = phase(&self.phases, now);
        if let (Choice::Draw(numbers), false) = (&self.choice, is_over) {
            let restarts = self.phases[here].restarts
                && matches!(start, Start::Same(state) if state == numbers.initial.words());
            let none = LaneMask::default();
            let (restarting, others) = if restarts {
                (starting, none)
            } else {
                (none, starting)
            };
            let row = self.evaluator.input_mut(numbers.restart);
            row.copy_from_slice(restarting.words(width));
            starting = others;
        }
        if !is_over {
            self.evaluate(section::NEXT, now);
        }
        let starting = starting.words(width);
        let bases = self.phase(now + 1).bases.clone();
        if let Choice::Draw(Numbers {
            are_in_place: true, ..
        }) = self.choice
        {
            return enter(width, self.evaluator.inputs_mut(bases), starting, start);
        }
        let next = self.phases[here].next.clone();
        let (next, state) = self.evaluator.outputs_and_inputs_mut(next, bases);
        advance(width, next, state, starting, start);
    }

    /// Starts matches in the lanes `starting`, with states in phase `now`.
    pub(super) fn enter(&mut self, now: u64, starting: &[u64], start: Start<'_>) {
        let width = self.evaluator.width();
        let bases = self.phase(now).bases.clone();
        enter(width, self.evaluator.inputs_mut(bases), starting, start);
    }

    /// Takes over the states in phase `now` of another form with as many lanes.
    pub(super) fn take_states(&mut self, other: &Form, now: u64) {
        let states = other.evaluator.inputs(other.phase(now).bases.clone());
        let bases = self.phase(now).bases.clone();
        self.evaluator.inputs_mut(bases).copy_from_slice(states);
    }
}

/// The place of what is evaluated in a step in phase `now`, modulo the period.
fn phase(phases: &[StepPhase], now: u64) -> usize {
    (now % phases.len() as u64) as usize
}
