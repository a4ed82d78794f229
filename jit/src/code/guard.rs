//! Guards: inputs that make groups of gates irrelevant while they are false.
//!
//! A guard is an input, such as the proposition that a certain role is to move. While
//! it is false in all lanes, a gate need not be evaluated if its value is then known,
//! or if nothing reads it then but gates whose value is known.
//!
//! One pass in each direction finds the gates of up to 64 guards at a time: forwards
//! the known values, backwards the unobservable nodes (see "observability don't-cares"
//! in Hachtel and Somenzi, "Logic Synthesis and Verification Algorithms", 1996).

use crate::circuit::{Circuit, Edge, InputId, Node, NodeId, OutputId};
use crate::rows::Layout;

/// Facts about inputs that code relies on.
#[derive(Clone, Default, Debug)]
pub struct Guards {
    /// Inputs that may guard gates: worthwhile if they are often false in all lanes. Of
    /// more than 64, the others are ignored.
    pub inputs: Vec<InputId>,
    /// Inputs that are true only in lanes where this output of a section evaluated
    /// before is true: a move that is made is legal.
    pub implies: Vec<(InputId, OutputId)>,
}

/// A set of guards: bit `i` is the one with number `i`.
type Set = u64;

/// The cost, in gates, of a row that is written because it is not computed. It is more than
/// the write: cutting the code apart takes values out of registers. (Measured: with 0,
/// hex plays at half its speed, and escort latch breakthrough with 2 at two thirds.)
const IDLE_COST: i64 = 3;

/// The assignment of gates to the groups of guards.
#[derive(Default, Debug)]
pub(super) struct Groups {
    guards: Vec<InputId>,
    first_input: u32,
    /// The group of each node; of no node if there are no groups.
    members: Vec<Option<u8>>,
    known: Known,
}

/// For each node, the guards that make it false while they are false, and those that make it true.
#[derive(Default, Debug)]
struct Known {
    is_false: Vec<Set>,
    is_true: Vec<Set>,
}

impl Groups {
    /// Finds the groups of a circuit's gates; groups that save the work of fewer gates than
    /// `smallest` are dissolved.
    pub(super) fn new(circuit: &Circuit, guards: &Guards, smallest: i32) -> Groups {
        let inputs = &guards.inputs[..guards.inputs.len().min(Set::BITS as usize)];
        if inputs.is_empty() {
            return Groups::default();
        }
        let known = Known::new(circuit, inputs, &guards.implies);
        let unobservable = unobservable(circuit, &known);
        let skipped = |at: usize| unobservable[at] | known.is_false[at] | known.is_true[at];
        let mut members: Vec<Option<u8>> = vec![None; circuit.nodes().len()];
        for (at, node) in circuit.nodes().iter().enumerate() {
            if let (Node::And(..), 1..) = (node, skipped(at)) {
                members[at] = Some(skipped(at).trailing_zeros() as u8);
            }
        }
        let worth = worth(circuit, &members, inputs.len());
        for member in &mut members {
            *member = member.filter(|&group| worth[usize::from(group)] >= i64::from(smallest));
        }
        Groups {
            guards: inputs.to_vec(),
            first_input: Layout::new(circuit).inputs().start as u32,
            members,
            known,
        }
    }

    /// Returns the number of groups.
    pub(super) fn len(&self) -> usize {
        self.guards.len()
    }

    /// The group that a node belongs to.
    pub(super) fn of(&self, node: NodeId) -> Option<usize> {
        let group = self.members.get(node.index()).copied().flatten();
        group.map(usize::from)
    }

    /// The value of an edge where the guard of its node's group is false, if that is
    /// always the same.
    pub(super) fn idle(&self, edge: Edge) -> Option<bool> {
        let group = self.of(edge.node())?;
        let at = edge.node().index();
        match (
            self.known.is_false[at] >> group & 1,
            self.known.is_true[at] >> group & 1,
        ) {
            (1, _) => Some(edge.inverted()),
            (_, 1) => Some(!edge.inverted()),
            _ => None,
        }
    }

    /// The row of a group's guard.
    pub(super) fn guard_row(&self, group: usize) -> u32 {
        self.first_input + self.guards[group].0
    }
}

/// Returns, for each group, how many of its gates are not computed while its guard is false,
/// less the cost of writing the values that other gates read.
fn worth(circuit: &Circuit, members: &[Option<u8>], groups: usize) -> Vec<i64> {
    let mut is_read = vec![false; members.len()];
    for edge in circuit.outputs() {
        is_read[edge.node().index()] = true;
    }
    for (at, node) in circuit.nodes().iter().enumerate() {
        if let &Node::And(a, b) = node {
            for operand in [a.node().index(), b.node().index()] {
                is_read[operand] |= members[operand] != members[at];
            }
        }
    }
    let mut worth = vec![0; groups];
    for (member, is_read) in members.iter().zip(is_read) {
        if let Some(group) = member {
            worth[usize::from(*group)] += if is_read { 1 - IDLE_COST } else { 1 };
        }
    }
    worth
}

impl Known {
    fn new(circuit: &Circuit, guards: &[InputId], implies: &[(InputId, OutputId)]) -> Known {
        let nodes = circuit.nodes().len();
        let mut known = Known {
            is_false: vec![0; nodes],
            is_true: vec![0; nodes],
        };
        known.is_false[0] = Set::MAX;
        for (number, guard) in guards.iter().enumerate() {
            known.is_false[circuit.inputs()[guard.index()].index()] |= 1 << number;
        }
        known.propagate(circuit);
        // The implied outputs depend on no inputs that imply anything.
        for &(input, output) in implies {
            let is_false = known.without(circuit.outputs()[output.index()]);
            known.is_false[circuit.inputs()[input.index()].index()] |= is_false;
        }
        known.propagate(circuit);
        known
    }

    fn propagate(&mut self, circuit: &Circuit) {
        for (at, node) in circuit.nodes().iter().enumerate() {
            if let &Node::And(a, b) = node {
                self.is_false[at] = self.without(a) | self.without(b);
                self.is_true[at] = self.without(!a) & self.without(!b);
            }
        }
    }

    /// The guards without which the edge is false.
    fn without(&self, edge: Edge) -> Set {
        let at = edge.node().index();
        match edge.inverted() {
            false => self.is_false[at],
            true => self.is_true[at],
        }
    }
}

/// Returns, for each node, the guards that make it unobservable at the outputs while they are false.
fn unobservable(circuit: &Circuit, known: &Known) -> Vec<Set> {
    let mut unobservable = vec![Set::MAX; circuit.nodes().len()];
    for edge in circuit.outputs() {
        unobservable[edge.node().index()] = 0;
    }
    for (_, source) in circuit.loops().iter().flat_map(|lp| &lp.feedback) {
        unobservable[source.node().index()] = 0;
    }
    for (at, node) in circuit.nodes().iter().enumerate().rev() {
        if let &Node::And(a, b) = node {
            let reader = unobservable[at];
            unobservable[a.node().index()] &= reader | known.without(b);
            unobservable[b.node().index()] &= reader | known.without(a);
        }
    }
    unobservable
}
