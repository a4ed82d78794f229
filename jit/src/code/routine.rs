//! Routines: the intermediate form of functions of machine code.
//!
//! A routine is straight-line: it reads rows, computes values, each once, and
//! writes rows. Code generators decide which values to hold in registers; all
//! else is decided here: the order of operations, and which values go through
//! rows because another routine reads them.

use std::fmt;

/// An operand of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Operand {
    /// A value computed before.
    Value(u32),
    /// A row in memory.
    Row(u32),
}

/// A bitwise operation on `a` and `b`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Operator {
    /// `a & b`
    And,
    /// `a & !b`
    AndNot,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
}

/// One step of a routine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Instruction {
    /// Makes a value, once in all instructions.
    Compute {
        target: u32,
        operator: Operator,
        a: Operand,
        b: Operand,
    },
    /// Writes a row, which the routine does not read.
    Store {
        row: u32,
        from: Operand,
        invert: bool,
    },
    /// Makes a row true wherever the source is, which the routine thereby reports.
    Feedback {
        row: u32,
        from: Operand,
        invert: bool,
    },
}

/// The operands that an instruction reads, and the value that it makes.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Access {
    pub reads: [Option<Operand>; 3],
    pub makes: Option<u32>,
}

/// Instructions in the order of execution.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Routine {
    pub instructions: Vec<Instruction>,
    /// The number of values that it computes: they are numbered in order, from 0.
    pub values: u32,
}

impl Instruction {
    /// Returns the operands that the instruction reads.
    pub(super) fn operands(&self) -> impl Iterator<Item = Operand> + Clone {
        let (a, b) = match *self {
            Instruction::Compute { a, b, .. } => (a, Some(b)),
            Instruction::Store { from, .. } | Instruction::Feedback { from, .. } => (from, None),
        };
        [Some(a), b].into_iter().flatten()
    }

    /// Returns the operands that the instruction reads and the value that it makes.
    pub(super) fn access(&self) -> Access {
        let mut reads = [None; 3];
        for (read, operand) in reads.iter_mut().zip(self.operands()) {
            *read = Some(operand);
        }
        let makes = match *self {
            Instruction::Compute { target, .. } => Some(target),
            _ => None,
        };
        Access { reads, makes }
    }

    /// Calls `f` with each operand that the instruction reads, to be changed.
    pub(super) fn for_each_operand(&mut self, mut f: impl FnMut(&mut Operand)) {
        match self {
            Instruction::Compute { a, b, .. } => {
                f(a);
                f(b);
            }
            Instruction::Store { from, .. } | Instruction::Feedback { from, .. } => f(from),
        }
    }
}

impl fmt::Display for Routine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.instructions
            .iter()
            .try_for_each(|instruction| writeln!(f, "{instruction}"))
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let not = |invert| if invert { "not " } else { "" };
        match *self {
            Instruction::Compute {
                target,
                operator,
                a,
                b,
            } => {
                let operator = match operator {
                    Operator::And => "and",
                    Operator::AndNot => "and not",
                    Operator::Or => "or",
                    Operator::Xor => "xor",
                };
                write!(f, "v{target} = {a} {operator} {b}")
            }
            Instruction::Store { row, from, invert } => {
                write!(f, "row {row} = {}{from}", not(invert))
            }
            Instruction::Feedback { row, from, invert } => {
                write!(f, "row {row} |= {}{from}", not(invert))
            }
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Value(value) => write!(f, "v{value}"),
            Operand::Row(row) => write!(f, "row {row}"),
        }
    }
}
