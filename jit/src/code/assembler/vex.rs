//! An encoder of the few AVX2 instructions that bitwise logic needs.
//!
//! All have the VEX encoding (Intel, "64 and IA-32 Architectures Software Developer's
//! Manual", volume 2, section 2.3). Memory is addressed as RDI plus a 32-bit offset.

use super::registers::{Register, Source};
use super::{Encoder, Map, Prefix, RDI};
use crate::rows::Width;

/// Instructions, one after the other.
#[derive(Debug)]
pub(super) struct VexEncoder {
    bytes: Vec<u8>,
    /// 256 bits rather than 128.
    long: bool,
}

impl Encoder for VexEncoder {
    const REGISTERS: usize = 16;

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

    fn return_any(&mut self, register: Register) {
        // vptest; setnz al; movzx eax, al
        let source = Source::Register(register);
        self.instruction(Prefix::X66, Map::X0F38, 0x17, register, Register(0), source);
        self.bytes.extend([0x0f, 0x95, 0xc0, 0x0f, 0xb6, 0xc0]);
        self.leave();
    }
}

impl VexEncoder {
    /// For rows of 128 or 256 lanes.
    pub(super) fn new(width: Width) -> VexEncoder {
        VexEncoder {
            bytes: Vec::new(),
            long: width == Width::X256,
        }
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
        Load(Register, i32),
        Store(i32, Register),
        ReturnZero,
        ReturnAny(Register),
    }

    impl Form {
        fn encode(self, encoder: &mut VexEncoder) {
            match self {
                Form::Logic(opcode, target, first, second) => {
                    encoder.logic(opcode, target, first, second);
                }
                Form::Load(target, offset) => encoder.load(target, offset),
                Form::Store(offset, from) => encoder.store(offset, from),
                Form::ReturnZero => encoder.return_zero(),
                Form::ReturnAny(register) => encoder.return_any(register),
            }
        }

        /// The expected decoding.
        fn meaning(self, long: bool) -> Vec<Seen> {
            let first = if long { Named::YMM0 } else { Named::XMM0 };
            let vector = |register: Register| Operand::Register(first + u32::from(register.0));
            let memory = |offset: i32| Operand::Memory(Named::RDI, offset.into());
            let leave = [
                Seen(Mnemonic::Vzeroupper, vec![]),
                Seen(Mnemonic::Ret, vec![]),
            ];
            let mut seen = Vec::new();
            match self {
                Form::Logic(opcode, target, first, second) => {
                    let mnemonic = match opcode {
                        Opcode::And => Mnemonic::Vpand,
                        Opcode::AndNot => Mnemonic::Vpandn,
                        Opcode::Or => Mnemonic::Vpor,
                        Opcode::Xor => Mnemonic::Vpxor,
                    };
                    let second = match second {
                        Source::Register(register) => vector(register),
                        Source::Memory(offset) => memory(offset),
                    };
                    seen.push(Seen(mnemonic, vec![vector(target), vector(first), second]));
                }
                Form::Load(target, offset) => {
                    seen.push(Seen(
                        Mnemonic::Vmovdqu,
                        vec![vector(target), memory(offset)],
                    ));
                }
                Form::Store(offset, from) => {
                    seen.push(Seen(Mnemonic::Vmovdqu, vec![memory(offset), vector(from)]));
                }
                Form::ReturnZero => {
                    let eax = || Operand::Register(Named::EAX);
                    seen.push(Seen(Mnemonic::Xor, vec![eax(), eax()]));
                    seen.extend(leave);
                }
                Form::ReturnAny(register) => {
                    let [eax, al] = [Named::EAX, Named::AL].map(Operand::Register);
                    let set = vec![Operand::Register(Named::AL)];
                    seen.push(Seen(
                        Mnemonic::Vptest,
                        vec![vector(register), vector(register)],
                    ));
                    seen.push(Seen(Mnemonic::Setne, set));
                    seen.push(Seen(Mnemonic::Movzx, vec![eax, al]));
                    seen.extend(leave);
                }
            }
            seen
        }
    }

    /// Returns the instructions as an independent decoder reads them, and the expected ones.
    fn seen_and_meant(forms: &[Form], long: bool) -> (Vec<Seen>, Vec<Seen>) {
        let mut encoder = VexEncoder::new(if long { Width::X256 } else { Width::X128 });
        forms.iter().for_each(|form| form.encode(&mut encoder));
        let seen = Seen::all(&encoder.bytes);
        let meant = forms.iter().flat_map(|form| form.meaning(long)).collect();
        (seen, meant)
    }

    fn form() -> impl Strategy<Value = Form> {
        let opcodes = [Opcode::And, Opcode::AndNot, Opcode::Or, Opcode::Xor];
        let opcode = prop::sample::select(opcodes.to_vec());
        let source = prop_oneof![
            registers::<VexEncoder>().prop_map(Source::Register),
            offset().prop_map(Source::Memory),
        ];
        prop_oneof![
            8 => (opcode, registers::<VexEncoder>(), registers::<VexEncoder>(), source)
                .prop_map(|(opcode, target, first, second)| Form::Logic(opcode, target, first, second)),
            2 => (registers::<VexEncoder>(), offset()).prop_map(|(target, offset)| Form::Load(target, offset)),
            2 => (offset(), registers::<VexEncoder>()).prop_map(|(offset, from)| Form::Store(offset, from)),
            1 => Just(Form::ReturnZero),
            1 => registers::<VexEncoder>().prop_map(Form::ReturnAny),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Instructions in any order are decoded, one after the other.
        #[test]
        fn what_is_encoded_is_decoded(
            forms in prop::collection::vec(form(), 1..8),
            long in any::<bool>(),
        ) {
            let (seen, meant) = seen_and_meant(&forms, long);
            prop_assert_eq!(seen, meant);
        }
    }

    /// Every pair of registers in every place, at both widths.
    #[test]
    fn all_registers() {
        let registers = || (0..VexEncoder::REGISTERS as u8).map(Register);
        for long in [false, true] {
            for (a, b) in registers().flat_map(|a| registers().map(move |b| (a, b))) {
                let forms = [
                    Form::Logic(Opcode::And, a, b, Source::Memory(-4096)),
                    Form::Logic(Opcode::AndNot, a, b, Source::Register(b)),
                    Form::Logic(Opcode::Or, a, a, Source::Register(b)),
                    Form::Logic(Opcode::Xor, b, a, Source::Memory(64)),
                    Form::Load(a, 127),
                    Form::Store(128, b),
                    Form::ReturnAny(a),
                ];
                let (seen, meant) = seen_and_meant(&forms, long);
                assert_eq!(seen, meant);
            }
        }
    }

    /// As the GNU assembler encodes them.
    #[test]
    fn known_encodings() {
        let encode = |f: &dyn Fn(&mut VexEncoder)| {
            let mut encoder = VexEncoder::new(Width::X256);
            f(&mut encoder);
            encoder.bytes
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
        let mut narrow = VexEncoder::new(Width::X128);
        narrow.store(0, low);
        assert_eq!(narrow.bytes, [0xc5, 0xfa, 0x7f, 0x5f, 0x00]);
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
