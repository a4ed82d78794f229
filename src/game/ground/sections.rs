//! Sections of a step: groups of outputs that are evaluated together.
//!
//! There are two ways to cut a step. For playouts, the parts follow each other and share
//! what they compute: [`section`]. For single queries, each part stands alone, so that only
//! requested outputs are computed: [`alone`].

use propjit_jit::circuit::OutputId;
use propjit_jit::section::Section;

use super::layout::Layout;

/// The sections of engines for playouts and batches. The others come after
/// [`STATE`](section::STATE), and build on it.
pub mod section {
    /// Legal moves and terminal.
    pub const STATE: usize = 0;
    /// The next state.
    pub const NEXT: usize = 1;
    /// The goals of the state (not of the next).
    pub const GOALS: usize = 2;
    /// What each role perceives after the joint move; not in engines for playouts with decisive moves.
    pub const PERCEPTS: usize = 3;
    /// For each role, whether some of its moves are left out: only in engines for playouts with
    /// [decisive moves](crate::game::circuits::decisive), in the place of the percepts.
    pub const DECISIVE: usize = 3;
}

/// The sections of engines for single queries. Each can be evaluated without the others.
pub mod alone {
    /// Terminal.
    pub const TERMINAL: usize = 0;
    /// Legal moves.
    pub const LEGAL: usize = 1;
    /// The next state.
    pub const NEXT: usize = 2;
    /// The goals of the state.
    pub const GOALS: usize = 3;
    /// What each role perceives after the joint move.
    pub const PERCEPTS: usize = 4;
    /// The number of sections.
    pub const COUNT: usize = 5;
}

/// Returns the outputs of the sections of [`section`] in engines for all legal moves.
pub fn playout_sections(layout: &Layout) -> [Section; 4] {
    let legal = layout.legal.iter().cloned().flatten();
    [
        Section::alone(outputs(legal.chain([layout.terminal]))).named("state"),
        after_state("next", layout.next.clone()),
        after_state("goals", layout.goals.iter().cloned().flatten()),
        after_state("percepts", layout.percepts.iter().cloned().flatten()),
    ]
}

/// Returns the outputs of the sections of [`section`] in engines with decisive moves, with those that a
/// [decisive circuit](crate::game::circuits::decisive::DecisiveCircuit) has.
pub fn decisive_sections(layout: &Layout) -> [Section; 4] {
    let [state, next, goals, _] = playout_sections(layout);
    [
        state,
        next,
        goals,
        after_state("decisive", layout.decisive()),
    ]
}

/// Returns the outputs of the sections of [`alone`].
pub fn state_sections(layout: &Layout) -> [Section; alone::COUNT] {
    let legal = layout.legal.iter().cloned().flatten();
    let goals = layout.goals.iter().cloned().flatten();
    let sections = [
        ("terminal", outputs([layout.terminal])),
        ("legal", outputs(legal)),
        ("next", outputs(layout.next.clone())),
        ("goals", outputs(goals)),
        (
            "percepts",
            outputs(layout.percepts.iter().cloned().flatten()),
        ),
    ];
    sections.map(|(name, outputs)| Section::alone(outputs).named(name))
}

fn after_state(name: &'static str, numbers: impl IntoIterator<Item = usize>) -> Section {
    let section = Section::alone(outputs(numbers)).named(name);
    section.following(section::STATE)
}

fn outputs(numbers: impl IntoIterator<Item = usize>) -> Vec<OutputId> {
    let numbers = numbers.into_iter();
    numbers.map(|number| OutputId(number as u32)).collect()
}
