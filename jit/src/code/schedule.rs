//! Scheduling of operations.
//!
//! Gates are requested in the configured [`Order`], and each is computed depth first with
//! all operands that are not computed yet. If the outputs request them, most values are read
//! soon after they are made, and few are live at a time.
//!
//! A gate with many operands is a chain of
//! operations on one value, each of which takes in an operand as soon as it is
//! available. Operands that count inverted come first: their chain is one of ORs,
//! which is the conjunction's inverse, and a single AND-NOT inverts it. So no
//! operation inverts its result, and each can read its second operand from memory.
//! An exclusive disjunction is one operation, whichever of its operands are inverted.
//!
//! Operations that run under the same condition form a [`Segment`]: the operations of a
//! loop, and those that matter only while a guard is true.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::mem::replace;

use propjit_stop::{Stop, Ticker};
use rustc_hash::FxHashMap;

use super::config::Order;
use super::guard::Groups;
use super::routine::{Instruction, Operand, Operator};
use crate::circuit::{Circuit, Edge, NodeId, OutputId};
use crate::rows::Layout;
use crate::wide::{Folding, WideCircuit};

/// Instructions that are executed together.
#[derive(Default, Debug)]
pub(super) struct Segment {
    pub instructions: Vec<Instruction>,
    /// The rows of feedback nodes, if this is a loop.
    pub feedback: Vec<u32>,
    /// The group that all its gates belong to, if there is one.
    pub group: Option<usize>,
    /// The rows of the outputs that it writes, with their values while the group's
    /// guard is false.
    pub idle: Vec<(u32, bool)>,
}

/// Schedules sections one after the other.
pub(super) struct Scheduler<'a> {
    circuit: &'a Circuit,
    groups: &'a Groups,
    wide: WideCircuit,
    layout: Layout,
    order: Order,
    depths: Vec<u32>,
    /// The first row not in use.
    next_row: u32,
    /// Each value while its group's guard is false, if that is constant.
    idle: Vec<Option<bool>>,
    /// The values available after each section.
    done: Vec<Done>,
    /// Ends the work early.
    ticker: Ticker,
}

/// A section's results: the place of each node's value, and the outputs that are written.
#[derive(Clone)]
struct Done {
    values: Vec<Option<Place>>,
    written: Vec<bool>,
}

/// The place of a node's value, and whether it holds the inverse.
#[derive(Clone, Copy)]
struct Place {
    operand: Operand,
    inverted: bool,
}

/// The order of segments: by piece of the evaluation order, then by turn.
type Key = (u32, u32);

impl<'a> Scheduler<'a> {
    pub(super) fn new(
        circuit: &'a Circuit,
        groups: &'a Groups,
        order: Order,
        stop: &Stop,
    ) -> Scheduler<'a> {
        let layout = Layout::new(circuit);
        Scheduler {
            circuit,
            groups,
            wide: WideCircuit::new(circuit, Folding::EXCLUSIVE),
            layout,
            order,
            depths: circuit.depths(),
            next_row: layout.rows(),
            idle: Vec::new(),
            done: Vec::new(),
            ticker: stop.ticker(),
        }
    }

    /// The number of rows so far.
    pub(super) fn rows(&self) -> u32 {
        self.next_row
    }

    fn output_row(&self, output: OutputId) -> u32 {
        (self.layout.outputs().start + output.index()) as u32
    }

    /// Returns each value so far as it is while its group's guard is false, if that is
    /// constant.
    pub(super) fn idle(&self) -> &[Option<bool>] {
        &self.idle
    }

    /// Returns the segments that compute these outputs, given the results of the section `after`
    /// and those before it. None if a stop comes.
    pub(super) fn section(
        &mut self,
        outputs: &[OutputId],
        after: Option<usize>,
    ) -> Option<Vec<Segment>> {
        let done = match after {
            Some(section) => self.done[section].clone(),
            None => self.nothing_done(),
        };
        let mut emission = Emission {
            scheduler: self,
            done,
            keys: Default::default(),
            outputs: Default::default(),
            segments: BTreeMap::new(),
        };
        emission.run(outputs)?;
        let Emission { done, segments, .. } = emission;
        self.done.push(done);
        Some(segments.into_values().collect())
    }

    /// The state in which only the inputs are available.
    fn nothing_done(&self) -> Done {
        let row = |row: usize| {
            Some(Place {
                operand: Operand::Row(row as u32),
                inverted: false,
            })
        };
        let mut values = vec![None; self.circuit.nodes().len()];
        values[0] = row(Layout::FALSE as usize);
        for (node, at) in self.circuit.inputs().iter().zip(self.layout.inputs()) {
            values[node.index()] = row(at);
        }
        Done {
            values,
            written: vec![false; self.circuit.outputs().len()],
        }
    }
}

