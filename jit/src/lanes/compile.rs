//! The compiler from circuits to operations on rows.
//!
//! A gate's row holds its value or the inverse, whichever takes one operation: the
//! AND of inverted operands is stored as their OR. So no operation needs to invert
//! its result, and each can have two to four operands. A gate that is an output
//! writes the output's row at once if the form is the one wanted there.

use std::collections::VecDeque;
use std::mem::{replace, take};
use std::ops::Range;

use propjit_stop::{Stop, Ticker};

use super::schedule::{Kind, Operation, PackedOperations};
use super::step::{Feedback, SectionSteps, Step};
use crate::circuit::{Circuit, Edge, NodeId, OutputId};
use crate::rows::Layout;
use crate::section::Section;
use crate::wide::{Folding, Piece, WideCircuit};

/// Operations are reordered within windows of this many. Wider windows make longer
/// runs of one kind, but more rows are in use at a time.
const WINDOW: usize = 256;

/// Compiles sections, one after the other.
///
/// Values are given by node: those that are computed and may be read.
pub(super) struct Compiler<'a> {
    circuit: &'a Circuit,
    wide: WideCircuit,
    layout: Layout,
    /// The values available before any section.
    given: Vec<Option<Value>>,
    /// The values available after each section so far.
    computed: Vec<Vec<Option<Value>>>,
    /// The values available in the section that is being compiled.
    values: Vec<Option<Value>>,
    /// The outputs computed so far.
    is_written: Vec<bool>,
    next_row: u32,
    /// Ends the work early.
    ticker: Ticker,
}

/// A row and whether it holds the inverse.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Value {
    row: u32,
    inverted: bool,
}

