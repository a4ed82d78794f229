//! Figures of machine code.

use propjit_jit::code::Code;
use serde::Serialize;

/// The machine code of a game.
#[derive(Clone, Debug, Serialize)]
pub struct CodeFigures {
    /// The code that plays at random.
    pub playouts: CodeSize,
    /// The code that answers single questions.
    pub states: CodeSize,
}

/// The size of a piece of machine code, and the time that it took.
#[derive(Clone, Debug, Serialize)]
pub struct CodeSize {
    /// How long it took to compile.
    pub seconds: f64,
    /// Its length.
    pub bytes: usize,
    /// How many functions it is cut into.
    pub functions: usize,
}

impl CodeSize {
    pub(super) fn of(code: &Code) -> CodeSize {
        CodeSize {
            seconds: code.time().as_secs_f64(),
            bytes: code.bytes(),
            functions: code.functions(),
        }
    }
}