/// One section under construction.
struct Emission<'s, 'a> {
    scheduler: &'s mut Scheduler<'a>,
    done: Done,
    /// For each node to be computed, the segment it belongs to and whether its value
    /// will be the inverse.
    keys: FxHashMap<NodeId, (Key, bool)>,
    /// The outputs that a node to be computed has to be written to.
    outputs: FxHashMap<NodeId, Vec<OutputId>>,
    segments: BTreeMap<Key, Segment>,
}

/// A gate that is being computed.
struct Chain {
    node: NodeId,
    is_exclusive: bool,
    operands: Vec<Edge>,
    /// The number of operands in the chain.
    next: usize,
    /// The chain so far.
    place: Option<Place>,
}

impl Emission<'_, '_> {
    /// Computes outputs, unless a stop comes.
    fn run(&mut self, outputs: &[OutputId]) -> Option<()> {
        let mut outputs = outputs.to_vec();
        outputs.retain(|o| !replace(&mut self.done.written[o.index()], true));
        let nodes = outputs.iter().map(|&output| self.edge(output).node());
        let roots: Vec<NodeId> = nodes.collect();
        let feedback = self.plan(&roots)?;
        let mut present = Vec::new();
        for &output in &outputs {
            let node = self.edge(output).node();
            match self.keys.contains_key(&node) {
                true => self.outputs.entry(node).or_default().push(output),
                false => present.push(output),
            }
        }
        for node in self.in_order(roots) {
            self.compute(node)?;
        }
        for &node in &feedback {
            let source = self.scheduler.wide.source(node).expect("it is feedback");
            self.compute(source.node())?;
        }
        self.close_loops(&feedback);
        // Outputs that are inputs, or come from feedback or another section.
        if !present.is_empty() {
            let mut last = Segment::default();
            for output in present {
                let edge = self.edge(output);
                let place = self.place(edge).expect("it is present");
                last.instructions.push(self.store(output, place));
            }
            self.segments.insert((u32::MAX, 0), last);
        }
        Some(())
    }

    /// Returns whether the work is to end early.
    fn is_stopped(&mut self) -> bool {
        self.scheduler.ticker.is_set()
    }

    fn edge(&self, output: OutputId) -> Edge {
        self.scheduler.circuit.outputs()[output.index()]
    }

    /// Returns the place of the edge's value, if it is available.
    fn place(&self, edge: Edge) -> Option<Place> {
        let place = self.done.values[edge.node().index()]?;
        Some(Place {
            inverted: place.inverted ^ edge.inverted(),
            ..place
        })
    }

    fn store(&self, output: OutputId, place: Place) -> Instruction {
        Instruction::Store {
            row: self.scheduler.output_row(output),
            from: place.operand,
            invert: place.inverted,
        }
    }

