//! Assemblers for x86-64: 256 lanes in a register with AVX2, 512 with AVX-512.
//!
//! Cranelift has no vectors of more than 128 bits, and straight-line logic needs little of a
//! compiler: a few kinds of instructions, one register class, no control flow.
//! So code is made in one pass, a hundred times faster than Cranelift makes it, and
//! for twice the lanes or more.
//!
//! - [`registers`] allocates registers to values.
//! - [`vex`] and [`evex`] encode instructions of AVX2 and AVX-512; [`avx2`] and [`avx512`] choose
//!   them for operations.
//! - [`cover`] combines operations for instructions with three operands.

mod avx2;
mod avx512;
mod cover;
#[cfg(test)]
mod decoding;
mod evex;
mod registers;
mod vex;

use registers::{Home, Item, Register, Registers, Source};
use target_lexicon::Triple;

use super::config::Generator;
use super::error::CompileError;
use super::routine::{Access, Operand, Routine};
use crate::rows::Layout;
use crate::rows::Width;

/// An assembled routine.
#[derive(Debug)]
pub(super) struct Assembly {
    pub code: Vec<u8>,
    /// The number of rows that it needs for spilled values.
    pub spills: u32,
}

/// Refuses unsupported widths, targets and CPUs; without a target, the code is for this
/// CPU.
pub(super) fn check(
    generator: Generator,
    width: Width,
    target: Option<&Triple>,
) -> Result<(), CompileError> {
    let unsupported = |target: String, reason: String| CompileError::Target { target, reason };
    let name = generator.name();
    match target {
        Some(target) => {
            let reason = format!("{name} is for this CPU only");
            Err(unsupported(target.to_string(), reason))
        }
        None if !generator.is_supported() => {
            let reason = format!("the CPU has no {name}");
            Err(unsupported(Triple::host().to_string(), reason))
        }
        None if !generator.widths().contains(&width) => Err(CompileError::Width(width)),
        None => Ok(()),
    }
}

/// Makes the machine code of a routine, for rows of one of the supported widths. Spilled values go to
/// rows from the given number on.
pub(super) type Assemble = fn(&Routine, Width, u32) -> Assembly;

/// The assembler of a generator, if it is one.
pub(super) fn assembler(generator: Generator) -> Option<Assemble> {
    match generator {
        Generator::Cranelift => None,
        Generator::Avx2 => Some(avx2::assemble),
        Generator::Avx512 => Some(avx512::assemble),
    }
}

/// A bitwise operation of two sources, by its number in VEX and EVEX.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Opcode {
    /// `first & second`
    And = 0xdb,
    /// `!first & second`
    AndNot = 0xdf,
    /// `first | second`
    Or = 0xeb,
    /// `first ^ second`
    Xor = 0xef,
}

/// The register that rows are addressed by.
const RDI: u8 = 7;

/// The mandatory prefix that an opcode has, as VEX and EVEX have it.
#[derive(Clone, Copy)]
enum Prefix {
    X66 = 1,
    XF3 = 2,
}

/// The table that an opcode is in, as VEX and EVEX have it.
#[derive(Clone, Copy)]
enum Map {
    X0F = 1,
    X0F38 = 2,
    X0F3A = 3,
}

/// An encoder of instructions, one after the other.
trait Encoder {
    /// The number of registers.
    const REGISTERS: usize;

    /// The code so far.
    fn bytes(&mut self) -> &mut Vec<u8>;

    /// Any instruction of up to two sources, the first of which is in a register.
    fn instruction(
        &mut self,
        prefix: Prefix,
        map: Map,
        opcode: u8,
        register: Register,
        first: Register,
        second: Source,
    );

    /// Returns one if any bit of the register is set, else zero.
    fn return_any(&mut self, register: Register);

    /// `target = first OP second`
    fn logic(&mut self, opcode: Opcode, target: Register, first: Register, second: Source) {
        self.instruction(Prefix::X66, Map::X0F, opcode as u8, target, first, second);
    }

    /// Reads memory.
    fn load(&mut self, target: Register, offset: i32) {
        let from = Source::Memory(offset);
        self.instruction(Prefix::XF3, Map::X0F, 0x6f, target, Register(0), from);
    }

    /// Writes memory.
    fn store(&mut self, offset: i32, from: Register) {
        let to = Source::Memory(offset);
        self.instruction(Prefix::XF3, Map::X0F, 0x7f, from, Register(0), to);
    }

