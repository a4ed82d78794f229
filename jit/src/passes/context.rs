//! Simplification of gates in the context of the gates around them: the engine of the passes
//! [absorption](super::absorption), [legality](super::legality) and [choice](super::choice).
//!
//! Inside a conjunction, every conjunct may be simplified as if all others were
//! true: otherwise its value does not matter. The same applies, one level down, to
//! the operands of a private gate among the conjuncts, with all that is known
//! around it; and so on. The known edges include those that [`Facts`] add.

use super::known::{Added, Facts, Known};
use super::rebuild::{Moved, rebuild};
use super::wide::{Place, Wide, conjunction};
use crate::circuit::{Builder, Circuit, Edge, NodeId};
use propjit_stop::Stop;

/// The circuit with all its gates simplified in their contexts.
pub(super) fn simplify(circuit: &Circuit, facts: &Facts, stop: &Stop) -> Circuit {
    let mut context = Context {
        wide: Wide::new(circuit),
        known: Known::new(circuit, facts),
        frames: Vec::new(),
        leaves: Vec::new(),
        results: Vec::new(),
    };
    let mut ticker = stop.ticker();
    rebuild(circuit, |builder, moved, node| {
        let shared = context.wide.place(node) == Place::Shared;
        shared.then(|| context.gate(builder, moved, node, ticker.is_set()))
    })
}

/// A wide gate that is being simplified.
struct Frame {
    /// The start of its leaves in [`Context::leaves`].
    leaves: usize,
    /// The start of its simplified operands in [`Context::results`].
    results: usize,
    /// The mark of the edges known around it.
    mark: usize,
    /// The next leaf to simplify.
    next: usize,
    /// Whether its leaves contradict each other or the edges known around it.
    is_false: bool,
}

/// A leaf and the edges that it adds to the known ones.
struct Leaf {
    edge: Edge,
    added: Added,
}

struct Context<'a> {
    wide: Wide<'a>,
    known: Known<'a>,
    /// The gates around the present one, outermost first.
    frames: Vec<Frame>,
    leaves: Vec<Leaf>,
    results: Vec<Edge>,
}

impl Context<'_> {
    /// Makes a shared gate and those private to it; only copies them if `late`.
    fn gate(&mut self, builder: &mut Builder, moved: &Moved, gate: NodeId, late: bool) -> Edge {
        self.enter(gate, late);
        loop {
            let frame = self.frames.last_mut().expect("the gate is on the stack");
            if frame.is_false || frame.next == self.leaves.len() {
                let edge = self.leave(builder);
                match self.frames.last_mut() {
                    None => return edge,
                    Some(outer) => {
                        outer.is_false |= edge == Edge::TRUE;
                        self.results.push(!edge);
                        continue;
                    }
                }
            }
            let at = frame.next;
            frame.next += 1;
            let edge = self.leaves[at].edge;
            if let Some(private) = self.wide.private(edge) {
                self.enter(private, late);
            } else if late {
                self.results.push(moved.edge(edge));
            } else {
                let simple = self.simplify_leaf(at);
                self.results.push(moved.edge(simple));
            }
        }
    }

    /// Simplifies a leaf of the present gate by all the others.
    fn simplify_leaf(&mut self, at: usize) -> Edge {
        let Leaf { edge, added } = &mut self.leaves[at];
        self.known.remove(added.clone());
        let simple = self.known.simplify(*edge);
        let place = self.wide.place(simple.node());
        if simple == *edge || matches!(place, Place::Part | Place::Private) {
            // Parts and private gates are not made on their own.
            self.known.restore(added.clone());
            return *edge;
        }
        let (now_added, consistent) = self.known.add(simple);
        *added = now_added;
        let frame = self.frames.last_mut().expect("the leaf's gate");
        frame.is_false |= !consistent;
        simple
    }

    fn enter(&mut self, gate: NodeId, late: bool) {
        let mut edges = Vec::new();
        self.wide.leaves(gate, &mut edges);
        let mut frame = Frame {
            leaves: self.leaves.len(),
            results: self.results.len(),
            mark: self.known.mark(),
            next: self.leaves.len(),
            is_false: false,
        };
        for edge in edges {
            let added = if late || self.wide.private(edge).is_some() {
                0..0
            } else {
                let (added, consistent) = self.known.add(edge);
                frame.is_false |= !consistent;
                added
            };
            self.leaves.push(Leaf { edge, added });
        }
        self.frames.push(frame);
    }

    /// Ends the present gate, and returns its simplified edge.
    fn leave(&mut self, builder: &mut Builder) -> Edge {
        let frame = self.frames.pop().expect("the present gate");
        for leaf in self.leaves.drain(frame.leaves..) {
            self.known.remove(leaf.added);
        }
        self.known.forget(frame.mark);
        let mut operands: Vec<Edge> = self.results.drain(frame.results..).collect();
        match frame.is_false {
            true => Edge::FALSE,
            false => conjunction(builder, &mut operands),
        }
    }
}
