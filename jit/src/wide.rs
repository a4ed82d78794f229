//! A circuit as wide AND gates, the form that the interpreters run.
//!
//! A gate that only one other gate reads, uninverted, is folded into its reader:
//! trees of two-input gates become one conjunction of many [edges](Edge), which
//! saves a result for every gate folded. Gates that no output needs are left out.
//!
//! Loops are cut down to the gates that take part in them: what does not depend
//! on the feedback comes before the loop, what the feedback does not depend on
//! comes after it, and both count as outside.

use std::ops::Range;

use crate::circuit::{Circuit, Edge, Node, NodeId};

/// One conjunction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WideGate {
    /// The node whose value this is.
    pub node: NodeId,
    first: u32,
    end: u32,
}

/// A stretch of the evaluation order.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// Which of [`WideCircuit::gates`].
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
    readers: Vec<u32>,
}

impl WideCircuit {
    /// The gates that `circuit`'s outputs need, with at most `limit` operands each.
    ///
    /// # Panics
    /// If a gate comes before one of its operands, which no [`Circuit`] has.
    pub fn new(circuit: &Circuit, limit: usize) -> WideCircuit {
        let readers = count_readers(circuit);
        let places = places(circuit, &readers);
        let mut wide = WideCircuit {
            gates: Vec::new(),
            operands: Vec::new(),
            pieces: Vec::new(),
            readers,
        };
        let mut gates = wide.fold(circuit, &places, limit);
        let mut piece = |nodes: Range<u32>, place: Option<Place>, feedback| {
            let first = wide.gates.len();
            let nodes = nodes.start as usize..nodes.end as usize;
            for (gate, at) in gates[nodes.clone()].iter_mut().zip(nodes) {
                if place.is_none_or(|place| place == places[at]) {
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
            let is_live = |&&(node, _): &&(NodeId, Edge)| wide.readers[node.index()] > 0;
            let feedback = lp.feedback.iter().filter(is_live).copied().collect();
            let member = Place::Member(number as u32);
            piece(lp.nodes.clone(), Some(member), feedback);
            // Now only those are left that come after the loop.
            next = lp.nodes.start;
        }
        piece(next..circuit.nodes().len() as u32, None, Vec::new());
        let is_used = |piece: &Piece| !piece.gates.is_empty() || !piece.feedback.is_empty();
        wide.pieces.retain(is_used);
        wide
    }

    /// All gates in evaluation order.
    pub fn gates(&self) -> &[WideGate] {
        &self.gates
    }

    /// The edges whose conjunction the gate is: sorted, no two the same.
    pub fn operands(&self, gate: &WideGate) -> &[Edge] {
        &self.operands[gate.first as usize..gate.end as usize]
    }

    /// The stretches that make up the evaluation order.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// How many gates of the circuit, feedback nodes and outputs read the node;
    /// none if no output needs it.
    pub fn readers(&self, node: NodeId) -> u32 {
        self.readers[node.index()]
    }

    /// The gate of each node that is neither unneeded nor folded away.
    fn fold(&mut self, circuit: &Circuit, places: &[Place], limit: usize) -> Vec<Option<WideGate>> {
        let mut folded = vec![false; circuit.nodes().len()];
        let mut gates = vec![None; circuit.nodes().len()];
        let mut open = Vec::new();
        // Readers first, so that it is known whether a gate is folded when its turn comes.
        for (at, node) in circuit.nodes().iter().enumerate().rev() {
            let &Node::And(a, b) = node else { continue };
            if folded[at] || self.readers[at] == 0 {
                continue;
            }
            let first = self.operands.len();
            open.extend([b, a]);
            while let Some(edge) = open.pop() {
                let operand = edge.node().index();
                let width = self.operands.len() - first + open.len() + 1;
                match circuit.node(edge.node()) {
                    Node::And(a, b)
                        if !edge.inverted()
                            && self.readers[operand] == 1
                            && places[operand].inside() == places[at].inside()
                            && width < limit =>
                    {
                        folded[operand] = true;
                        open.extend([b, a]);
                    }
                    _ => self.operands.push(edge),
                }
            }
            self.operands[first..].sort_unstable();
            let mut kept = first;
            for i in first..self.operands.len() {
                if i == first || self.operands[i] != self.operands[kept - 1] {
                    self.operands[kept] = self.operands[i];
                    kept += 1;
                }
            }
            self.operands.truncate(kept);
            gates[at] = Some(WideGate {
                node: NodeId(at as u32),
                first: first as u32,
                end: kept as u32,
            });
        }
        gates
    }
}

/// How a node relates to loops.
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

fn count_readers(circuit: &Circuit) -> Vec<u32> {
    let mut source = vec![Edge::FALSE; circuit.nodes().len()];
    for lp in circuit.loops() {
        for &(node, edge) in &lp.feedback {
            assert!(
                edge.node().0 < lp.nodes.end,
                "feedback comes from a later node"
            );
            source[node.index()] = edge;
        }
    }
    let mut readers = vec![0; circuit.nodes().len()];
    let mut open = circuit.outputs().to_vec();
    while let Some(edge) = open.pop() {
        let node = edge.node();
        readers[node.index()] += 1;
        if readers[node.index()] > 1 {
            continue;
        }
        match circuit.node(node) {
            Node::And(a, b) => {
                assert!(a.node() < node && b.node() < node, "an operand comes late");
                open.extend([a, b]);
            }
            Node::Feedback => open.push(source[node.index()]),
            Node::False | Node::Input(_) => {}
        }
    }
    readers
}

fn places(circuit: &Circuit, readers: &[u32]) -> Vec<Place> {
    let mut places = vec![Place::Outside; circuit.nodes().len()];
    for (number, lp) in circuit.loops().iter().enumerate() {
        let nodes = lp.nodes.start as usize..lp.nodes.end as usize;
        for at in nodes.clone() {
            let depends = |edge: Edge| {
                nodes.contains(&edge.node().index())
                    && places[edge.node().index()] != Place::Outside
            };
            let after = match circuit.nodes()[at] {
                Node::And(a, b) => depends(a) || depends(b),
                Node::Feedback => true,
                Node::False | Node::Input(_) => false,
            };
            if after {
                places[at] = Place::After;
            }
        }
        let live = lp
            .feedback
            .iter()
            .filter(|(node, _)| readers[node.index()] > 0);
        let mut open: Vec<Edge> = live.map(|&(_, source)| source).collect();
        while let Some(edge) = open.pop() {
            let node = edge.node();
            if places[node.index()] == Place::After && nodes.contains(&node.index()) {
                places[node.index()] = Place::Member(number as u32);
                if let Node::And(a, b) = circuit.node(node) {
                    open.extend([a, b]);
                }
            }
        }
    }
    places
}
