//! Test helpers that compare an encoder's output with its decoding by an independent decoder.

use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register as Named};
use proptest::prelude::*;

use super::Encoder;
use super::registers::Register;

/// A decoded instruction.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Seen(pub Mnemonic, pub Vec<Operand>);

#[derive(PartialEq, Eq, Debug)]
pub(super) enum Operand {
    Register(Named),
    /// A base register, and an offset to it.
    Memory(Named, i64),
    /// A byte.
    Constant(u8),
}

impl Seen {
    /// Decodes all instructions.
    pub(super) fn all(code: &[u8]) -> Vec<Seen> {
        let decoder = Decoder::with_ip(64, code, 0, DecoderOptions::NONE);
        decoder.into_iter().map(|seen| Seen::new(&seen)).collect()
    }

    fn new(instruction: &Instruction) -> Seen {
        let operand = |at| match instruction.op_kind(at) {
            OpKind::Register => Operand::Register(instruction.op_register(at)),
            OpKind::Memory => {
                assert_eq!(instruction.memory_index(), Named::None);
                assert_eq!(instruction.segment_prefix(), Named::None);
                assert!(!instruction.is_broadcast());
                Operand::Memory(
                    instruction.memory_base(),
                    instruction.memory_displacement64() as i64,
                )
            }
            OpKind::Immediate8 => Operand::Constant(instruction.immediate8()),
            kind => panic!("{kind:?} is never encoded"),
        };
        assert_eq!(instruction.op_mask(), Named::None);
        let operands = (0..instruction.op_count()).map(operand);
        Seen(instruction.mnemonic(), operands.collect())
    }
}

/// Any register.
pub(super) fn registers<E: Encoder>() -> impl Strategy<Value = Register> {
    (0..E::REGISTERS as u8).prop_map(Register)
}

/// Offsets, those more often at which an encoding changes, in bytes or vectors.
pub(super) fn offset() -> impl Strategy<Value = i32> {
    let borders = [-129, -128, -127, -1, 0, 1, 126, 127, 128, 129, 255, 256];
    let scaled = (
        prop::sample::select(vec![1, 32, 64]),
        prop::sample::select(borders.to_vec()),
    )
        .prop_map(|(size, border)| size * border);
    prop_oneof![
        4 => scaled,
        1 => prop::sample::select(vec![i32::MIN, i32::MAX]),
        4 => any::<i32>(),
    ]
}
