//! The layout of a circuit in slots, with the readers of each.
//!
//! Slots are numbered in evaluation order: inputs, gates and loops, outputs. Gates
//! are sorted by level, and every level starts a new word, so that the gates in a
//! word never read each other. Within a level, gates that share the operands that
//! are read most are neighbours.

use std::cmp::Reverse;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::counts::Block;
use super::program::{Loop, Program, Readers, Step};
use super::state::State;
use crate::circuit::{Circuit, Edge, NodeId};
use crate::wide::{Folding, Piece, WideCircuit, WideGate};

/// Counts of operands are bytes. The time depends not on the number of gates but on
/// how many change, so a gate with few readers is better copied into them: then
/// it need not change itself, and its operands update all its readers together.
const FOLDING: Folding = Folding {
    operands: u8::MAX as usize,
    readers: 5,
    exclusive: false,
};

/// Lays `circuit` out. In the returned state, all signals are false, and slots that
/// do not agree with that are pending.
pub(super) fn compile(circuit: &Circuit) -> (Program, State) {
    let mut layout = Layout::new(circuit);
    layout.number(circuit.inputs());
    layout.number(&[Edge::FALSE.node()]);
    let mut steps = vec![Step::Gates(0..layout.words())];
    for piece in layout.wide.pieces().to_vec() {
        if !piece.feedback.is_empty() {
            steps.push(Step::Loop(layout.feedback_loop(&piece)));
            continue;
        }
        let words = layout.gates(&piece);
        match steps.last_mut() {
            Some(Step::Gates(last)) => last.end = words.end,
            _ => steps.push(Step::Gates(words)),
        }
    }
    layout.outputs();
    let program = Program {
        inputs: circuit.inputs().len(),
        first_output_word: layout.words() - circuit.outputs().len().div_ceil(64),
        words: layout.words(),
        steps,
        ..connect(layout.connections, layout.next)
    };
    assert!(program.is_sound());
    let (counts, _) = layout.counts.as_chunks();
    let state = State {
        counts: counts.iter().copied().map(Block).collect(),
        values: layout.values,
        pending: layout.pending,
    };
    (program, state)
}

/// A slot reads a signal, or its inverse.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Connection {
    signal: u32,
    reader: u32,
    inverted: bool,
}

/// The signal that a reader reads, and whether inverted.
type Operand = (u32, bool);

struct Layout<'a> {
    circuit: &'a Circuit,
    wide: WideCircuit,
    /// The slot of each node that has one.
    slots: Vec<u32>,
    /// The number of wide gates and feedback nodes that read each node.
    fanouts: Vec<u32>,
    /// The length of the longest path to each node, in wide gates.
    levels: Vec<u32>,
    /// The gates that only outputs read, to be computed in their slots.
    merged: FxHashMap<NodeId, WideGate>,
    connections: Vec<Connection>,
    /// The next slot.
    next: usize,
    counts: Vec<u8>,
    values: Vec<u64>,
    pending: Vec<u64>,
}

