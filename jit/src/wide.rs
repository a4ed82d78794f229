//! Wide AND gates, the form in which circuits are interpreted and compiled.
//!
//! A gate that only gates read, uninverted, is folded into its readers: trees of
//! two-input gates become one conjunction of many [edges](Edge). Gates that no
//! output needs are left out.
//!
//! On request, the exclusive disjunction of two edges is one gate, instead of the gates that
//! represent it in an and-inverter graph.
//!
//! Loops are cut down to the gates that take part in them: gates that do not depend
//! on the feedback come before the loop, gates that the feedback does not depend on
//! come after it, and both count as outside.

use std::mem::replace;
use std::ops::Range;

use crate::circuit::{Circuit, Edge, Loop, Node, NodeId, visit};

/// The rules for folding gates into their readers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Folding {
    /// No gate gets more operands than this.
    pub operands: usize,
    /// Gates with more readers are not folded.
    pub readers: u32,
    /// Whether there are exclusive disjunctions.
    pub exclusive: bool,
}

impl Folding {
    /// Gates are folded where that saves a value.
    pub(crate) const SINGLE_READERS: Folding = Folding {
        operands: usize::MAX,
        readers: 1,
        exclusive: false,
    };

    /// Like [`Folding::SINGLE_READERS`], with exclusive disjunctions.
    pub(crate) const EXCLUSIVE: Folding = Folding {
        exclusive: true,
        ..Folding::SINGLE_READERS
    };
}

/// One conjunction, or the exclusive disjunction of two edges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WideGate {
    /// The node whose value this is.
    pub node: NodeId,
    /// Whether it is an exclusive disjunction.
    pub is_exclusive: bool,
    first: u32,
    end: u32,
}

/// A stretch of the evaluation order.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// The gates, as a range of [`WideCircuit::gates`].
    pub gates: Range<usize>,
    /// If the piece is a loop, its feedback nodes with their sources; else empty.
    pub feedback: Vec<(NodeId, Edge)>,
}

/// The wide gates in evaluation order.
#[derive(Debug)]
pub(crate) struct WideCircuit {
    gates: Vec<WideGate>,
    operands: Vec<Edge>,
    pieces: Vec<Piece>,
    /// The gate of each node that has one.
    numbers: Vec<Option<u32>>,
    /// The source of each feedback node.
    sources: Vec<Option<Edge>>,
}

impl WideCircuit {
    /// The gates that `circuit`'s outputs need.
    ///
    /// # Panics
    /// If a gate comes before one of its operands, which no [`Circuit`] has.
    pub(crate) fn new(circuit: &Circuit, folding: Folding) -> WideCircuit {
        let usage = Usage::new(circuit);
        let mut wide = WideCircuit {
            gates: Vec::new(),
            operands: Vec::new(),
            pieces: Vec::new(),
            numbers: vec![None; circuit.nodes().len()],
            sources: vec![None; circuit.nodes().len()],
        };
        let mut gates = wide.fold(circuit, &usage, folding);
        let mut piece = |nodes: Range<u32>, place: Option<Place>, feedback| {
            let first = wide.gates.len();
            let nodes = nodes.start as usize..nodes.end as usize;
            for (gate, at) in gates[nodes.clone()].iter_mut().zip(nodes) {
                if place.is_none_or(|place| place == usage.places[at]) {
                    wide.gates.extend(gate.take());
                }
            }
            let gates = first..wide.gates.len();
            wide.pieces.push(Piece { gates, feedback });
        };
        let mut next = 0;
        for (number, lp) in circuit.loops().iter().enumerate() {
            piece(next..lp.nodes.start, None, Vec::new());
            piece(lp.nodes.clone(), Some(Place::Outside), Vec::new());
            let member = Place::Member(number as u32);
            piece(lp.nodes.clone(), Some(member), usage.needed_feedback(lp));
            // Now only those are left that come after the loop.
            next = lp.nodes.start;
        }
        piece(next..circuit.nodes().len() as u32, None, Vec::new());
        let is_used = |piece: &Piece| !piece.gates.is_empty() || !piece.feedback.is_empty();
        wide.pieces.retain(is_used);
        for (gate, number) in wide.gates.iter().zip(0..) {
            wide.numbers[gate.node.index()] = Some(number);
        }
        for &(node, source) in wide.pieces.iter().flat_map(|piece| &piece.feedback) {
            wide.sources[node.index()] = Some(source);
        }
        wide
    }