    /// Returns zero.
    fn return_zero(&mut self) {
        // xor eax, eax
        self.bytes().extend([0x31, 0xc0]);
        self.leave();
    }

    /// Leaves the routine.
    fn leave(&mut self) {
        // vzeroupper, as code with older instructions may follow; ret
        self.bytes().extend([0xc5, 0xf8, 0x77, 0xc3]);
    }
}

/// A routine that is being assembled.
struct Assembler<E> {
    encoder: E,
    registers: Registers,
    row_bytes: u32,
    spill_rows: u32,
    /// Holds the lanes that feedback has changed, if there is feedback.
    changes: Option<Register>,
}

impl<E: Encoder> Assembler<E> {
    /// Starts a routine with these instructions.
    fn new(
        encoder: E,
        width: Width,
        spill_rows: u32,
        values: u32,
        instructions: impl DoubleEndedIterator<Item = Access>,
    ) -> Assembler<E> {
        Assembler {
            encoder,
            registers: Registers::new(E::REGISTERS, values, instructions),
            row_bytes: 8 * width.words() as u32,
            spill_rows,
            changes: None,
        }
    }

    /// Ends the routine after the last instruction.
    fn finish(mut self) -> Assembly {
        match self.changes {
            Some(changes) => self.encoder.return_any(changes),
            None => self.encoder.return_zero(),
        }
        Assembly {
            code: std::mem::take(self.encoder.bytes()),
            spills: self.registers.spills(),
        }
    }

    /// Computes a value by an instruction of two sources.
    fn logic(&mut self, target: u32, opcode: Opcode, first: Item, second: Item) {
        let in_memory = |item| self.registers.find(item).is_none();
        // The second source may be in memory, and the first one is inverted.
        let (first, second) = match opcode {
            Opcode::AndNot => (first, second),
            _ if in_memory(first) && !in_memory(second) => (second, first),
            _ => (first, second),
        };
        let first = self.register(first);
        let second = self.anywhere(second);
        // Operands that are not read again make room for the result.
        self.registers.release();
        let result = self.free();
        self.registers.put(result, Item::Value(target));
        self.encoder.logic(opcode, result, first, second);
    }

    /// Writes a row.
    fn write(&mut self, row: u32, from: Operand, invert: bool) {
        let register = self.source(Item::from(from), invert);
        self.encoder.store(self.row(row), register);
        if let (Operand::Value(value), false) = (from, invert) {
            self.registers.stored(value, row);
        }
    }

    /// Makes a row true wherever the source is.
    fn feed_back(&mut self, row: u32, from: Operand, invert: bool) {
        let changes = self.changes();
        let source = self.source(Item::from(from), invert);
        let change = self.scratch();
        let row = self.row(row);
        self.encoder.load(change, row);
        let encoder = &mut self.encoder;
        // The lanes of the source that the row lacks; then the lanes of either.
        encoder.logic(Opcode::AndNot, change, change, Source::Register(source));
        encoder.logic(Opcode::Or, changes, changes, Source::Register(change));
        encoder.logic(Opcode::Or, change, change, Source::Memory(row));
        self.encoder.store(row, change);
    }

    /// Returns a register with the item, or its inverse.
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

    /// The item, wherever it is.
    fn anywhere(&self, item: Item) -> Source {
        match self.registers.find(item) {
            Some(register) => Source::Register(register),
            None => Source::Memory(self.memory(item)),
        }
    }

    /// Returns a register with the item, which is not evicted during this instruction.
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

    /// Returns the register where changes are collected, which is never evicted.
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

    /// Returns a free register; if there is none, the item read last is evicted.
    fn free(&mut self) -> Register {
        let freed = self.registers.free();
        if let Some(slot) = freed.spill {
            let offset = self.row(self.spill_rows + slot);
            self.encoder.store(offset, freed.register);
        }
        freed.register
    }

    /// Returns the offset of an item in memory.
    fn memory(&self, item: Item) -> i32 {
        match (item, self.registers.home(item)) {
            (Item::Row(row), _) => self.row(row),
            (Item::Value(_), Home::Row(row)) => self.row(row),
            (Item::Value(_), Home::Spilled(slot)) => self.row(self.spill_rows + slot),
            (Item::Value(_), Home::None) => unreachable!("values are somewhere"),
        }
    }

    /// The offset of a row in bytes; plans have no more rows than this can express.
    fn row(&self, row: u32) -> i32 {
        (row * self.row_bytes) as i32
    }
}
