//! Bit-sliced machine code of the circuit: a bit of each register is a game.

use propjit_jit::evaluator::Engine;

use super::MachineError;
use super::broadcast::{BroadcastEvaluator, Sections};
use super::circuit::CircuitMachine;
use crate::game::engine::Programs;
use crate::game::ground::Port;
use crate::game::ground::sections::alone;

/// A game played by machine code, all lanes alike.
pub type CompiledMachine = CircuitMachine<BroadcastEvaluator<Compiled>>;

/// Compiled, with each section separately.
#[derive(Debug)]
pub enum Compiled {}

impl Sections for Compiled {
    const NEXT: &'static [usize] = &[alone::NEXT];
    const PERCEPTS: &'static [usize] = &[alone::PERCEPTS];

    fn engine(programs: &Programs) -> Result<Engine, MachineError> {
        Ok(Engine::Code(programs.state_code()?))
    }

    fn needs(port: Port) -> &'static [usize] {
        match port {
            Port::Terminal => &[alone::TERMINAL],
            Port::Legal(_) => &[alone::LEGAL],
            Port::Goals(_) => &[alone::GOALS],
        }
    }
}