    /// Finds the nodes to compute, and the segment of each gate; returns the
    /// feedback nodes among them, which get their rows. None if a stop comes.
    fn plan(&mut self, roots: &[NodeId]) -> Option<Vec<NodeId>> {
        let values = &self.done.values;
        let is_there = |node: NodeId| values[node.index()].is_some();
        let wide = &self.scheduler.wide;
        let needed = wide.needed(roots.iter().copied(), is_there);
        let nodes = (0..needed.len() as u32).map(NodeId);
        let nodes = nodes.filter(|node| needed[node.index()]);
        let feedback: Vec<NodeId> = nodes.filter(|&node| wide.source(node).is_some()).collect();
        for &node in &feedback {
            self.done.values[node.index()] = Some(Place {
                operand: Operand::Row(self.scheduler.next_row),
                inverted: false,
            });
            self.scheduler.next_row += 1;
        }
        for piece in 0..self.scheduler.wide.pieces().len() {
            for gate in self.scheduler.wide.pieces()[piece].gates.clone() {
                if self.is_stopped() {
                    return None;
                }
                let node = self.scheduler.wide.gates()[gate].node;
                if needed[node.index()] {
                    let turn = self.turn(node, piece);
                    let operands = self.operands(node).iter();
                    let mut inverted = operands.map(|&edge| self.will_be_inverted(edge));
                    let inverted = match self.scheduler.wide.gates()[gate].is_exclusive {
                        true => inverted.fold(false, |odd, inverted| odd ^ inverted),
                        false => inverted.all(|inverted| inverted),
                    };
                    self.keys.insert(node, ((piece as u32, turn), inverted));
                }
            }
        }
        Some(feedback)
    }

    /// Returns the nodes to request, one after the other, to compute all that `roots` need.
    fn in_order(&self, roots: Vec<NodeId>) -> Vec<NodeId> {
        let mut all: Vec<NodeId> = self.keys.keys().copied().collect();
        match self.scheduler.order {
            Order::Cone => return roots,
            Order::Circuit => all.sort_unstable(),
            Order::Level => {
                let depths = &self.scheduler.depths;
                all.sort_unstable_by_key(|node| (depths[node.index()], *node));
            }
        }
        all
    }

    fn operands(&self, node: NodeId) -> &[Edge] {
        let wide = &self.scheduler.wide;
        wide.operands(wide.gate(node).expect("it is a gate"))
    }

    /// Returns a gate's turn: the first one of its group by which all its operands are
    /// available. Segments of one piece take turns: first the gates of no group, then each
    /// group, then again the gates of none, and so on.
    fn turn(&self, node: NodeId, piece: usize) -> u32 {
        let groups = self.scheduler.groups;
        // A loop is one segment.
        if !self.scheduler.wide.pieces()[piece].feedback.is_empty() {
            return 0;
        }
        let slots = groups.len() as u32 + 1;
        let slot = groups.of(node).map_or(0, |group| group as u32 + 1);
        let earliest = self
            .operands(node)
            .iter()
            .filter_map(|edge| self.keys.get(&edge.node()))
            .filter_map(|&((at, turn), _)| (at as usize == piece).then_some(turn))
            .max()
            .unwrap_or(0);
        let offset = (slot + slots - earliest % slots) % slots;
        earliest + offset
    }

    /// Returns whether a value will be stored inverted relative to the edge.
    fn will_be_inverted(&self, edge: Edge) -> bool {
        let inverted = match (
            self.done.values[edge.node().index()],
            self.keys.get(&edge.node()),
        ) {
            (Some(place), _) => place.inverted,
            (None, Some(&(_, inverted))) => inverted,
            (None, None) => unreachable!("operands are planned first"),
        };
        inverted ^ edge.inverted()
    }

    /// Computes a node and all that it needs, unless a stop comes.
    fn compute(&mut self, node: NodeId) -> Option<()> {
        let mut stack = Vec::new();
        if self.done.values[node.index()].is_none() {
            stack.push(self.chain(node));
        }
        while let Some(chain) = stack.last_mut() {
            if self.is_stopped() {
                return None;
            }
            let Some(&edge) = chain.operands.get(chain.next) else {
                let chain = stack.pop().expect("it is the last");
                self.finish(chain);
                continue;
            };
            match self.place(edge) {
                Some(place) => {
                    chain.next += 1;
                    let before = chain.place.replace(place);
                    if let Some(before) = before {
                        let (node, is_exclusive) = (chain.node, chain.is_exclusive);
                        let both = match is_exclusive {
                            true => self.xor(node, before, place),
                            false => self.and(node, before, place),
                        };
                        stack.last_mut().expect("it is the last").place = Some(both);
                    }
                }
                None => {
                    let next = self.chain(edge.node());
                    stack.push(next);
                }
            }
        }
        Some(())
    }

