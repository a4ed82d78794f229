//! The assembler for AVX-512, where any function of three sources is an instruction that
//! overwrites one of them.

use super::cover::{Function, Operation, cover};
use super::evex::EvexEncoder;
use super::registers::{Item, Register};
use super::{Assembler, Assembly, Encoder};
use crate::code::routine::Routine;
use crate::rows::Width;

/// The machine code of a routine, for rows of 256 or 512 lanes.
pub(super) fn assemble(routine: &Routine, width: Width, spill_rows: u32) -> Assembly {
    let operations = cover(routine);
    let encoder = EvexEncoder::new(width);
    let accesses = operations.iter().map(Operation::access);
    let mut assembler = Assembler::new(encoder, width, spill_rows, routine.values, accesses);
    for operation in &operations {
        match *operation {
            Operation::Compute { target, function } => assembler.compute(target, &function),
            Operation::Store { row, from, invert } => assembler.write(row, from, invert),
            Operation::Feedback { row, from, invert } => assembler.feed_back(row, from, invert),
        }
        assembler.registers.step();
    }
    assembler.finish()
}

impl Assembler<EvexEncoder> {
    fn compute(&mut self, target: u32, function: &Function) {
        match function.as_binary() {
            Some((opcode, first, second)) => {
                self.logic(target, opcode, first.into(), second.into())
            }
            None => self.ternary(target, function),
        }
    }

    /// Computes a value by an instruction of three sources.
    fn ternary(&mut self, target: u32, function: &Function) {
        let items = function.filled().map(Item::from);
        let find = |at: &usize| self.registers.find(items[*at]);
        // The operand to overwrite is best one that is not read again, or else one in memory.
        let ends = |at: &usize| find(at).is_some() && self.registers.ends(items[*at]);
        let in_memory = |at: &usize| find(at).is_none();
        let over = (0..3)
            .find(ends)
            .or_else(|| (0..3).find(in_memory))
            .unwrap_or(0);
        let (mut first, mut second) = ((over + 1) % 3, (over + 2) % 3);
        if in_memory(&first) && !in_memory(&second) {
            (first, second) = (second, first);
        }
        let table = function.table_in_order([over, first, second]);
        let result = self.overwritten(items[over]);
        let first = self.register(items[first]);
        let second = self.anywhere(items[second]);
        self.registers.release();
        self.registers.put(result, Item::Value(target));
        self.encoder.ternary(table, result, first, second);
    }

    /// A register with the item, to be overwritten during this instruction.
    fn overwritten(&mut self, item: Item) -> Register {
        match self.registers.find(item) {
            Some(register) if self.registers.ends(item) => {
                self.registers.pin(register);
                register
            }
            Some(register) => {
                self.registers.pin(register);
                let copy = self.scratch();
                self.encoder.copy(copy, register);
                copy
            }
            None => {
                let register = self.scratch();
                let offset = self.memory(item);
                self.encoder.load(register, offset);
                register
            }
        }
    }
}
