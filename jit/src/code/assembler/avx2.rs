//! The assembler for AVX2, whose instructions have two sources and a target.

use super::registers::Item;
use super::vex::VexEncoder;
use super::{Assembler, Assembly, Opcode};
use crate::code::routine::{Instruction, Operator, Routine};
use crate::rows::Width;

/// The machine code of a routine, for rows of 128 or 256 lanes.
pub(super) fn assemble(routine: &Routine, width: Width, spill_rows: u32) -> Assembly {
    let encoder = VexEncoder::new(width);
    let accesses = routine.instructions.iter().map(Instruction::access);
    let mut assembler = Assembler::new(encoder, width, spill_rows, routine.values, accesses);
    for &instruction in &routine.instructions {
        match instruction {
            Instruction::Compute {
                target,
                operator,
                a,
                b,
            } => assembler.compute(target, operator, Item::from(a), Item::from(b)),
            Instruction::Store { row, from, invert } => assembler.write(row, from, invert),
            Instruction::Feedback { row, from, invert } => assembler.feed_back(row, from, invert),
        }
        assembler.registers.step();
    }
    assembler.finish()
}

impl Assembler<VexEncoder> {
    fn compute(&mut self, target: u32, operator: Operator, a: Item, b: Item) {
        let (opcode, first, second) = match operator {
            Operator::And => (Opcode::And, a, b),
            Operator::Or => (Opcode::Or, a, b),
            Operator::Xor => (Opcode::Xor, a, b),
            Operator::AndNot => (Opcode::AndNot, b, a),
        };
        self.logic(target, opcode, first, second);
    }
}
