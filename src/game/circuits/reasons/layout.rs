//! The numbering of the circuit of a phase.

use std::ops::Range;

use propjit_jit::circuit::OutputId;
use propjit_jit::section::Section;

use crate::game::ground::Layout;

/// The meaning of the inputs and outputs of a [`PhaseCircuit`](super::PhaseCircuit).
///
/// The first inputs are those of the game's circuit. The last three groups of outputs say for each
/// base proposition whether it is part of a reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PhaseLayout {
    /// The inputs that are base propositions.
    pub bases: Range<usize>,
    /// For each role, the inputs that are its moves.
    pub does: Vec<Range<usize>>,
    /// The inputs that say for which base propositions of the next state a reason is wanted.
    pub wanted_next: Range<usize>,
    /// The input that says whether a reason is wanted for the part of [`joint`](Self::joint) about
    /// the role of the target, and the one for the part about the others.
    pub wanted_joint: Range<usize>,
    /// The inputs that say for which of [`state`](Self::state) a reason is wanted.
    pub wanted_state: Range<usize>,
    /// The outputs that are the next base propositions.
    pub next: Range<usize>,
    /// For each role, the outputs that say whether its moves are legal.
    pub legal: Vec<Range<usize>>,
    /// Four outputs about the state: whether it achieves the target, whether it is terminal, whether every
    /// role has a legal move, and whether it misses the target.
    pub state: Range<usize>,
    /// Two outputs about the joint move: whether the move of the target's role is legal, and
    /// whether those of all others are.
    pub joint: Range<usize>,
    /// The reason for the next base propositions that are wanted.
    pub next_reason: Range<usize>,
    /// The reason for the wanted outputs of [`joint`](Self::joint).
    pub joint_reason: Range<usize>,
    /// The reason for the wanted outputs of [`state`](Self::state).
    pub state_reason: Range<usize>,
}

/// The positions in [`PhaseLayout::state`] and [`PhaseLayout::wanted_state`].
pub mod of_state {
    /// The state achieves the target: it is terminal, and the role has exactly one goal, which is
    /// great enough.
    pub const ACHIEVED: usize = 0;
    /// The state is terminal.
    pub const TERMINAL: usize = 1;
    /// Every role has a legal move.
    pub const ABLE: usize = 2;
    /// The state misses the target: it is terminal, and the role has exactly one goal, which is not great enough.
    pub const MISSED: usize = 3;
    /// The number of positions.
    pub const COUNT: usize = 4;
}

/// The positions in [`PhaseLayout::joint`] and [`PhaseLayout::wanted_joint`].
pub mod of_joint {
    /// The move of the target's role is legal.
    pub const OWN: usize = 0;
    /// The moves of all other roles are legal.
    pub const OTHERS: usize = 1;
    /// The number of positions.
    pub const COUNT: usize = 2;
}

/// The sections of engines for phase circuits.
pub mod section {
    /// Legal moves, and the outputs about the state.
    pub const STATE: usize = 0;
    /// The next state.
    pub const NEXT: usize = 1;
    /// The outputs about the joint move.
    pub const JOINT: usize = 2;
    /// The reason for the next state.
    pub const NEXT_REASON: usize = 3;
    /// The reason for the outputs about the joint move.
    pub const JOINT_REASON: usize = 4;
    /// The reason for the outputs about the state.
    pub const STATE_REASON: usize = 5;
}

impl PhaseLayout {
    /// Creates the layout for all phases and targets of a game.
    pub fn new(game: &Layout) -> PhaseLayout {
        let bases = game.bases.len();
        let mut inputs = game.inputs();
        let mut outputs = 0;
        let range = |end: &mut usize, length: usize| {
            *end += length;
            *end - length..*end
        };
        let mut output_range = |length: usize| range(&mut outputs, length);
        PhaseLayout {
            bases: game.bases.clone(),
            does: game.does.clone(),
            wanted_next: range(&mut inputs, bases),
            wanted_joint: range(&mut inputs, of_joint::COUNT),
            wanted_state: range(&mut inputs, of_state::COUNT),
            next: output_range(bases),
            legal: (game.legal.iter())
                .map(|legal| output_range(legal.len()))
                .collect(),
            state: output_range(of_state::COUNT),
            joint: output_range(of_joint::COUNT),
            next_reason: output_range(bases),
            joint_reason: output_range(bases),
            state_reason: output_range(bases),
        }
    }

    /// Returns the outputs of the [`section`]s.
    pub fn sections(&self) -> Vec<Section> {
        let section = |name, ranges: &[&Range<usize>]| {
            let numbers = ranges.iter().copied().cloned().flatten();
            let outputs = numbers.map(|number| OutputId(number as u32));
            Section::alone(outputs.collect()).named(name)
        };
        let state = self.legal.iter().chain([&self.state]);
        let mut sections = vec![section("state", &state.collect::<Vec<_>>())];
        let others = [
            ("next", &self.next),
            ("joint", &self.joint),
            ("next_reason", &self.next_reason),
            ("joint_reason", &self.joint_reason),
            ("state_reason", &self.state_reason),
        ];
        sections.extend(others.map(|(name, range)| section(name, &[range])));
        sections
    }
}