    /// All gates in evaluation order.
    pub(crate) fn gates(&self) -> &[WideGate] {
        &self.gates
    }

    /// The edges whose conjunction the gate is, or exclusive disjunction: sorted, no two the
    /// same.
    pub(crate) fn operands(&self, gate: &WideGate) -> &[Edge] {
        &self.operands[gate.first as usize..gate.end as usize]
    }

    /// The gate whose value the node is, if there is one.
    pub(crate) fn gate(&self, node: NodeId) -> Option<&WideGate> {
        self.numbers[node.index()].map(|number| &self.gates[number as usize])
    }

    /// The source of a feedback node.
    pub(crate) fn source(&self, node: NodeId) -> Option<Edge> {
        self.sources[node.index()]
    }

    /// Marks the nodes to compute for `roots`, given those that are there.
    pub(crate) fn needed(
        &self,
        roots: impl Iterator<Item = NodeId>,
        is_there: impl Fn(NodeId) -> bool,
    ) -> Vec<bool> {
        let mut needed = vec![false; self.numbers.len()];
        visit(roots, |node, open| {
            if is_there(node) || replace(&mut needed[node.index()], true) {
                return;
            }
            open.extend(self.source(node).map(Edge::node));
            if let Some(gate) = self.gate(node) {
                open.extend(self.operands(gate).iter().map(|edge| edge.node()));
            }
        });
        needed
    }

    /// The stretches that make up the evaluation order.
    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The gate of each node that has one. Gates are needed by outputs, by feedback
    /// and by gates that they are not folded into.
    fn fold(
        &mut self,
        circuit: &Circuit,
        usage: &Usage,
        folding: Folding,
    ) -> Vec<Option<WideGate>> {
        let foldable = usage.foldable(circuit, folding.readers);
        let mut needed = vec![false; circuit.nodes().len()];
        for edge in &usage.roots {
            needed[edge.node().index()] = true;
        }
        let mut gates = vec![None; circuit.nodes().len()];
        let mut open = Vec::new();
        let mut operands = Vec::new();
        // Readers first, so that it is known whether a gate is needed when its turn comes.
        for (at, node) in circuit.nodes().iter().enumerate().rev() {
            let &Node::And(a, b) = node else { continue };
            if !needed[at] {
                continue;
            }
            let exclusive = (folding.exclusive)
                .then(|| exclusive(circuit, a, b))
                .flatten();
            open.extend(exclusive.unwrap_or([b, a]));
            while let Some(edge) = open.pop() {
                let operand = edge.node().index();
                let width = operands.len() + open.len() + 2;
                match circuit.nodes()[operand] {
                    _ if exclusive.is_some() => {
                        needed[operand] = true;
                        operands.push(edge);
                    }
                    Node::And(a, b) if foldable[operand] && width <= folding.operands => {
                        open.extend([b, a]);
                    }
                    _ => {
                        needed[operand] = true;
                        operands.push(edge);
                    }
                }
            }
            operands.sort_unstable();
            operands.dedup();
            let first = self.operands.len();
            self.operands.append(&mut operands);
            gates[at] = Some(WideGate {
                node: NodeId(at as u32),
                is_exclusive: exclusive.is_some(),
                first: first as u32,
                end: self.operands.len() as u32,
            });
        }
        gates
    }
}

/// Returns the edges whose exclusive disjunction the conjunction of `a` and `b` is, if it is one: not
/// both, and not neither.
fn exclusive(circuit: &Circuit, a: Edge, b: Edge) -> Option<[Edge; 2]> {
    if !a.inverted() || !b.inverted() {
        return None;
    }
    // If a loop was dissolved, both edges may come from the same node: that is no exclusive disjunction.
    let of_two = |pair: &[Edge; 2]| pair[0].node() != pair[1].node();
    match [a, b].map(|edge| circuit.node(edge.node())) {
        [Node::And(x, y), Node::And(u, v)] if [u, v] == [!x, !y] || [v, u] == [!x, !y] => {
            Some([x, y]).filter(of_two)
        }
        _ => None,
    }
}

