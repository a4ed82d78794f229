//! The circuit as machine code.
//!
//! There are two forms, each made when it is first wanted: for playouts, where the
//! parts of a step follow each other and share what they compute; and for single
//! questions, where each part stands alone, so that nothing is computed that is not
//! asked for.

use propjit_jit::assumptions::Assumptions;
use propjit_jit::circuit::{Circuit, InputId, OutputId};
use propjit_jit::code::{Code, CodeConfig, CompileError, Guards};
use propjit_jit::section::Section;

use super::GroundGame;
use super::ground::section;
use super::lower::Layout;

/// The sections of code for single questions: each of them can be evaluated without
/// the others.
pub mod alone {
    /// Terminal.
    pub const TERMINAL: usize = 0;
    /// Legal moves.
    pub const LEGAL: usize = 1;
    /// The next state.
    pub const NEXT: usize = 2;
    /// The goals of the state.
    pub const GOALS: usize = 3;
    /// How many sections there are.
    pub const COUNT: usize = 4;
}

/// What is computed for playouts, in the sections [`section`]: each after the first one
/// builds on it.
pub fn playout_sections(layout: &Layout) -> [Section; 3] {
    let legal = layout.legal.iter().cloned().flatten();
    let after_state = |outputs| Section {
        outputs,
        after: Some(section::STATE),
    };
    [
        Section::alone(outputs(legal.chain([layout.terminal]))),
        after_state(outputs(layout.next.clone())),
        after_state(outputs(layout.goals.iter().cloned().flatten())),
    ]
}

/// What is computed for playouts with [decisive](crate::decisive) moves: the same,
/// and in a section of its own, whether each role has any.
pub fn decisive_sections(layout: &Layout) -> [Section; 4] {
    let [state, next, goals] = playout_sections(layout);
    let decisive = Section {
        outputs: outputs(layout.decisive()),
        after: Some(section::STATE),
    };
    [state, next, goals, decisive]
}

/// What code for single questions computes, in the sections [`alone`].
pub fn state_sections(layout: &Layout) -> [Section; alone::COUNT] {
    let legal = layout.legal.iter().cloned().flatten();
    let goals = layout.goals.iter().cloned().flatten();
    let sections = [
        outputs([layout.terminal]),
        outputs(legal),
        outputs(layout.next.clone()),
        outputs(goals),
    ];
    sections.map(Section::alone)
}

/// Code for playouts.
pub fn for_playouts(game: &GroundGame, config: &CodeConfig) -> Result<Code, CompileError> {
    let circuit = &game.min_gates().circuit;
    compile(game, circuit, &playout_sections(game.layout()), config)
}

/// Code for playouts with decisive moves, which this circuit has.
pub fn for_decisive_playouts(
    game: &GroundGame,
    circuit: &Circuit,
    config: &CodeConfig,
) -> Result<Code, CompileError> {
    compile(game, circuit, &decisive_sections(game.layout()), config)
}

/// Code for single questions.
pub fn for_states(game: &GroundGame, config: &CodeConfig) -> Result<Code, CompileError> {
    let circuit = &game.min_gates().circuit;
    compile(game, circuit, &state_sections(game.layout()), config)
}

fn compile(
    game: &GroundGame,
    circuit: &Circuit,
    sections: &[Section],
    config: &CodeConfig,
) -> Result<Code, CompileError> {
    let guards = guards(game, &game.layout().assumptions());
    let code = Code::compile(circuit, sections, &guards, config)?;
    tracing::debug!(
        bytes = code.bytes(),
        functions = code.functions(),
        time = ?code.time(),
        "compiled"
    );
    Ok(code)
}

/// What guards parts of the code, under the assumptions that the circuit was made with.
pub(crate) fn guards(game: &GroundGame, assumptions: &Assumptions) -> Guards {
    let periodic = game.phases().bases().iter();
    Guards {
        inputs: periodic.map(|&base| InputId(base as u32)).collect(),
        implies: assumptions.implies.clone(),
    }
}

fn outputs(numbers: impl IntoIterator<Item = usize>) -> Vec<OutputId> {
    let numbers = numbers.into_iter();
    numbers.map(|number| OutputId(number as u32)).collect()
}
