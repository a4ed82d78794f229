//! Bit-sliced interpreter of the circuit: a bit of each word is a game.

use propjit_jit::evaluator::Engine;

use super::MachineError;
use super::broadcast::{BroadcastEvaluator, Sections};
use super::circuit::CircuitMachine;
use crate::game::engine::Programs;
use crate::game::ground::{Port, section};

/// A game played by the lanes interpreter, all lanes alike.
pub type LanesMachine = CircuitMachine<BroadcastEvaluator<Interpreted>>;

/// Interpreted, in the sections that playouts have.
#[derive(Debug)]
pub enum Interpreted {}

impl Sections for Interpreted {
    const NEXT: &'static [usize] = &[section::STATE, section::NEXT];
    const PERCEPTS: &'static [usize] = &[section::STATE, section::PERCEPTS];

    fn engine(programs: &Programs) -> Result<Engine, MachineError> {
        Ok(programs.interpreter())
    }

    fn needs(port: Port) -> &'static [usize] {
        match port {
            Port::Terminal | Port::Legal(_) => &[section::STATE],
            Port::Goals(_) => &[section::STATE, section::GOALS],
        }
    }
}
