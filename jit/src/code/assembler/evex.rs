//! An encoder of the few AVX-512 instructions that bitwise logic needs.
//!
//! Those on vectors have the EVEX encoding (Intel, "64 and IA-32 Architectures Software
//! Developer's Manual", volume 2, section 2.7). Memory is addressed as RDI plus a 32-bit offset.

use super::registers::{Register, Source};
use super::{Encoder, Map, Prefix, RDI};
use crate::rows::Width;

/// Instructions, one after the other.
#[derive(Debug)]
pub(super) struct EvexEncoder {
    bytes: Vec<u8>,
    /// The bytes of a vector.
    size: i32,
}

impl Encoder for EvexEncoder {
    const REGISTERS: usize = 32;

    fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    fn instruction(
        &mut self,
        prefix: Prefix,
        map: Map,
        opcode: u8,
        Register(register): Register,
        Register(first): Register,
        second: Source,
    ) {
        // EVEX has the two high bits of register numbers, and the first source, inverted.
        let clear = |register: u8, bit: u8| u8::from(register & bit == 0);
        let rm = match second {
            Source::Register(Register(number)) => number,
            Source::Memory(_) => RDI,
        };
        let high = clear(register, 8) << 7 | clear(rm, 16) << 6 | clear(rm, 8) << 5;
        let wide_words = 1 << 7;
        let length = match self.size {
            64 => 2,
            _ => 1,
        };
        self.bytes.extend([
            0x62,
            high | clear(register, 16) << 4 | map as u8,
            wide_words | (!first & 15) << 3 | 1 << 2 | prefix as u8,
            length << 5 | clear(first, 16) << 3,
            opcode,
        ]);
        let fields = (register & 7) << 3 | rm & 7;
        match second {
            Source::Register(_) => self.bytes.push(0b11 << 6 | fields),
            Source::Memory(offset) => {
                // Short offsets count vectors.
                let short = i8::try_from(offset / self.size).ok();
                match short.filter(|_| offset % self.size == 0) {
                    Some(vectors) => self.bytes.extend([0b01 << 6 | fields, vectors as u8]),
                    None => {
                        self.bytes.push(0b10 << 6 | fields);
                        self.bytes.extend(offset.to_le_bytes());
                    }
                }
            }
        }
    }

    fn return_any(&mut self, register: Register) {
        // vptestmq k1, register, register
        let (k1, source) = (Register(1), Source::Register(register));
        self.instruction(Prefix::X66, Map::X0F38, 0x27, k1, register, source);
        // kortestw k1, k1; setnz al; movzx eax, al
        self.bytes.extend([0xc5, 0xf8, 0x98, 0xc9]);
        self.bytes.extend([0x0f, 0x95, 0xc0, 0x0f, 0xb6, 0xc0]);
        self.leave();
    }
}

impl EvexEncoder {
    /// For rows of 256 or 512 lanes.
    pub(super) fn new(width: Width) -> EvexEncoder {
        EvexEncoder {
            bytes: Vec::new(),
            size: 8 * width.words() as i32,
        }
    }

    /// Any function of three sources: the target becomes the bit of the table at the index formed by
    /// the bits of target, first and second, that of the target having the value 4.
    pub(super) fn ternary(&mut self, table: u8, target: Register, first: Register, second: Source) {
        self.instruction(Prefix::X66, Map::X0F3A, 0x25, target, first, second);
        self.bytes.push(table);
    }

    /// `target = from`
    pub(super) fn copy(&mut self, target: Register, from: Register) {
        let from = Source::Register(from);
        self.instruction(Prefix::X66, Map::X0F, 0x6f, target, Register(0), from);
    }
}

#[cfg(test)]
mod tests {
    use iced_x86::{Mnemonic, Register as Named};
    use proptest::prelude::*;

    use super::super::Opcode;
    use super::super::decoding::{Operand, Seen, offset, registers};
    use super::*;

    /// Something to encode.
    #[derive(Clone, Copy, Debug)]
    enum Form {
        Logic(Opcode, Register, Register, Source),
        Ternary(u8, Register, Register, Source),
        Copy(Register, Register),
        Load(Register, i32),
        Store(i32, Register),
        ReturnZero,
        ReturnAny(Register),
    }

    impl Form {
        fn encode(self, encoder: &mut EvexEncoder) {
            match self {
                Form::Logic(opcode, target, first, second) => {
                    encoder.logic(opcode, target, first, second);
                }
                Form::Ternary(table, target, first, second) => {
                    encoder.ternary(table, target, first, second);
                }
                Form::Copy(target, from) => encoder.copy(target, from),
                Form::Load(target, offset) => encoder.load(target, offset),
                Form::Store(offset, from) => encoder.store(offset, from),
                Form::ReturnZero => encoder.return_zero(),
                Form::ReturnAny(register) => encoder.return_any(register),
            }
        }

