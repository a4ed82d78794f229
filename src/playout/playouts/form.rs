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
    /// In each phase, for each role that may have a choice or be stuck, the outputs that are the
    /// number of its legal moves, and the inputs that are the number of the chosen one.
    drawn: Vec<Vec<(Range<usize>, Range<usize>)>>,
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
            numbers: Vec::new(),
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
        let evaluator = LaneEvaluator::new(steps.engine.clone());
        // Others always have one legal move, with number 0.
        let is_drawn = |counts: &Range<usize>| {
            evaluator.live_outputs(counts.clone()) != [0] || !evaluator.is_always_true(counts.start)
        };
        let drawn = layout.phases.iter().map(|phase| {
            let roles = phase.counts.iter().cloned().zip(phase.numbers.clone());
            roles.filter(|(counts, _)| is_drawn(counts)).collect()
        });
        Form {
            choice: Choice::Draw(Numbers {
                drawn: drawn.collect(),
                restart: layout.restart,
                initial: game.initial().clone(),
                are_in_place: layout.in_place > 0,
            }),
            phases: layout.phases.clone(),
            evaluator,
        }
    }

    pub(super) fn is_draw(&self) -> bool {
        matches!(self.choice, Choice::Draw(_))
    }

    /// The place in `phases` for a step in phase `now`, modulo the period.
    pub(super) fn at(&self, now: u64) -> usize {
        (now % self.phases.len() as u64) as usize
    }

    /// Evaluates one of the sections that are named in [`section`], at a place in `phases`.
    pub(super) fn evaluate(&mut self, section: usize, at: usize) {
        let first = self.phases[at].first_section;
        self.evaluator.evaluate(first + section);
    }

    /// Draws the numbers of moves in these lanes, at a place in `phases`. Returns the lanes in
    /// which a role has no move.
    pub(super) fn draw(&mut self, at: usize, lanes: LaneMask, random: &mut LaneRandom) -> LaneMask {
        let mut stuck = LaneMask::default();
        let Choice::Draw(numbers) = &self.choice else {
            return stuck;
        };
        let width = self.evaluator.width();
        for (counts, numbers) in &numbers.drawn[at] {
            let (counts, numbers) =
                (self.evaluator).outputs_and_inputs_mut(counts.clone(), numbers.clone());
            let none = draw_below(width, counts, lanes.words(width), random, numbers);
            stuck = stuck.or(LaneMask::from_words(&none));
        }
        stuck
    }

    /// Goes on from a step at a place in `phases`: in the lanes `starting` to the states that they
    /// start from, and in the others to the next ones, which no lane has if `is_over`.
    pub(super) fn advance(
        &mut self,
        at: usize,
        is_over: bool,
        starting: LaneMask,
        start: Start<'_>,
    ) {
        let width = self.evaluator.width();
        let mut entering = starting;
        if !is_over {
            if let Choice::Draw(numbers) = &self.choice {
                let restarts = !starting.is_empty()
                    && self.phases[at].restarts
                    && matches!(start, Start::Same(state) if state == numbers.initial.words());
                let mut restarting = LaneMask::default();
                if restarts {
                    std::mem::swap(&mut restarting, &mut entering);
                }
                restarting.write(self.evaluator.input_mut(numbers.restart));
            }
            self.evaluate(section::NEXT, at);
        }
        let after = if at + 1 < self.phases.len() {
            at + 1
        } else {
            0
        };
        let bases = self.phases[after].bases.clone();
        let entering_words = entering.words(width);
        if let Choice::Draw(Numbers {
            are_in_place: true, ..
        }) = self.choice
        {
            if !entering.is_empty() {
                enter(
                    width,
                    self.evaluator.inputs_mut(bases),
                    entering_words,
                    start,
                );
            }
            return;
        }
        let next = self.phases[at].next.clone();
        let (next, state) = self.evaluator.outputs_and_inputs_mut(next, bases);
        advance(width, next, state, entering_words, start);
    }

    /// Starts matches in the lanes `starting`, with states in phase `now`.
    pub(super) fn enter(&mut self, now: u64, starting: LaneMask, start: Start<'_>) {
        let width = self.evaluator.width();
        let bases = self.phases[self.at(now)].bases.clone();
        let state = self.evaluator.inputs_mut(bases);
        enter(width, state, starting.words(width), start);
    }

    /// Takes over the states in phase `now` of another form with as many lanes.
    pub(super) fn take_states(&mut self, other: &Form, now: u64) {
        let states = other.phases[other.at(now)].bases.clone();
        let states = other.evaluator.inputs(states);
        let bases = self.phases[self.at(now)].bases.clone();
        self.evaluator.inputs_mut(bases).copy_from_slice(states);
    }
}
