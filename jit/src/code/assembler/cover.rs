//! A cover of a routine by operations with up to three operands.
//!
//! Any function of three bits is one instruction. The values to compute, and their operands, are
//! chosen as in technology mapping for FPGAs: each value has some *cuts*, sets of up to three
//! operands that it is a function of; the cheapest one is that with the least area flow, the number
//! of operations that it needs when those of shared operands are divided among their readers
//! (Mishchenko, Chatterjee and Brayton, "Improvements to technology mapping for LUT-based FPGAs",
//! 2007). Values that are in no chosen cut, and are not written to rows, are not computed.

use super::Opcode;
use crate::code::routine::{Access, Instruction, Operand, Operator, Routine};

/// The most cuts of a value that are kept.
const CUTS: usize = 5;

/// The number of times that the cover is chosen again, with the numbers of readers in the cover before.
const ROUNDS: usize = 2;

/// The tables of the three operands themselves: bit `i` is the operand's value where `i` has the
/// bits of all three, the first having the value 4.
const OPERANDS: [u8; 3] = [0xf0, 0xcc, 0xaa];

/// One step of a covered routine: an [`Instruction`], but for how values are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operation {
    Compute {
        target: u32,
        function: Function,
    },
    Store {
        row: u32,
        from: Operand,
        invert: bool,
    },
    Feedback {
        row: u32,
        from: Operand,
        invert: bool,
    },
}

/// A function of up to three operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Function {
    /// Its operands, followed by `None` for missing ones.
    pub operands: [Option<Operand>; 3],
    /// Bit `i` is its value where the operands are the bits of `i`, the first having the value 4;
    /// it does not depend on bits of missing operands.
    pub table: u8,
}

impl Operation {
    /// Returns the operands that the operation reads and the value that it makes.
    pub(super) fn access(&self) -> Access {
        match *self {
            Operation::Compute { target, function } => Access {
                reads: function.operands,
                makes: Some(target),
            },
            Operation::Store { from, .. } | Operation::Feedback { from, .. } => Access {
                reads: [Some(from), None, None],
                makes: None,
            },
        }
    }
}

/// A way to compute a value.
#[derive(Clone, Copy)]
struct Cut {
    function: Function,
    flow: f32,
}

impl Function {
    /// The function as one of the operations on two operands, if it is one.
    pub(super) fn as_binary(&self) -> Option<(Opcode, Operand, Operand)> {
        let [Some(a), Some(b), None] = self.operands else {
            return None;
        };
        let [of_a, of_b, _] = OPERANDS;
        match self.table {
            table if table == of_a & of_b => Some((Opcode::And, a, b)),
            table if table == of_a | of_b => Some((Opcode::Or, a, b)),
            table if table == of_a ^ of_b => Some((Opcode::Xor, a, b)),
            table if table == !of_a & of_b => Some((Opcode::AndNot, a, b)),
            table if table == of_a & !of_b => Some((Opcode::AndNot, b, a)),
            _ => None,
        }
    }

    /// Three operands: the last one is repeated if there are fewer.
    pub(super) fn filled(&self) -> [Operand; 3] {
        let [first, second, third] = self.operands;
        let first = first.expect("functions have operands");
        let second = second.unwrap_or(first);
        [first, second, third.unwrap_or(second)]
    }

    /// The table if the operands are taken in this order.
    pub(super) fn table_in_order(&self, order: [usize; 3]) -> u8 {
        let mut places = [0; 3];
        for (place, operand) in order.into_iter().enumerate() {
            places[operand] = place;
        }
        self.moved(places)
    }

    fn of(operand: Operand) -> Function {
        Function {
            operands: [Some(operand), None, None],
            table: OPERANDS[0],
        }
    }

    fn count(&self) -> usize {
        self.operands.iter().flatten().count()
    }

    /// The operation on two functions, if the result depends on no more than three operands.
    fn combine(operator: Operator, a: &Function, b: &Function) -> Option<Function> {
        let mut operands = a.operands;
        let mut count = a.count();
        let mut places = [0; 3];
        for (place, operand) in places.iter_mut().zip(b.operands.iter().flatten()) {
            let known = operands[..count]
                .iter()
                .position(|&known| known == Some(*operand));
            *place = match known {
                Some(known) => known,
                None => {
                    *operands.get_mut(count)? = Some(*operand);
                    count += 1;
                    count - 1
                }
            };
        }
        let b = b.moved(places);
        let table = match operator {
            Operator::And => a.table & b,
            Operator::AndNot => a.table & !b,
            Operator::Or => a.table | b,
            Operator::Xor => a.table ^ b,
        };
        Some(Function { operands, table })
    }