    /// A gate with its operands in the order in which they are to be taken in.
    fn chain(&self, node: NodeId) -> Chain {
        let wide = &self.scheduler.wide;
        let gate = wide.gate(node).expect("it is a gate");
        let mut operands = wide.operands(gate).to_vec();
        operands.sort_by_cached_key(|&edge| {
            let depth = self.scheduler.depths[edge.node().index()];
            (!self.will_be_inverted(edge), Reverse(depth))
        });
        Chain {
            node,
            is_exclusive: gate.is_exclusive,
            operands,
            next: 0,
            place: None,
        }
    }

    /// The conjunction of two places, for a gate.
    fn and(&mut self, node: NodeId, a: Place, b: Place) -> Place {
        let (operator, first, second) = match (a.inverted, b.inverted) {
            (false, false) => (Operator::And, a, b),
            (false, true) => (Operator::AndNot, a, b),
            (true, false) => (Operator::AndNot, b, a),
            (true, true) => (Operator::Or, a, b),
        };
        Place {
            operand: self.operation(node, operator, first.operand, second.operand),
            inverted: operator == Operator::Or,
        }
    }

    /// The exclusive disjunction of two places, for a gate.
    fn xor(&mut self, node: NodeId, a: Place, b: Place) -> Place {
        Place {
            operand: self.operation(node, Operator::Xor, a.operand, b.operand),
            inverted: a.inverted ^ b.inverted,
        }
    }

    /// A new value, for a gate.
    fn operation(&mut self, node: NodeId, operator: Operator, a: Operand, b: Operand) -> Operand {
        let target = self.scheduler.idle.len() as u32;
        self.scheduler.idle.push(None);
        self.segment(node).instructions.push(Instruction::Compute {
            target,
            operator,
            a,
            b,
        });
        Operand::Value(target)
    }

    /// Finishes a gate whose value is available: writes the outputs that are this value.
    fn finish(&mut self, chain: Chain) {
        let node = chain.node;
        let place = chain.place.expect("gates have operands");
        self.done.values[node.index()] = Some(place);
        // A gate with one operand has its value from elsewhere.
        if let (Operand::Value(value), 2..) = (place.operand, chain.operands.len()) {
            let idle = self.scheduler.groups.idle(Edge::new(node, place.inverted));
            self.scheduler.idle[value as usize] = idle;
        }
        for output in self.outputs.remove(&node).unwrap_or_default() {
            let edge = self.edge(output);
            let place = self.place(edge).expect("it was just computed");
            let store = self.store(output, place);
            let row = self.scheduler.output_row(output);
            let idle = self.scheduler.groups.idle(edge);
            let segment = self.segment(node);
            segment.instructions.push(store);
            segment.idle.extend(idle.map(|idle| (row, idle)));
        }
    }

    /// The segment that a gate belongs to.
    fn segment(&mut self, node: NodeId) -> &mut Segment {
        let (key, _) = self.keys[&node];
        let slots = self.scheduler.groups.len() + 1;
        let segment = self.segments.entry(key).or_default();
        segment.group = (key.1 as usize % slots).checked_sub(1);
        segment
    }

    /// Adds the feedback to the segments of the loops.
    fn close_loops(&mut self, feedback: &[NodeId]) {
        for (number, piece) in self.scheduler.wide.pieces().iter().enumerate() {
            for &(node, source) in &piece.feedback {
                if feedback.binary_search(&node).is_err() {
                    continue;
                }
                let place = |edge: Edge| self.place(edge).expect("all is computed");
                let Operand::Row(row) = place(Edge::from(node)).operand else {
                    unreachable!("feedback nodes have rows")
                };
                let source = place(source);
                let segment = self.segments.entry((number as u32, 0)).or_default();
                segment.feedback.push(row);
                segment.instructions.push(Instruction::Feedback {
                    row,
                    from: source.operand,
                    invert: source.inverted,
                });
            }
        }
    }
}
