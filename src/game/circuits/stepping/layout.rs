//! The numbering of a circuit of random steps.

use std::ops::Range;
use std::sync::Arc;

use propjit_jit::circuit::OutputId;
use propjit_jit::count_tree::{count_bits, count_tree_parts};
use propjit_jit::section::Section;

use super::code::StateCode;
use crate::game::ground::{GroundGame, section};

/// The meaning of the inputs and outputs of a circuit of random steps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepLayout {
    /// The input that says whether the next state is to be the initial one: see
    /// [`StepPhase::restarts`].
    pub restart: usize,
    /// The meaning of the bits of a state.
    pub code: Arc<StateCode>,
    /// The inputs and outputs about states in each phase.
    pub phases: Vec<StepPhase>,
    /// The number of outputs.
    pub outputs: usize,
    /// The number of the first outputs that are [in place](propjit_jit::circuit::Circuit::in_place)
    /// of inputs: if there are several phases, the next state is that of the next phase.
    pub in_place: usize,
}

/// The meaning of the inputs and outputs of a circuit of random steps, for states in one of the
/// phases.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepPhase {
    /// The number of the first section for states in this phase; the sections follow in the order
    /// of [`section`].
    pub first_section: usize,
    /// For each role, the inputs that are the number of its move among its legal ones, from 0,
    /// least significant bit first.
    pub numbers: Vec<Range<usize>>,
    /// The inputs that are the bits of the state.
    pub state: Range<usize>,
    /// For each base proposition, its value in all states of the phase, if that is always the same:
    /// a bit that represents it is neither read nor evaluated.
    pub constants: Vec<Option<bool>>,
    /// The outputs that are the bits of the next state.
    pub next: Range<usize>,
    /// Whether matches may start with the next state: the initial state is in the next phase.
    pub restarts: bool,
    /// For each role, the outputs that are the number of its legal moves, least significant bit
    /// first. They are in [`section::STATE`], in the place of legal moves.
    pub counts: Vec<Range<usize>>,
    /// For each role, the outputs that are the [parts](propjit_jit::count_tree::CountTree::parts)
    /// of the count. Evaluated before it, they give a good order of evaluation.
    pub parts: Vec<Range<usize>>,
    /// The output that says whether the state is terminal.
    pub terminal: usize,
    /// For each role, the outputs that say whether it has each goal value.
    pub goals: Vec<Range<usize>>,
}

/// The number of sections of a phase.
const SECTIONS: usize = 3;

impl StepLayout {
    /// Creates the layout for a game.
    pub fn new(game: &GroundGame) -> StepLayout {
        fn run(end: &mut usize, length: usize) -> Range<usize> {
            *end += length;
            *end - length..*end
        }
        let (layout, phases) = (game.layout(), game.phases());
        let bits = || layout.does.iter().map(|does| count_bits(does.len()));
        let code = Arc::new(StateCode::new(game));
        let (mut inputs, mut outputs) = (0, 0);
        let restart = run(&mut inputs, 1).start;
        let period = phases.period();
        let numbers: Vec<Vec<Range<usize>>> = (0..period)
            .map(|_| bits().map(|bits| run(&mut inputs, bits)).collect())
            .collect();
        let states: Vec<Range<usize>> =
            (0..period).map(|_| run(&mut inputs, code.bits())).collect();
        let nexts: Vec<Range<usize>> = (0..period)
            .map(|_| run(&mut outputs, code.bits()))
            .collect();
        let in_place = if period > 1 { outputs } else { 0 };
        let initial = phases.of(game.initial());
        let phase = |number: usize| StepPhase {
            first_section: SECTIONS * number,
            numbers: numbers[number].clone(),
            state: states[number].clone(),
            constants: game.phase_constants().of(number).to_vec(),
            next: nexts[(number + 1) % period].clone(),
            restarts: initial == Some((number + 1) % period),
            counts: bits().map(|bits| run(&mut outputs, bits)).collect(),
            parts: (layout.does.iter())
                .map(|does| run(&mut outputs, count_tree_parts(does.len())))
                .collect(),
            terminal: run(&mut outputs, 1).start,
            goals: (layout.goals.iter())
                .map(|goals| run(&mut outputs, goals.len()))
                .collect(),
        };
        StepLayout {
            restart,
            phases: (0..period).map(phase).collect(),
            outputs,
            in_place,
            code,
        }
    }

    /// Returns the number of inputs.
    pub fn inputs(&self) -> usize {
        let states = self.phases.iter().map(|phase| phase.state.end);
        states.max().unwrap_or(0)
    }

    /// Returns the sections.
    pub fn sections(&self) -> Vec<Section> {
        let of_phase = |phase: &StepPhase| phase.sections(self.changing_after(phase));
        self.phases.iter().flat_map(of_phase).collect()
    }

    /// Returns the bits of states that are not constant in the phase after this one.
    pub(super) fn changing_after(&self, phase: &StepPhase) -> impl Iterator<Item = usize> {
        let after = phase.first_section / SECTIONS + 1;
        let constants = &self.phases[after % self.phases.len()].constants;
        let plain = self.code.plain();
        let plain = plain.filter(|&(_, base)| constants[base].is_none());
        let groups = self.code.groups().iter();
        let numbers = groups.flat_map(|group| group.bits.clone());
        plain.map(|(bit, _)| bit).chain(numbers)
    }
}

impl StepPhase {
    /// Returns the sections, in which these bits of the next state are evaluated.
    fn sections(&self, changing: impl Iterator<Item = usize>) -> [Section; SECTIONS] {
        let outputs = |numbers: &mut dyn Iterator<Item = usize>| -> Vec<OutputId> {
            numbers.map(|number| OutputId(number as u32)).collect()
        };
        let counts = self.parts.iter().chain(&self.counts).cloned().flatten();
        let state = self.first_section + section::STATE;
        let after_state = |name, outputs| Section::alone(outputs).named(name).following(state);
        [
            Section::alone(outputs(&mut counts.chain([self.terminal]))).named("state"),
            after_state(
                "next",
                outputs(&mut changing.map(|bit| self.next.start + bit)),
            ),
            after_state("goals", outputs(&mut self.goals.iter().cloned().flatten())),
        ]
    }
}