    /// The table where the operands have these places.
    fn moved(&self, places: [usize; 3]) -> u8 {
        // The operands' values, then that of the function.
        let value = |minterm: usize, place: usize| minterm >> (2 - place) & 1;
        (0..8).fold(0, |table, minterm| {
            let [a, b, c] = places.map(|place| value(minterm, place));
            table | (self.table >> (a << 2 | b << 1 | c) & 1) << minterm
        })
    }
}

/// Returns the operations that compute the values that the routine writes, in its order.
pub(super) fn cover(routine: &Routine) -> Vec<Operation> {
    let mut readers = vec![0u32; routine.values as usize];
    for operand in routine.instructions.iter().flat_map(Instruction::operands) {
        count_reader(&mut readers, operand);
    }
    let mut chosen = choose(routine, &readers);
    for _ in 1..ROUNDS {
        readers = needed(routine, &chosen);
        chosen = choose(routine, &readers);
    }
    let readers = needed(routine, &chosen);
    let operation = |&instruction: &Instruction| match instruction {
        Instruction::Compute { target, .. } => {
            let function = chosen[target as usize];
            (readers[target as usize] > 0).then_some(Operation::Compute { target, function })
        }
        Instruction::Store { row, from, invert } => Some(Operation::Store { row, from, invert }),
        Instruction::Feedback { row, from, invert } => {
            Some(Operation::Feedback { row, from, invert })
        }
    };
    routine.instructions.iter().filter_map(operation).collect()
}

fn count_reader(readers: &mut [u32], operand: Operand) {
    if let Operand::Value(value) = operand {
        readers[value as usize] += 1;
    }
}

/// Returns how many operations of the cover read each value, or write it to a row.
fn needed(routine: &Routine, chosen: &[Function]) -> Vec<u32> {
    let mut readers = vec![0; chosen.len()];
    for instruction in routine.instructions.iter().rev() {
        match *instruction {
            Instruction::Compute { target, .. } if readers[target as usize] > 0 => {
                for &operand in chosen[target as usize].operands.iter().flatten() {
                    count_reader(&mut readers, operand);
                }
            }
            Instruction::Compute { .. } => {}
            _ => instruction
                .operands()
                .for_each(|operand| count_reader(&mut readers, operand)),
        }
    }
    readers
}