        /// The expected decoding.
        fn meaning(self, width: Width) -> Vec<Seen> {
            let named = match width {
                Width::X512 => Named::ZMM0,
                _ => Named::YMM0,
            };
            let vector = |register: Register| Operand::Register(named + u32::from(register.0));
            let memory = |offset: i32| Operand::Memory(Named::RDI, offset.into());
            let source = |source| match source {
                Source::Register(register) => vector(register),
                Source::Memory(offset) => memory(offset),
            };
            let leave = || [Mnemonic::Vzeroupper, Mnemonic::Ret].map(|leave| Seen(leave, vec![]));
            let one = |mnemonic, operands| vec![Seen(mnemonic, operands)];
            match self {
                Form::Logic(opcode, target, first, second) => {
                    let mnemonic = match opcode {
                        Opcode::And => Mnemonic::Vpandq,
                        Opcode::AndNot => Mnemonic::Vpandnq,
                        Opcode::Or => Mnemonic::Vporq,
                        Opcode::Xor => Mnemonic::Vpxorq,
                    };
                    one(
                        mnemonic,
                        vec![vector(target), vector(first), source(second)],
                    )
                }
                Form::Ternary(table, target, first, second) => {
                    let table = Operand::Constant(table);
                    let operands = vec![vector(target), vector(first), source(second), table];
                    one(Mnemonic::Vpternlogq, operands)
                }
                Form::Copy(target, from) => {
                    one(Mnemonic::Vmovdqa64, vec![vector(target), vector(from)])
                }
                Form::Load(target, offset) => {
                    one(Mnemonic::Vmovdqu64, vec![vector(target), memory(offset)])
                }
                Form::Store(offset, from) => {
                    one(Mnemonic::Vmovdqu64, vec![memory(offset), vector(from)])
                }
                Form::ReturnZero => {
                    let eax = || Operand::Register(Named::EAX);
                    let mut seen = one(Mnemonic::Xor, vec![eax(), eax()]);
                    seen.extend(leave());
                    seen
                }
                Form::ReturnAny(register) => {
                    let named = |register| Operand::Register(register);
                    let (k1, al) = (|| named(Named::K1), || named(Named::AL));
                    let tested = vec![k1(), vector(register), vector(register)];
                    let mut seen = one(Mnemonic::Vptestmq, tested);
                    seen.push(Seen(Mnemonic::Kortestw, vec![k1(), k1()]));
                    seen.push(Seen(Mnemonic::Setne, vec![al()]));
                    seen.push(Seen(Mnemonic::Movzx, vec![named(Named::EAX), al()]));
                    seen.extend(leave());
                    seen
                }
            }
        }
    }

    /// Returns the instructions as an independent decoder reads them, and the expected ones.
    fn seen_and_meant(forms: &[Form], width: Width) -> (Vec<Seen>, Vec<Seen>) {
        let mut encoder = EvexEncoder::new(width);
        forms.iter().for_each(|form| form.encode(&mut encoder));
        let seen = Seen::all(&encoder.bytes);
        let meant = forms.iter().flat_map(|form| form.meaning(width)).collect();
        (seen, meant)
    }

    const WIDTHS: [Width; 2] = [Width::X256, Width::X512];

    fn form() -> impl Strategy<Value = Form> {
        let register = registers::<EvexEncoder>;
        let opcodes = [Opcode::And, Opcode::AndNot, Opcode::Or, Opcode::Xor];
        let opcode = prop::sample::select(opcodes.to_vec());
        let source = || {
            prop_oneof![
                register().prop_map(Source::Register),
                offset().prop_map(Source::Memory),
            ]
        };
        prop_oneof![
            8 => (opcode, register(), register(), source())
                .prop_map(|(opcode, target, first, second)| Form::Logic(opcode, target, first, second)),
            8 => (any::<u8>(), register(), register(), source())
                .prop_map(|(table, target, first, second)| Form::Ternary(table, target, first, second)),
            2 => (register(), register()).prop_map(|(target, from)| Form::Copy(target, from)),
            2 => (register(), offset()).prop_map(|(target, offset)| Form::Load(target, offset)),
            2 => (offset(), register()).prop_map(|(offset, from)| Form::Store(offset, from)),
            1 => Just(Form::ReturnZero),
            1 => register().prop_map(Form::ReturnAny),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Instructions in any order are decoded, one after the other.
        #[test]
        fn what_is_encoded_is_decoded(
            forms in prop::collection::vec(form(), 1..8),
            width in prop::sample::select(WIDTHS.to_vec()),
        ) {
            let (seen, meant) = seen_and_meant(&forms, width);
            prop_assert_eq!(seen, meant);
        }
    }

    /// Every pair of registers in every place, at both widths.
    #[test]
    fn all_registers() {
        let registers = || (0..EvexEncoder::REGISTERS as u8).map(Register);
        for width in WIDTHS {
            for (a, b) in registers().flat_map(|a| registers().map(move |b| (a, b))) {
                let forms = [
                    Form::Logic(Opcode::And, a, b, Source::Memory(-4096)),
                    Form::Logic(Opcode::AndNot, a, b, Source::Register(b)),
                    Form::Ternary(0x96, b, a, Source::Register(a)),
                    Form::Ternary(0xe8, a, b, Source::Memory(96)),
                    Form::Copy(a, b),
                    Form::Load(a, 127),
                    Form::Store(128, b),
                    Form::ReturnAny(a),
                ];
                let (seen, meant) = seen_and_meant(&forms, width);
                assert_eq!(seen, meant);
            }
        }
    }

    /// As the GNU assembler encodes them.
    #[test]
    fn known_encodings() {
        let encode = |f: &dyn Fn(&mut EvexEncoder)| {
            let mut encoder = EvexEncoder::new(Width::X512);
            f(&mut encoder);
            encoder.bytes
        };
        // vpternlogq zmm3, zmm20, [rdi+0x40], 0xe8
        assert_eq!(
            encode(&|e| e.ternary(0xe8, Register(3), Register(20), Source::Memory(0x40))),
            [0x62, 0xf3, 0xdd, 0x40, 0x25, 0x5f, 0x01, 0xe8]
        );
        // vmovdqu64 zmm31, [rdi+0x41]
        assert_eq!(
            encode(&|e| e.load(Register(31), 0x41)),
            [0x62, 0x61, 0xfe, 0x48, 0x6f, 0xbf, 0x41, 0x00, 0x00, 0x00]
        );
    }
}