impl<'a> Layout<'a> {
    fn new(circuit: &'a Circuit) -> Layout<'a> {
        let nodes = circuit.nodes().len();
        let wide = WideCircuit::new(circuit, FOLDING);
        let mut fanouts = vec![0; nodes];
        let mut levels = vec![0; nodes];
        let mut straight = FxHashMap::default();
        for piece in wide.pieces() {
            for (_, source) in &piece.feedback {
                fanouts[source.node().index()] += 1;
            }
            for gate in &wide.gates()[piece.gates.clone()] {
                for edge in wide.operands(gate) {
                    let (operand, gate) = (edge.node().index(), gate.node.index());
                    fanouts[operand] += 1;
                    levels[gate] = levels[gate].max(levels[operand] + 1);
                }
                if piece.feedback.is_empty() {
                    straight.insert(gate.node, *gate);
                }
            }
        }
        let outputs = circuit.outputs().iter().map(|edge| edge.node());
        let unread = outputs.filter(|&node| fanouts[node.index()] == 0);
        let merged = unread.filter_map(|node| Some((node, *straight.get(&node)?)));
        Layout {
            circuit,
            merged: merged.collect(),
            slots: vec![u32::MAX; nodes],
            fanouts,
            levels,
            wide,
            connections: Vec::new(),
            next: 0,
            counts: Vec::new(),
            values: Vec::new(),
            pending: Vec::new(),
        }
    }

    fn words(&self) -> usize {
        self.next / 64
    }

    /// Claims whole words for this many slots and returns the first.
    fn claim(&mut self, slots: usize) -> u32 {
        let first = self.next;
        self.next += slots.next_multiple_of(64);
        assert!(self.next < 1 << 31, "fewer than 2^31 slots");
        self.counts.resize(self.next, 0);
        self.values.resize(self.words(), 0);
        self.pending.resize(self.words(), 0);
        first as u32
    }

    /// Numbers the slots of nodes; the next ones start with a new word.
    fn number(&mut self, nodes: &[NodeId]) {
        for (node, slot) in nodes.iter().zip(self.claim(nodes.len())..) {
            self.slots[node.index()] = slot;
        }
    }

    /// Makes a slot the conjunction of operands.
    fn define(&mut self, slot: u32, operands: impl IntoIterator<Item = Operand>) {
        let at = slot as usize;
        for (signal, inverted) in operands {
            assert!((signal as usize) < self.next, "signals have slots");
            self.connections.push(Connection {
                signal,
                reader: slot,
                inverted,
            });
            self.counts[at] += u8::from(!inverted);
        }
        self.pending[at / 64] |= u64::from(self.counts[at] == 0) << (at % 64);
    }

    fn operand(&self, edge: Edge) -> Operand {
        (self.slots[edge.node().index()], edge.inverted())
    }

    /// Numbers the gates of a piece, level by level.
    fn number_gates(&mut self, piece: &Piece) -> Vec<WideGate> {
        let gates = self.wide.gates()[piece.gates.clone()].iter();
        let unmerged = gates.filter(|gate| !self.merged.contains_key(&gate.node));
        let mut gates: Vec<WideGate> = unmerged.copied().collect();
        gates.sort_by_cached_key(|gate| {
            let operands = self.wide.operands(gate).iter().map(|edge| edge.node());
            let mut shared: Vec<_> = operands
                .map(|node| (Reverse(self.fanouts[node.index()]), node))
                .collect();
            shared.sort_unstable();
            (self.levels[gate.node.index()], shared)
        });
        let level = |gate: &WideGate| self.levels[gate.node.index()];
        let levels: Vec<Vec<NodeId>> = gates
            .chunk_by(|a, b| level(a) == level(b))
            .map(|gates| gates.iter().map(|gate| gate.node).collect())
            .collect();
        for nodes in levels {
            self.number(&nodes);
        }
        gates
    }

    /// Lays out gates that are in no loop.
    fn gates(&mut self, piece: &Piece) -> Range<usize> {
        let first = self.words();
        for gate in self.number_gates(piece) {
            self.define_gate(self.slots[gate.node.index()], &gate);
        }
        first..self.words()
    }

    fn define_gate(&mut self, slot: u32, gate: &WideGate) {
        let edges = self.wide.operands(gate).iter();
        let operands: Vec<Operand> = edges.map(|&edge| self.operand(edge)).collect();
        self.define(slot, operands);
    }

    /// Lays out a loop: ports, gates, feedback.
    fn feedback_loop(&mut self, piece: &Piece) -> Loop {
        let first = self.words();
        let outside = self.ports(piece);
        let gates_start = self.words();
        let gates = self.number_gates(piece);
        let feedback_start = self.words();
        let nodes: Vec<NodeId> = piece.feedback.iter().map(|&(node, _)| node).collect();
        self.number(&nodes);
        let operand = |layout: &Layout, edge: Edge| match outside.get(&edge.node()) {
            Some(&(port, inverted)) => (port, inverted ^ edge.inverted()),
            None => layout.operand(edge),
        };
        for gate in gates {
            let edges = self.wide.operands(&gate).iter();
            let operands: Vec<Operand> = edges.map(|&edge| operand(self, edge)).collect();
            self.define(self.slots[gate.node.index()], operands);
        }
        for &(node, source) in &piece.feedback {
            self.define(self.slots[node.index()], [operand(self, source)]);
        }
        Loop {
            ports: first..gates_start,
            gates: gates_start..feedback_start,
            feedback: feedback_start..self.words(),
        }
    }

    /// Lays out the ports through which a loop reads the outside, and gives the port
    /// of each node, with whether it holds the inverse.
    fn ports(&mut self, piece: &Piece) -> FxHashMap<NodeId, Operand> {
        let mut ports = Vec::new();
        for (node, polarities) in outside(&self.wide, piece) {
            // One port for each way in which the loop depends on the signal; one of
            // them is read, and both show whether the loop's values may fall.
            let inversions = [false, true].into_iter();
            let wanted = inversions.filter(|&inverted| polarities[usize::from(inverted)]);
            ports.extend(wanted.map(|inverted| Edge::new(node, inverted)));
        }
        let first = self.claim(ports.len());
        let mut of_node = FxHashMap::default();
        for (&edge, port) in ports.iter().zip(first..) {
            self.define(port, [self.operand(edge)]);
            of_node
                .entry(edge.node())
                .or_insert((port, edge.inverted()));
        }
        of_node
    }

    fn outputs(&mut self) {
        let outputs = self.circuit.outputs();
        let first = self.claim(outputs.len());
        for (edge, slot) in outputs.iter().zip(first..) {
            // The conjunction is false as yet.
            self.values[slot as usize / 64] |= u64::from(edge.inverted()) << (slot % 64);
            match self.merged.get(&edge.node()).copied() {
                Some(gate) => self.define_gate(slot, &gate),
                None => self.define(slot, [self.operand(Edge::from(edge.node()))]),
            }
        }
    }
}

/// The nodes outside a loop that it reads, with whether the loop's feedback grows
/// with the node, and whether it grows with the inverse.
fn outside(wide: &WideCircuit, piece: &Piece) -> Vec<(NodeId, [bool; 2])> {
    let mut polarities: FxHashMap<NodeId, [bool; 2]> = FxHashMap::default();
    let mut depend = |edge: Edge, [straight, inverse]: [bool; 2]| {
        let polarity = polarities.entry(edge.node()).or_default();
        polarity[usize::from(edge.inverted())] |= straight;
        polarity[usize::from(!edge.inverted())] |= inverse;
        *polarity
    };
    for &(_, source) in &piece.feedback {
        depend(source, [true, false]);
    }
    let gates = &wide.gates()[piece.gates.clone()];
    for gate in gates.iter().rev() {
        let polarity = depend(Edge::from(gate.node), [false, false]);
        for &edge in wide.operands(gate) {
            depend(edge, polarity);
        }
    }
    for node in gates.iter().map(|gate| &gate.node) {
        polarities.remove(node);
    }
    for (node, _) in &piece.feedback {
        polarities.remove(node);
    }
    let mut outside: Vec<_> = polarities.into_iter().collect();
    outside.sort_unstable();
    outside
}

/// Lists the readers of each of `slots` slots.
fn connect(mut connections: Vec<Connection>, slots: usize) -> Program {
    connections.sort_unstable();
    let mut program = Program::default();
    let mut known = FxHashMap::default();
    let mut rest = &connections[..];
    for slot in 0..slots as u32 {
        program.starts.push(program.readers.len() as u32);
        let (readers, others) =
            rest.split_at(rest.partition_point(|connection| connection.signal == slot));
        rest = others;
        let block = |connection: &Connection| connection.reader / Block::SLOTS as u32;
        for readers in readers.chunk_by(|a, b| block(a) == block(b)) {
            let mut increments = Block::default();
            for reader in readers {
                let increment = if reader.inverted { u8::MAX } else { 1 };
                let counter = &mut increments.0[reader.reader as usize % Block::SLOTS];
                *counter = counter.wrapping_add(increment);
            }
            let next = program.increments.len() as u32;
            let increments = *known.entry(increments).or_insert_with_key(|&increments| {
                program.increments.push(increments);
                next
            });
            program.readers.push(Readers {
                block: block(&readers[0]),
                increments,
            });
        }
    }
    program.starts.push(program.readers.len() as u32);
    program
}
