//! Move selection strategies of a step: among the rows of an engine, or in its circuit.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use propjit_jit::evaluator::{Engine, LaneEvaluator};
use propjit_jit::lanes::advance::{Start, advance, enter};
use propjit_jit::lanes::draw::draw_below;
use propjit_jit::lanes::random::LaneRandom;
use propjit_jit::lanes::select::Selector;

use super::selectors;
use crate::game::circuits::stepping::{StateCode, StepPhase};
use crate::game::engine::StepEngine;
use crate::game::ground::{GroundGame, section};
use crate::game::machine::State;
use crate::game::vocabulary::lane_mask::LaneMask;

/// An evaluator of steps.
pub(super) struct Form {
    pub(super) evaluator: LaneEvaluator,
    /// The inputs and outputs of each phase; one for all phases if they are the same.
    pub(super) phases: Vec<StepPhase>,
    pub(super) choice: Choice,
    marks: OnceCell<Option<Vec<MarkRows>>>,
}

/// The rows of a phase's states that are marks: the number of the move that leaves the mark, and the index of
/// the row.
pub(super) type MarkRows = Vec<(u32, usize)>;

/// The way in which moves are chosen.
pub(super) enum Choice {
    /// Among the rows of legal moves, by a selector for each role.
    Select(Vec<Selector>),
    /// In the circuit, by a number for each role.
    Draw(Numbers),
}

/// The inputs of the circuit of random steps besides states.
pub(super) struct Numbers {
    /// In each phase, for each role that may have a choice or be stuck, the outputs that are the
    /// number of its legal moves, and the inputs that are the number of the chosen one.
    drawn: Vec<Vec<(Range<usize>, Range<usize>)>>,
    /// The input that says where the next state is the initial one.
    restart: usize,
    initial: State,
    code: Arc<StateCode>,
    /// Whether the next state is written where it is read.
    are_in_place: bool,
}

impl Form {
    /// Creates a form that chooses moves among the rows of this engine of the game.
    pub(super) fn select(game: &GroundGame, engine: Engine) -> Form {
        let evaluator = LaneEvaluator::new(engine);
        let layout = game.layout();
        let all = StepPhase {
            first_section: section::STATE,
            numbers: Vec::new(),
            state: layout.bases.clone(),
            constants: Vec::new(),
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
            marks: OnceCell::new(),
        }
    }