impl<'a> Compiler<'a> {
    pub(super) fn new(circuit: &'a Circuit, layout: Layout, stop: &Stop) -> Compiler<'a> {
        let wide = WideCircuit::new(circuit, Folding::SINGLE_READERS);
        let mut values = vec![None; circuit.nodes().len()];
        values[0] = Some(Value::new(Layout::FALSE));
        for (node, row) in circuit.inputs().iter().zip(layout.inputs()) {
            values[node.index()] = Some(Value::new(row as u32));
        }
        Compiler {
            circuit,
            wide,
            layout,
            given: values,
            computed: Vec::new(),
            values: Vec::new(),
            is_written: vec![false; circuit.outputs().len()],
            next_row: layout.rows(),
            ticker: stop.ticker(),
        }
    }

    /// The number of all rows so far, each of which is written once.
    pub(super) fn rows(&self) -> u32 {
        self.next_row
    }

    /// Compiles a section's outputs, but for those that other sections have computed. None if a stop comes.
    pub(super) fn section(&mut self, section: &Section) -> Option<SectionSteps> {
        self.values = match section.after {
            Some(after) => self.computed[after].clone(),
            None => self.given.clone(),
        };
        let mut outputs = section.outputs.clone();
        outputs.retain(|output| !replace(&mut self.is_written[output.index()], true));
        let roots = outputs.iter().map(|&output| self.output(output).0.node());
        let is_there = |node: NodeId| self.values[node.index()].is_some();
        let needed = self.wide.needed(roots, is_there);
        let mut wanted = vec![None; self.circuit.nodes().len()];
        for &output in &outputs {
            let (edge, row) = self.output(output);
            let inverted = edge.inverted();
            wanted[edge.node().index()].get_or_insert(Value { row, inverted });
        }
        let mut steps = Vec::new();
        let mut straight = Vec::new();
        for Piece {
            gates,
            mut feedback,
        } in self.wide.pieces().to_vec()
        {
            feedback.retain(|(node, _)| needed[node.index()]);
            if feedback.is_empty() {
                self.gates(gates, &needed, &wanted, &mut straight)?;
                continue;
            }
            steps.extend(self.step(take(&mut straight), &[]));
            for (node, _) in &feedback {
                self.values[node.index()] = Some(Value::new(self.next_row));
                self.next_row += 1;
            }
            let mut operations = Vec::new();
            self.gates(gates, &needed, &wanted, &mut operations)?;
            steps.extend(self.step(operations, &feedback));
        }
        for &output in &outputs {
            let (edge, row) = self.output(output);
            let value = self.value(edge);
            if value.row == row {
                continue;
            }
            straight.push(match value.inverted {
                false => operation(row, &[Layout::TRUE, value.row], &[]),
                true => operation(row, &[Layout::TRUE], &[value.row]),
            });
        }
        steps.extend(self.step(straight, &[]));
        self.computed.push(take(&mut self.values));
        Some(SectionSteps { steps })
    }

    /// An output's edge and row.
    fn output(&self, output: OutputId) -> (Edge, u32) {
        let row = self.layout.outputs().start + output.index();
        (self.circuit.outputs()[output.index()], row as u32)
    }

    /// Emits operations for the gates that are needed, in the wanted form if possible. None if a stop comes.
    fn gates(
        &mut self,
        gates: Range<usize>,
        needed: &[bool],
        wanted: &[Option<Value>],
        operations: &mut Vec<Operation>,
    ) -> Option<()> {
        for gate in gates {
            if self.ticker.is_set() {
                return None;
            }
            let at = self.wide.gates()[gate].node.index();
            if needed[at] {
                self.values[at] = Some(self.gate(gate, wanted[at], operations));
            }
        }
        Some(())
    }

    fn gate(
        &mut self,
        gate: usize,
        wanted: Option<Value>,
        operations: &mut Vec<Operation>,
    ) -> Value {
        let operands = self.wide.operands(&self.wide.gates()[gate]);
        let (mut positive, mut negative) = (VecDeque::new(), VecDeque::new());
        for &edge in operands {
            let value = self.value(edge);
            match value.inverted {
                false => positive.push_back(value.row),
                true => negative.push_back(value.row),
            }
        }
        // An OR becomes its inverse, and a single operand becomes two.
        let is_or = positive.is_empty();
        let invert = is_or && wanted.is_some_and(|wanted| !wanted.inverted);
        if invert || operands.len() == 1 {
            positive.push_back(Layout::TRUE);
        }
        while positive.len() + negative.len() > Kind::MAX_OPERANDS {
            let surplus = positive.len() + negative.len() - Kind::MAX_OPERANDS;
            let row = self.next_row;
            self.next_row += 1;
            let is_positive = positive.len() > negative.len();
            let side = if is_positive {
                &mut positive
            } else {
                &mut negative
            };
            let some = (surplus + 1).min(Kind::MAX_OPERANDS).min(side.len());
            let part: Vec<u32> = side.drain(..some).collect();
            side.push_back(row);
            operations.push(match is_positive {
                true => operation(row, &part, &[]),
                false => operation(row, &[], &part),
            });
        }
        let mut value = Value {
            row: self.next_row,
            inverted: positive.is_empty(),
        };
        match wanted {
            Some(wanted) if wanted.inverted == value.inverted => value = wanted,
            _ => self.next_row += 1,
        }
        let sides = [&mut positive, &mut negative].map(|side| &*side.make_contiguous());
        operations.push(operation(value.row, sides[0], sides[1]));
        value
    }

    fn step(&self, operations: Vec<Operation>, feedback: &[(NodeId, Edge)]) -> Option<Step> {
        let feedback = feedback.iter().map(|&(node, source)| {
            let source = self.value(source);
            Feedback {
                row: 8 * self.value(Edge::from(node)).row,
                source: 8 * source.row,
                inverted: source.inverted,
            }
        });
        let step = Step {
            feedback: feedback.collect(),
            operations: PackedOperations::new(&operations, WINDOW),
        };
        (step.operations.count() > 0 || !step.feedback.is_empty()).then_some(step)
    }

    fn value(&self, edge: Edge) -> Value {
        let value = self.values[edge.node().index()].expect("operands are computed first");
        Value {
            inverted: value.inverted ^ edge.inverted(),
            ..value
        }
    }
}

impl Value {
    /// A row that holds a value as it is.
    fn new(row: u32) -> Value {
        Value {
            row,
            inverted: false,
        }
    }
}

fn operation(target: u32, positive: &[u32], negative: &[u32]) -> Operation {
    let mut operands = [0; Kind::MAX_OPERANDS];
    for (operand, &row) in operands.iter_mut().zip(positive.iter().chain(negative)) {
        *operand = row;
    }
    let kind = Kind {
        positive: positive.len() as u8,
        negative: negative.len() as u8,
    };
    Operation {
        kind,
        target,
        operands,
    }
}