/// The roots, and the number of uses of each node.
struct Usage {
    /// Per node, how many needed gates, outputs and feedback nodes read it.
    readers: Vec<u32>,
    places: Vec<Place>,
    /// The outputs, and the sources of needed feedback nodes.
    roots: Vec<Edge>,
}

/// The position of a node relative to loops.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It depends on no loop, or only on loops before the one whose range it is in.
    Outside,
    /// It depends on the feedback of the loop with this number, and the feedback on it.
    Member(u32),
    /// It depends on the loop whose range it is in, without influence on it.
    After,
}

impl Place {
    /// The loop that the node is in.
    fn inside(self) -> Option<u32> {
        match self {
            Place::Member(number) => Some(number),
            _ => None,
        }
    }
}

impl Usage {
    fn new(circuit: &Circuit) -> Usage {
        let readers = count_readers(circuit);
        let mut usage = Usage {
            places: vec![Place::Outside; circuit.nodes().len()],
            roots: circuit.outputs().to_vec(),
            readers,
        };
        for (number, lp) in circuit.loops().iter().enumerate() {
            let feedback = usage.needed_feedback(lp);
            usage
                .roots
                .extend(feedback.iter().map(|&(_, source)| source));
            usage.find_members(circuit, number, lp, &feedback);
        }
        usage
    }

    /// The feedback nodes of a loop that outputs need, with their sources.
    fn needed_feedback(&self, lp: &Loop) -> Vec<(NodeId, Edge)> {
        let feedback = lp.feedback.iter().copied();
        feedback
            .filter(|(node, _)| self.readers[node.index()] > 0)
            .collect()
    }

    /// Places the nodes in the loop's range.
    fn find_members(
        &mut self,
        circuit: &Circuit,
        number: usize,
        lp: &Loop,
        feedback: &[(NodeId, Edge)],
    ) {
        let range = lp.nodes.start as usize..lp.nodes.end as usize;
        for at in range.clone() {
            let depends = |edge: Edge| {
                let operand = edge.node().index();
                range.contains(&operand) && self.places[operand] == Place::After
            };
            let is_after = match circuit.nodes()[at] {
                Node::And(a, b) => depends(a) || depends(b),
                Node::Feedback => true,
                Node::False | Node::Input(_) => false,
            };
            if is_after {
                self.places[at] = Place::After;
            }
        }
        let sources = feedback.iter().map(|(_, source)| source.node());
        visit(sources, |node, open| {
            let at = node.index();
            if range.contains(&at) && self.places[at] == Place::After {
                self.places[at] = Place::Member(number as u32);
                if let Node::And(a, b) = circuit.node(node) {
                    open.extend([a.node(), b.node()]);
                }
            }
        });
    }

    /// Whether a node is a gate that may be folded into all its readers.
    fn foldable(&self, circuit: &Circuit, max_readers: u32) -> Vec<bool> {
        let few = self.readers.iter().map(|&readers| readers <= max_readers);
        let mut foldable: Vec<bool> = few.collect();
        for edge in &self.roots {
            foldable[edge.node().index()] = false;
        }
        for (at, node) in circuit.nodes().iter().enumerate() {
            if let &Node::And(a, b) = node
                && self.readers[at] > 0
            {
                for edge in [a, b] {
                    let operand = edge.node().index();
                    let together = self.places[operand].inside() == self.places[at].inside();
                    foldable[operand] &= !edge.inverted() && together;
                }
            }
        }
        foldable
    }
}

/// Per node, how many needed gates, outputs and feedback nodes read it.
fn count_readers(circuit: &Circuit) -> Vec<u32> {
    for lp in circuit.loops() {
        let mut sources = lp.feedback.iter().map(|(_, source)| source.node().0);
        assert!(
            sources.all(|source| source < lp.nodes.end),
            "feedback from a later node"
        );
    }
    let mut readers = vec![0; circuit.nodes().len()];
    let mut read = |edge: Edge| readers[edge.node().index()] += 1;
    circuit.outputs().iter().copied().for_each(&mut read);
    for node in circuit.cone(circuit.outputs().iter().copied()).iter() {
        match circuit.node(node) {
            Node::And(a, b) => {
                assert!(a.node() < node && b.node() < node, "an operand comes late");
                read(a);
                read(b);
            }
            Node::Feedback => read(circuit.source(node)),
            Node::False | Node::Input(_) => {}
        }
    }
    readers
}