/// The cheapest way to compute each value, given the number of readers of each.
fn choose(routine: &Routine, readers: &[u32]) -> Vec<Function> {
    let mut chosen = Vec::with_capacity(readers.len());
    let mut flows: Vec<f32> = Vec::with_capacity(readers.len());
    let mut cuts: Vec<Vec<Cut>> = Vec::with_capacity(readers.len());
    let mut found: Vec<Cut> = Vec::new();
    for instruction in &routine.instructions {
        let &Instruction::Compute { operator, a, b, .. } = instruction else {
            continue;
        };
        found.clear();
        let ways = |operand: Operand| {
            let further: &[Cut] = match operand {
                Operand::Value(value) => &cuts[value as usize],
                Operand::Row(_) => &[],
            };
            let itself = Function::of(operand);
            std::iter::once(itself).chain(further.iter().map(|cut| cut.function))
        };
        for first in ways(a) {
            for second in ways(b) {
                let Some(function) = Function::combine(operator, &first, &second) else {
                    continue;
                };
                let operands = function.operands.iter().flatten();
                let flow: f32 = operands
                    .map(|operand| match *operand {
                        Operand::Value(value) => {
                            flows[value as usize] / readers[value as usize].max(1) as f32
                        }
                        Operand::Row(_) => 0.0,
                    })
                    .sum();
                let cut = Cut {
                    function,
                    flow: 1.0 + flow,
                };
                if found
                    .iter()
                    .all(|other| other.function.operands != function.operands)
                {
                    found.push(cut);
                }
            }
        }
        found.sort_by(|a, b| a.flow.total_cmp(&b.flow));
        found.truncate(CUTS);
        chosen.push(found[0].function);
        flows.push(found[0].flow);
        cuts.push(found.clone());
    }
    chosen
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A routine of operations on values and rows before, each of which may be written to a row.
    fn routine() -> impl Strategy<Value = Routine> {
        const ROWS: usize = 4;
        let operator = prop::sample::select(vec![
            Operator::And,
            Operator::AndNot,
            Operator::Or,
            Operator::Xor,
        ]);
        let step = (
            operator,
            any::<prop::sample::Index>(),
            any::<prop::sample::Index>(),
            0..4,
        );
        prop::collection::vec(step, 1..60).prop_map(|steps| {
            let mut routine = Routine::default();
            for (operator, a, b, written) in steps {
                let target = routine.values;
                let operand = |index: prop::sample::Index| match index
                    .index(ROWS + target as usize)
                    .checked_sub(ROWS)
                {
                    Some(value) => Operand::Value(value as u32),
                    None => Operand::Row(index.index(ROWS) as u32),
                };
                let (a, b) = (operand(a), operand(b));
                routine.instructions.push(Instruction::Compute {
                    target,
                    operator,
                    a,
                    b,
                });
                routine.values += 1;
                if written == 0 {
                    routine.instructions.push(Instruction::Store {
                        row: ROWS as u32 + target,
                        from: Operand::Value(target),
                        invert: false,
                    });
                }
            }
            routine
        })
    }

    fn value_of(operand: Operand, values: &[u64], rows: &[u64; 4]) -> u64 {
        match operand {
            Operand::Value(value) => values[value as usize],
            Operand::Row(row) => rows[row as usize],
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        /// The cover has the same instructions that write, and writes the same.
        #[test]
        fn the_cover_writes_what_the_routine_does(routine in routine(), rows: [u64; 4]) {
            let mut values = vec![0; routine.values as usize];
            let mut written = Vec::new();
            for &instruction in &routine.instructions {
                match instruction {
                    Instruction::Compute { target, operator, a, b } => {
                        let [a, b] = [a, b].map(|operand| value_of(operand, &values, &rows));
                        values[target as usize] = match operator {
                            Operator::And => a & b,
                            Operator::AndNot => a & !b,
                            Operator::Or => a | b,
                            Operator::Xor => a ^ b,
                        };
                    }
                    Instruction::Store { row, from, .. } => {
                        written.push((row, value_of(from, &values, &rows)));
                    }
                    Instruction::Feedback { .. } => unreachable!("there is none"),
                }
            }
            let mut values = vec![0; routine.values as usize];
            let mut covered = Vec::new();
            for operation in cover(&routine) {
                match operation {
                    Operation::Compute { target, function } => {
                        let operands = function.filled().map(|o| value_of(o, &values, &rows));
                        let bit = |i: u32| {
                            let [a, b, c] = operands.map(|operand| operand >> i & 1);
                            u64::from(function.table) >> (a << 2 | b << 1 | c) & 1
                        };
                        values[target as usize] = (0..64).map(|i| bit(i) << i).sum();
                    }
                    Operation::Store { row, from, .. } => {
                        covered.push((row, value_of(from, &values, &rows)));
                    }
                    Operation::Feedback { .. } => unreachable!("there is none"),
                }
            }
            prop_assert_eq!(covered, written);
        }
    }

    /// A full adder is two operations, a conjunction of five operands too.
    #[test]
    fn operations_are_put_together() {
        let mut routine = Routine::default();
        let mut compute = |operator, a, b| {
            let target = routine.values;
            routine.values += 1;
            routine.instructions.push(Instruction::Compute {
                target,
                operator,
                a,
                b,
            });
            Operand::Value(target)
        };
        let row = Operand::Row;
        let half = compute(Operator::Xor, row(0), row(1));
        let sum = compute(Operator::Xor, half, row(2));
        let both = compute(Operator::And, row(0), row(1));
        let either = compute(Operator::And, half, row(2));
        let carry = compute(Operator::Or, both, either);
        let all = (1..5).fold(row(0), |all, next| compute(Operator::And, all, row(next)));
        for (row, from) in (5..).zip([sum, carry, all]) {
            let invert = false;
            let store = Instruction::Store { row, from, invert };
            routine.instructions.push(store);
        }
        let operations = cover(&routine);
        let computed = operations
            .iter()
            .filter(|o| matches!(o, Operation::Compute { .. }));
        assert_eq!(computed.count(), 4);
    }
}
