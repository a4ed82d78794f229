//! The disassembly of a game's machine code.

use propjit_jit::code::{self, CodeConfig, CompileError, Listing, ListingForm};
use propjit_jit::section::Section;

use crate::game::engine::compile::guards;
use crate::game::ground::GroundGame;

/// Compiles these sections of a game's circuit and lists the code.
///
/// # Errors
/// As for [`Code::compile`](propjit_jit::code::Code::compile).
pub fn disassemble(
    game: &GroundGame,
    sections: &[Section],
    config: &CodeConfig,
    form: ListingForm,
) -> Result<Vec<Listing>, CompileError> {
    let circuit = &game.min_gates().circuit;
    let guards = guards(game, &game.layout().assumptions());
    code::disassemble(circuit, sections, &guards, config, form)
}
