//! From a circuit to code for rows.
//!
//! Each gate's row holds its value or the inverse, whichever takes one operation:
//! AND of inverted operands is stored as their OR. So no operation inverts its
//! result, and each is two to four operands wide. Gates that are outputs write
//! the output's row where the stored form is the wanted one.

use std::ops::Range;

use super::schedule::{Code, Kind, Operation};
use crate::circuit::{Circuit, Edge, NodeId, OutputId};
use crate::wide::{Folding, Piece, WideCircuit};

/// Gates are folded where that saves a row.
const FOLDING: Folding = Folding {
    operands: usize::MAX,
    readers: 1,
};

/// Operations are reordered within windows of this many.
const WINDOW: usize = 4096;

/// A circuit made ready for bit-sliced evaluation, in sections.
#[derive(Debug)]
pub struct LaneProgram {
    pub(super) layout: Layout,
    sections: Vec<Section>,
    operations: usize,
}

/// Where things are in the rows: two constants, inputs, outputs, the rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    inputs: usize,
    outputs: usize,
    pub rows: usize,
}

/// A part of the program that is evaluated as a whole.
#[derive(Default, Debug)]
pub(super) struct Section {
    pub steps: Vec<Step>,
}

#[derive(Debug)]
pub(super) enum Step {
    Straight(Code),
    /// From all feedback rows zero, run the code and feed back until nothing changes.
    Loop {
        code: Code,
        feedback: Vec<Feedback>,
    },
}

/// A feedback row takes over the source, inverted or not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Feedback {
    pub row: u32,
    pub source: u32,
    pub inverted: bool,
}

impl Layout {
    pub const FALSE: u32 = 0;
    pub const TRUE: u32 = 1;

    pub fn inputs(self) -> Range<usize> {
        2..2 + self.inputs
    }

    pub fn outputs(self) -> Range<usize> {
        let first = self.inputs().end;
        first..first + self.outputs
    }
}

impl LaneProgram {
    /// Compiles `circuit`. Section `k` computes the outputs `sections[k]`: all they
    /// need except what sections before it compute. An output that is in no section
    /// stays false; one in several belongs to the first.
    ///
    /// # Panics
    /// If a section has an output that the circuit does not have.
    pub fn new(circuit: &Circuit, sections: &[Vec<OutputId>]) -> LaneProgram {
        let mut compiler = Compiler::new(circuit);
        let sections = sections
            .iter()
            .map(|outputs| compiler.section(outputs))
            .collect();
        LaneProgram {
            layout: Layout {
                rows: compiler.next_row as usize,
                ..compiler.layout
            },
            sections,
            operations: compiler.operations,
        }
    }

    /// How many inputs the circuit has.
    pub fn inputs(&self) -> usize {
        self.layout.inputs
    }

    /// How many outputs the circuit has.
    pub fn outputs(&self) -> usize {
        self.layout.outputs
    }

    /// How many rows an interpreter needs: its memory, and what its speed hangs on
    /// once they do not fit into the CPU's cache.
    pub fn rows(&self) -> usize {
        self.layout.rows
    }

    /// How many operations, each on two to four rows, all sections have together.
    pub fn operations(&self) -> usize {
        self.operations
    }

    pub(super) fn section(&self, section: usize) -> &Section {
        &self.sections[section]
    }
}

/// A row and whether it holds the inverse.
#[derive(Clone, Copy)]
struct Value {
    row: u32,
    inverted: bool,
}

struct Compiler<'a> {
    circuit: &'a Circuit,
    wide: WideCircuit,
    layout: Layout,
    /// Of each node computed so far.
    values: Vec<Option<Value>>,
    /// The wide gate of each node.
    gates: Vec<Option<u32>>,
    /// The source of each feedback node.
    sources: Vec<Option<Edge>>,
    is_written: Vec<bool>,
    next_row: u32,
    operations: usize,
}