    /// Creates a form that chooses moves in the circuit of random steps of the game.
    pub(super) fn steps(game: &GroundGame, steps: &StepEngine) -> Form {
        let layout = &steps.layout;
        let evaluator = LaneEvaluator::new(steps.engine.clone());
        // Other roles always have one legal move, with number 0.
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
                code: layout.code.clone(),
                are_in_place: layout.in_place > 0,
            }),
            phases: layout.phases.clone(),
            evaluator,
            marks: OnceCell::new(),
        }
    }

    pub(super) fn is_draw(&self) -> bool {
        matches!(self.choice, Choice::Draw(_))
    }

    /// Returns, for each of `phases`, the rows of its states that are [marks](crate::game::ground::MoveMarks)
    /// of moves; `None` if moves leave no marks, or these have no rows of their own.
    pub(super) fn marks(&self, game: &GroundGame) -> Option<&[MarkRows]> {
        let marks = self.marks.get_or_init(|| {
            let marks = game.move_marks()?;
            let rows = |phase: &StepPhase| -> Option<MarkRows> {
                let rows = marks.each().map(|(number, base)| match &self.choice {
                    Choice::Select(_) => Some((number, base)),
                    Choice::Draw(Numbers { code, .. }) => {
                        // Constant propositions are not in the rows.
                        let bit = code
                            .plain_bit(base)
                            .filter(|_| phase.constants[base].is_none());
                        bit.map(|bit| (number, bit))
                    }
                });
                rows.collect()
            };
            self.phases.iter().map(rows).collect()
        });
        marks.as_deref()
    }

    /// Returns the index in `phases` for a step in phase `now`, modulo the period.
    pub(super) fn at(&self, now: u64) -> usize {
        (now % self.phases.len() as u64) as usize
    }

    /// Evaluates one of the sections that are named in [`section`], at an index in `phases`.
    pub(super) fn evaluate(&mut self, section: usize, at: usize) {
        let first = self.phases[at].first_section;
        self.evaluator.evaluate(first + section);
    }

    /// Draws the numbers of moves in these lanes, at an index in `phases`. Returns the lanes in
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

    /// Advances from a step at an index in `phases`: in the lanes `starting` to the states that
    /// they start from, and in the others to the next ones, which no lane has if `is_over`.
    pub(super) fn advance(
        &mut self,
        at: usize,
        is_over: bool,
        starting: LaneMask,
        start: Start<'_>,
    ) {
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
        let is_in_place = matches!(&self.choice, Choice::Draw(numbers) if numbers.are_in_place);
        self.put((!is_in_place).then_some(at), after, entering, start);
    }

    /// Returns the code of states, unless each proposition has its own bit.
    pub(super) fn code(&self) -> Option<&StateCode> {
        match &self.choice {
            Choice::Draw(numbers) if !numbers.code.is_plain() => Some(numbers.code.as_ref()),
            _ => None,
        }
    }

    /// Starts matches in the lanes `starting`, with states in phase `now`. Different states are given
    /// in the code.
    pub(super) fn enter(&mut self, now: u64, starting: LaneMask, start: Start<'_>) {
        self.put(None, self.at(now), starting, start);
    }

    /// Puts states at an index in `phases`: in the lanes `starting` those that they start from, and
    /// in the others the next ones of the index `next_of`, or the existing ones.
    fn put(&mut self, next_of: Option<usize>, at: usize, starting: LaneMask, start: Start<'_>) {
        let width = self.evaluator.width();
        let state = self.phases[at].state.clone();
        let mut coded = State::new();
        let start = match (self.code(), start) {
            (Some(code), Start::Same(words)) if !starting.is_empty() => {
                coded.assign(words);
                coded = code.encode(&coded);
                Start::Same(coded.words())
            }
            _ => start,
        };
        let lanes = starting.words(width);
        match next_of {
            Some(before) => {
                let next = self.phases[before].next.clone();
                let (next, state) = self.evaluator.outputs_and_inputs_mut(next, state);
                advance(width, next, state, lanes, start);
            }
            None => enter(width, self.evaluator.inputs_mut(state), lanes, start),
        }
    }

    /// Takes over the states in phase `now` of another form with as many lanes.
    pub(super) fn take_states(&mut self, other: &Form, now: u64) {
        let states = other.states(now);
        let width = self.evaluator.width();
        let state = self.phases[self.at(now)].state.clone();
        let state = self.evaluator.inputs_mut(state);
        match &self.choice {
            Choice::Draw(Numbers { code, .. }) => code.encode_rows(width, &states, state),
            Choice::Select(_) => state.copy_from_slice(&states),
        }
    }

    /// Returns the rows of the propositions of the states in phase `now`.
    fn states(&self, now: u64) -> Vec<u64> {
        let phase = &self.phases[self.at(now)];
        let state = self.evaluator.inputs(phase.state.clone());
        let Choice::Draw(Numbers { code, .. }) = &self.choice else {
            return state.to_vec();
        };
        let width = self.evaluator.width();
        let mut bases = vec![0; phase.constants.len() * width.words()];
        code.decode_rows(width, state, &mut bases);
        // Constant propositions were not evaluated.
        let rows = bases.chunks_exact_mut(width.words());
        for (row, constant) in rows.zip(&phase.constants) {
            if let Some(value) = constant {
                row.fill(if *value { !0 } else { 0 });
            }
        }
        bases
    }
}
