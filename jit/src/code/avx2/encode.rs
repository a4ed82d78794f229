//! An encoder of the few AVX2 instructions that bitwise logic needs.
//!
//! All have the VEX encoding (Intel, "64 and IA-32 Architectures Software Developer's
//! Manual", volume 2, section 2.3). Memory is addressed as RDI plus a 32-bit offset.

use crate::rows::Width;

/// A vector register, 0 to 15.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Register(pub u8);

/// The operand of an instruction that may be in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    Register(Register),
    /// At this offset in bytes.
    Memory(i32),
}

/// A bitwise operation of two sources.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Opcode {
    /// `first & second`
    And = 0xdb,
    /// `!first & second`
    AndNot = 0xdf,
    /// `first | second`
    Or = 0xeb,
    /// `first ^ second`
    Xor = 0xef,
}

/// The registers' number.
pub(super) const REGISTERS: usize = 16;

const RDI: u8 = 7;

/// The mandatory prefix that an opcode has, as VEX has it.
#[derive(Clone, Copy)]
enum Prefix {
    X66 = 1,
    XF3 = 2,
}

/// The table that an opcode is in, as VEX has it.
#[derive(Clone, Copy)]
enum Map {
    X0F = 1,
    X0F38 = 2,
}

/// Instructions, one after the other.
#[derive(Debug)]
pub(super) struct Encoder {
    bytes: Vec<u8>,
    /// 256 bits rather than 128.
    long: bool,
}

impl Encoder {
    /// For rows of 128 or 256 lanes.
    pub(super) fn new(width: Width) -> Encoder {
        Encoder {
            bytes: Vec::new(),
            long: width == Width::X256,
        }
    }

    /// The code.
    pub(super) fn finish(self) -> Vec<u8> {
        self.bytes
    }

    /// `target = first OP second`
    pub(super) fn logic(
        &mut self,
        opcode: Opcode,
        target: Register,
        first: Register,
        second: Source,
    ) {
        self.vex(Prefix::X66, Map::X0F, opcode as u8, target, first, second);
    }

    /// Reads memory.
    pub(super) fn load(&mut self, target: Register, offset: i32) {
        let from = Source::Memory(offset);
        self.vex(Prefix::XF3, Map::X0F, 0x6f, target, Register(0), from);
    }

    /// Writes memory.
    pub(super) fn store(&mut self, offset: i32, from: Register) {
        let to = Source::Memory(offset);
        self.vex(Prefix::XF3, Map::X0F, 0x7f, from, Register(0), to);
    }

    /// Returns zero.
    pub(super) fn return_zero(&mut self) {
        // xor eax, eax
        self.bytes.extend([0x31, 0xc0]);
        self.leave();
    }

    /// Returns one if any bit of the register is set, else zero.
    pub(super) fn return_any(&mut self, register: Register) {
        // vptest; setnz al; movzx eax, al
        let source = Source::Register(register);
        self.vex(Prefix::X66, Map::X0F38, 0x17, register, Register(0), source);
        self.bytes.extend([0x0f, 0x95, 0xc0, 0x0f, 0xb6, 0xc0]);
        self.leave();
    }

    fn leave(&mut self) {
        // vzeroupper, as code with older instructions may follow; ret
        self.bytes.extend([0xc5, 0xf8, 0x77, 0xc3]);
    }

    fn vex(
        &mut self,
        prefix: Prefix,
        map: Map,
        opcode: u8,
        Register(register): Register,
        Register(first): Register,
        second: Source,
    ) {
        // VEX has register numbers' high bits, and the first source, inverted.
        let high = |register: u8| u8::from(register < 8);
        let tail = (!first & 15) << 3 | u8::from(self.long) << 2 | prefix as u8;
        let rm = match second {
            Source::Register(Register(number)) => number,
            Source::Memory(_) => RDI,
        };
        if high(rm) == 1 && matches!(map, Map::X0F) {
            self.bytes.extend([0xc5, high(register) << 7 | tail]);
        } else {
            let head = high(register) << 7 | 1 << 6 | high(rm) << 5 | map as u8;
            self.bytes.extend([0xc4, head, tail]);
        }
        let fields = (register & 7) << 3 | rm & 7;
        self.bytes.push(opcode);
        match second {
            Source::Register(_) => self.bytes.push(0b11 << 6 | fields),
            Source::Memory(offset) => match i8::try_from(offset) {
                Ok(offset) => self.bytes.extend([0b01 << 6 | fields, offset as u8]),
                Err(_) => {
                    self.bytes.push(0b10 << 6 | fields);
                    self.bytes.extend(offset.to_le_bytes());
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the GNU assembler encodes them.
    #[test]
    fn known_encodings() {
        let encode = |f: &dyn Fn(&mut Encoder)| {
            let mut encoder = Encoder::new(Width::X256);
            f(&mut encoder);
            encoder.finish()
        };
        let (low, high) = (Register(3), Register(12));
        let register = Source::Register;
        // vpand ymm3, ymm12, [rdi+0x40]
        assert_eq!(
            encode(&|e| e.logic(Opcode::And, low, high, Source::Memory(0x40))),
            [0xc5, 0x9d, 0xdb, 0x5f, 0x40]
        );
        // vpandn ymm12, ymm3, ymm12
        assert_eq!(
            encode(&|e| e.logic(Opcode::AndNot, high, low, register(high))),
            [0xc4, 0x41, 0x65, 0xdf, 0xe4]
        );
        // vpor ymm3, ymm3, ymm3
        assert_eq!(
            encode(&|e| e.logic(Opcode::Or, low, low, register(low))),
            [0xc5, 0xe5, 0xeb, 0xdb]
        );
        // vmovdqu ymm12, [rdi+0x12345]
        assert_eq!(
            encode(&|e| e.load(high, 0x12345)),
            [0xc5, 0x7e, 0x6f, 0xa7, 0x45, 0x23, 0x01, 0x00]
        );
        // vmovdqu [rdi], xmm3
        let mut narrow = Encoder::new(Width::X128);
        narrow.store(0, low);
        assert_eq!(narrow.finish(), [0xc5, 0xfa, 0x7f, 0x5f, 0x00]);
        // vptest ymm3, ymm3; setne al; movzx eax, al; vzeroupper; ret
        assert_eq!(
            encode(&|e| e.return_any(low)),
            [
                0xc4, 0xe2, 0x7d, 0x17, 0xdb, 0x0f, 0x95, 0xc0, 0x0f, 0xb6, 0xc0, 0xc5, 0xf8, 0x77,
                0xc3
            ]
        );
    }
}