impl<'a> Compiler<'a> {
    fn new(circuit: &'a Circuit) -> Compiler<'a> {
        let wide = WideCircuit::new(circuit, FOLDING);
        let layout = Layout {
            inputs: circuit.inputs().len(),
            outputs: circuit.outputs().len(),
            rows: 0,
        };
        let mut values = vec![None; circuit.nodes().len()];
        let row = |row| {
            Some(Value {
                row,
                inverted: false,
            })
        };
        values[0] = row(Layout::FALSE);
        for (node, at) in circuit.inputs().iter().zip(layout.inputs()) {
            values[node.index()] = row(at as u32);
        }
        let mut gates = vec![None; circuit.nodes().len()];
        for (gate, at) in wide.gates().iter().zip(0..) {
            gates[gate.node.index()] = Some(at);
        }
        let mut sources = vec![None; circuit.nodes().len()];
        for &(node, source) in circuit.loops().iter().flat_map(|lp| &lp.feedback) {
            sources[node.index()] = Some(source);
        }
        Compiler {
            circuit,
            wide,
            layout,
            values,
            gates,
            sources,
            is_written: vec![false; layout.outputs],
            // Offsets in bytes are 32-bit numbers for one word per row.
            next_row: u32::try_from(layout.outputs().end).expect("fewer than 2^29 rows"),
            operations: 0,
        }
    }

    fn section(&mut self, outputs: &[OutputId]) -> Section {
        let needed = self.needed(outputs);
        let mut wanted = vec![None; self.circuit.nodes().len()];
        let mut copies = Vec::new();
        for &output in outputs {
            if std::mem::replace(&mut self.is_written[output.index()], true) {
                continue;
            }
            let edge = self.circuit.outputs()[output.index()];
            let row = self.layout.outputs().start + output.index();
            let value = Value {
                row: row as u32,
                inverted: edge.inverted(),
            };
            wanted[edge.node().index()].get_or_insert(value);
            copies.push((edge, value.row));
        }
        let mut steps = Vec::new();
        let mut straight = Vec::new();
        let pieces = self.wide.pieces().to_vec();
        for Piece { gates, feedback } in pieces {
            let feedback: Vec<_> = feedback
                .into_iter()
                .filter(|(node, _)| needed[node.index()])
                .collect();
            let mut code = if feedback.is_empty() {
                std::mem::take(&mut straight)
            } else {
                self.flush(&mut straight, &mut steps);
                Vec::new()
            };
            for &(node, _) in &feedback {
                let row = self.new_row();
                self.values[node.index()] = Some(Value {
                    row,
                    inverted: false,
                });
            }
            for gate in gates {
                let node = self.wide.gates()[gate].node;
                if needed[node.index()] {
                    let value = self.gate(gate, wanted[node.index()], &mut code);
                    self.values[node.index()] = Some(value);
                }
            }
            if feedback.is_empty() {
                straight = code;
            } else {
                let step = self.feed_back(&feedback, code);
                steps.push(step);
            }
        }
        for (edge, row) in copies {
            let value = self.value(edge);
            if value.row != row {
                let (positive, negative) = match value.inverted {
                    false => (vec![Layout::TRUE, value.row], vec![]),
                    true => (vec![Layout::TRUE], vec![value.row]),
                };
                straight.push(operation(row, &positive, &negative));
            }
        }
        self.flush(&mut straight, &mut steps);
        Section { steps }
    }

    /// Marks the nodes without value that the outputs need.
    fn needed(&self, outputs: &[OutputId]) -> Vec<bool> {
        let mut needed = vec![false; self.circuit.nodes().len()];
        let edges = outputs
            .iter()
            .map(|output| self.circuit.outputs()[output.index()]);
        let mut open: Vec<NodeId> = edges.map(Edge::node).collect();
        while let Some(node) = open.pop() {
            let at = node.index();
            if self.values[at].is_some() || std::mem::replace(&mut needed[at], true) {
                continue;
            }
            open.extend(self.sources[at].map(Edge::node));
            if let Some(gate) = self.gates[at] {
                let operands = self.wide.operands(&self.wide.gates()[gate as usize]);
                open.extend(operands.iter().map(|edge| edge.node()));
            }
        }
        needed
    }

    /// Operations that compute a gate, if possible as `wanted`.
    fn gate(&mut self, gate: usize, wanted: Option<Value>, code: &mut Vec<Operation>) -> Value {
        let gate = self.wide.gates()[gate];
        let values = self
            .wide
            .operands(&gate)
            .iter()
            .map(|&edge| self.value(edge));
        let (negative, positive): (Vec<Value>, Vec<Value>) =
            values.partition(|value| value.inverted);
        let rows = |values: Vec<Value>| values.into_iter().map(|value| value.row);
        let mut positive: Vec<u32> = rows(positive).collect();
        let mut negative: Vec<u32> = rows(negative).collect();
        let direct = wanted.is_some_and(|wanted| !wanted.inverted);
        let is_single = positive.len() + negative.len() == 1;
        if is_single || positive.is_empty() && direct {
            positive.push(Layout::TRUE);
        }
        while positive.len() + negative.len() > Kind::MAX_OPERANDS {
            let surplus = positive.len() + negative.len() - Kind::MAX_OPERANDS + 1;
            let is_positive = positive.len() >= negative.len();
            let side = if is_positive {
                &mut positive
            } else {
                &mut negative
            };
            let taken: Vec<u32> = side
                .drain(..surplus.min(Kind::MAX_OPERANDS).min(side.len()))
                .collect();
            let row = self.next_row;
            self.next_row += 1;
            side.push(row);
            code.push(match is_positive {
                true => operation(row, &taken, &[]),
                false => operation(row, &[], &taken),
            });
        }
        let inverted = positive.is_empty();
        let row = match wanted {
            Some(wanted) if wanted.inverted == inverted => wanted.row,
            _ => self.new_row(),
        };
        code.push(operation(row, &positive, &negative));
        Value { row, inverted }
    }

    fn feed_back(&mut self, feedback: &[(NodeId, Edge)], code: Vec<Operation>) -> Step {
        self.operations += code.len();
        let row = |&(node, source): &(NodeId, Edge)| {
            let value = self.value(source);
            Feedback {
                row: self.value(Edge::from(node)).row,
                source: value.row,
                inverted: value.inverted,
            }
        };
        Step::Loop {
            feedback: feedback.iter().map(row).collect(),
            code: Code::new(&code, WINDOW),
        }
    }

    fn flush(&mut self, straight: &mut Vec<Operation>, steps: &mut Vec<Step>) {
        if !straight.is_empty() {
            self.operations += straight.len();
            steps.push(Step::Straight(Code::new(straight, WINDOW)));
            straight.clear();
        }
    }

    fn value(&self, edge: Edge) -> Value {
        let value = self.values[edge.node().index()].expect("operands are computed first");
        Value {
            inverted: value.inverted ^ edge.inverted(),
            ..value
        }
    }

    fn new_row(&mut self) -> u32 {
        self.next_row += 1;
        self.next_row - 1
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
