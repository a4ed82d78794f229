//! An assembler for x86-64 with AVX2: 256 lanes in a register.
//!
//! Cranelift has no 256-bit vectors, and straight-line logic needs little of a
//! compiler: four kinds of instructions, one register class, no control flow.
//! So code is made in one pass, a hundred times faster than Cranelift makes it, and
//! for twice the lanes. When a register is needed, the value that is read last is
//! given up (Belady, "A study of replacement algorithms for a virtual-storage
//! computer", 1966), which is best possible here because all readings are known.

mod encode;
mod registers;

use encode::{Encoder, Opcode, Register, Source};
use registers::{Item, Registers};

use target_lexicon::Triple;

use super::config::Generator;
use super::error::CompileError;
use super::routine::{Instruction, Operand, Operator, Routine};
use crate::rows::Layout;
use crate::rows::Width;

/// An assembled routine.
#[derive(Debug)]
pub(super) struct Assembly {
    pub code: Vec<u8>,
    /// How many rows it needs for values that registers have no room for.
    pub spills: u32,
}

/// Refuses widths, targets and CPUs for which there is no code; without a target, it is
/// for this CPU.
pub(super) fn check(width: Width, target: Option<&Triple>) -> Result<(), CompileError> {
    let unsupported = |target: String, reason: &str| CompileError::Target {
        target,
        reason: reason.to_string(),
    };
    match (width, target) {
        (_, Some(target)) => Err(unsupported(target.to_string(), "AVX2 is for this CPU only")),
        _ if !Generator::Avx2.is_supported() => Err(unsupported(
            Triple::host().to_string(),
            "the CPU has no AVX2",
        )),
        (Width::X128 | Width::X256, _) => Ok(()),
        (Width::X64 | Width::X512, _) => Err(CompileError::Width(width)),
    }
}

/// The machine code of a routine, for rows of 128 or 256 lanes. Values that registers
/// have no room for go to rows from `spill_rows` on.
pub(super) fn assemble(routine: &Routine, width: Width, spill_rows: u32) -> Assembly {
    let mut assembler = Assembler {
        encoder: Encoder::new(width),
        registers: Registers::new(routine),
        row_bytes: 8 * width.words() as u32,
        spill_rows,
        changes: None,
    };
    for instruction in &routine.instructions {
        assembler.instruction(*instruction);
        assembler.registers.step();
    }
    match assembler.changes {
        Some(changes) => assembler.encoder.return_any(changes),
        None => assembler.encoder.return_zero(),
    }
    Assembly {
        code: assembler.encoder.finish(),
        spills: assembler.registers.spills(),
    }
}

struct Assembler {
    encoder: Encoder,
    registers: Registers,
    row_bytes: u32,
    spill_rows: u32,
    /// Holds the lanes that feedback has changed, if there is feedback.
    changes: Option<Register>,
}

impl Assembler {
    fn instruction(&mut self, instruction: Instruction) {
        match instruction {
            Instruction::Compute {
                target,
                operator,
                a,
                b,
            } => {
                self.compute(target, operator, Item::from(a), Item::from(b));
            }
            Instruction::Store { row, from, invert } => {
                let register = self.source(Item::from(from), invert);
                self.encoder.store(self.row(row), register);
                if let (Operand::Value(value), false) = (from, invert) {
                    self.registers.stored(value, row);
                }
            }
            Instruction::Feedback { row, from, invert } => {
                let changes = self.changes();
                let source = self.source(Item::from(from), invert);
                let change = self.scratch();
                let row = self.row(row);
                self.encoder.load(change, row);
                let encoder = &mut self.encoder;
                // What the source has and the row does not have; then what either has.
                encoder.logic(Opcode::AndNot, change, change, Source::Register(source));
                encoder.logic(Opcode::Or, changes, changes, Source::Register(change));
                encoder.logic(Opcode::Or, change, change, Source::Memory(row));
                self.encoder.store(row, change);
            }
        }
    }

    fn compute(&mut self, target: u32, operator: Operator, a: Item, b: Item) {
        // The second source may be in memory, and the first one is what is inverted.
        let (opcode, first, second) = match operator {
            Operator::And => (Opcode::And, a, b),
            Operator::Or => (Opcode::Or, a, b),
            Operator::Xor => (Opcode::Xor, a, b),
            Operator::AndNot => (Opcode::AndNot, b, a),
        };
        let in_memory = |item| self.registers.find(item).is_none();
        let (first, second) = match opcode {
            Opcode::AndNot => (first, second),
            _ if in_memory(first) && !in_memory(second) => (second, first),
            _ => (first, second),
        };
        let first = self.register(first);
        let second = match self.registers.find(second) {
            Some(register) => Source::Register(register),
            None => Source::Memory(self.memory(second)),
        };
        // Operands that are not read again make room for the result.
        self.registers.release();
        let result = self.free();
        self.registers.put(result, Item::Value(target));
        self.encoder.logic(opcode, result, first, second);
    }

    /// A register with the item, or its inverse.
    fn source(&mut self, item: Item, invert: bool) -> Register {
        let register = self.register(item);
        if !invert {
            return register;
        }
        let inverse = self.scratch();
        let ones = Source::Memory(self.row(Layout::TRUE));
        self.encoder.logic(Opcode::AndNot, inverse, register, ones);
        inverse
    }

    /// A register with the item, which is not given up during this instruction.
    fn register(&mut self, item: Item) -> Register {
        let register = self.registers.find(item).unwrap_or_else(|| {
            let register = self.free();
            let offset = self.memory(item);
            self.encoder.load(register, offset);
            self.registers.put(register, item);
            register
        });
        self.registers.pin(register);
        register
    }

    /// A register for this instruction alone.
    fn scratch(&mut self) -> Register {
        let register = self.free();
        self.registers.pin(register);
        register
    }

    /// The register where changes are collected, which is never given up.
    fn changes(&mut self) -> Register {
        if let Some(register) = self.changes {
            return register;
        }
        let register = self.free();
        self.registers.reserve(register);
        self.encoder
            .logic(Opcode::Xor, register, register, Source::Register(register));
        *self.changes.insert(register)
    }

    /// A free register; if there is none, the item read last is given up.
    fn free(&mut self) -> Register {
        let freed = self.registers.free();
        if let Some(slot) = freed.spill {
            let offset = self.row(self.spill_rows + slot);
            self.encoder.store(offset, freed.register);
        }
        freed.register
    }

    /// Where an item is in memory.
    fn memory(&self, item: Item) -> i32 {
        match (item, self.registers.home(item)) {
            (Item::Row(row), _) => self.row(row),
            (Item::Value(_), registers::Home::Row(row)) => self.row(row),
            (Item::Value(_), registers::Home::Spilled(slot)) => self.row(self.spill_rows + slot),
            (Item::Value(_), registers::Home::None) => unreachable!("values are somewhere"),
        }
    }

    /// The offset of a row in bytes; plans have no more rows than this can express.
    fn row(&self, row: u32) -> i32 {
        (row * self.row_bytes) as i32
    }
}
