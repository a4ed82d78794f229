//! Sharing of common operands: a pair of operands that several wide gates have
//! becomes one gate, the most frequent pair first, until no pair is left that two
//! gates share.
//!
//! This is the extraction of common cubes in the manner of Rajski and Vasudevamurthy,
//! "The testability-preserving concurrent decomposition and factorization of Boolean expressions"
//! (1992), with each wide gate as a cube: since inversion is on edges, common parts of ORs are
//! found in the same way.

mod extraction;

use hashbrown::HashMap;
use rustc_hash::{FxBuildHasher, FxHasher};
use std::hash::Hasher;

use self::extraction::{Element, Extraction};
use super::rebuild::{Moved, rebuild};
use super::wide::{Wide, conjunction};
use crate::circuit::{Builder, Circuit, Edge, NodeId};
use propjit_stop::Stop;

/// Very wide gates are processed in pieces of this many operands, since the
/// number of pairs grows with the square of it.
const MAX_OPERANDS: usize = 48;

/// The circuit with common pairs of operands of wide gates in gates of their own.
pub(super) fn share(circuit: &Circuit, stop: &Stop) -> Circuit {
    let wide = Wide::new(circuit);
    let table = Table::new(circuit, &wide);
    let mut extraction = Extraction::new(table.elements.len());
    // By gate, the end of its rows in the extraction.
    let mut ends = Vec::with_capacity(table.gates.len());
    for gate in &table.gates {
        for piece in pieces(&gate.shared) {
            extraction.add_row(piece.to_vec());
        }
        ends.push(extraction.rows().len());
    }
    extraction.run(stop);
    let mut made = Made {
        elements: &table.elements,
        extraction: &extraction,
        edges: vec![None; extraction.elements()],
    };
    let mut gates = table.gates.iter().zip(&ends);
    let mut start = 0;
    rebuild(circuit, |builder, moved, node| {
        if !wide.is_gate(node) {
            return None;
        }
        let (gate, &end) = gates.next().expect("a row for each gate");
        let mut operands: Vec<Edge> = gate.own.iter().map(|&e| moved.edge(e)).collect();
        for element in extraction.rows()[start..end].iter().flatten() {
            operands.push(made.edge(builder, moved, *element));
        }
        start = end;
        Some(conjunction(builder, &mut operands))
    })
}

/// Cuts operands, in ascending order, into pieces that are not too large. Where
/// to cut depends on the operands, so that gates with similar ones are cut alike.
fn pieces(operands: &[Element]) -> impl Iterator<Item = &[Element]> {
    let mut rest = operands;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let most = rest.len().min(MAX_OPERANDS);
        let good_cut = (MAX_OPERANDS / 2..most).find(|&at| {
            let mut hasher = FxHasher::default();
            hasher.write_u32(rest[at].0);
            hasher.finish() >> 60 == 0
        });
        let small = rest.len() <= MAX_OPERANDS;
        let (piece, after) = rest.split_at(if small {
            most
        } else {
            good_cut.unwrap_or(most)
        });
        rest = after;
        Some(piece)
    })
}

/// The operands of a wide gate.
struct Row {
    /// Those of no other gate.
    own: Vec<Edge>,
    /// The others.
    shared: Vec<Element>,
}

/// The wide gates and their operands.
struct Table {
    /// In the order of their nodes.
    gates: Vec<Row>,
    /// The edges that each element stands for, which always occur together.
    elements: Vec<Vec<Edge>>,
}

impl Table {
    fn new(circuit: &Circuit, wide: &Wide) -> Table {
        let gates = (0..circuit.nodes().len() as u32).map(NodeId);
        let mut rows = Vec::new();
        let mut users: Vec<Vec<u32>> = vec![Vec::new(); 2 * circuit.nodes().len()];
        for (row, gate) in gates.filter(|&node| wide.is_gate(node)).enumerate() {
            let mut own = Vec::new();
            wide.leaves(gate, &mut own);
            own.dedup();
            for edge in &own {
                users[edge.code() as usize].push(row as u32);
            }
            let shared = Vec::new();
            rows.push(Row { own, shared });
        }
        // Edges with the same users are one element.
        let mut elements: Vec<Vec<Edge>> = Vec::new();
        let mut by_users: HashMap<&[u32], Element, FxBuildHasher> = HashMap::default();
        for (code, users) in users
            .iter()
            .enumerate()
            .filter(|(_, users)| users.len() > 1)
        {
            let next = Element(elements.len() as u32);
            let element = *by_users.entry(users).or_insert(next);
            if element == next {
                elements.push(Vec::new());
                for &row in users {
                    rows[row as usize].shared.push(element);
                }
            }
            elements[element.0 as usize].push(Edge::from_code(code as u32));
        }
        for row in &mut rows {
            row.own
                .retain(|edge| users[edge.code() as usize].len() == 1);
        }
        Table {
            gates: rows,
            elements,
        }
    }
}

/// The new edges of elements, made when they are first needed.
struct Made<'a> {
    elements: &'a [Vec<Edge>],
    extraction: &'a Extraction,
    edges: Vec<Option<Edge>>,
}

impl Made<'_> {
    fn edge(&mut self, builder: &mut Builder, moved: &Moved, element: Element) -> Edge {
        let mut waiting = vec![element];
        loop {
            let top = *waiting.last().expect("an element to make");
            let edge = match self.extraction.pair(top) {
                None => {
                    let edges = self.elements[top.0 as usize].iter();
                    let mut edges: Vec<Edge> = edges.map(|&edge| moved.edge(edge)).collect();
                    conjunction(builder, &mut edges)
                }
                Some((a, b)) => match (self.made(a), self.made(b)) {
                    (Some(a), Some(b)) => builder.and(a, b),
                    (made, _) => {
                        waiting.push(if made.is_none() { a } else { b });
                        continue;
                    }
                },
            };
            self.edges[top.0 as usize] = Some(edge);
            waiting.pop();
            if waiting.is_empty() {
                return edge;
            }
        }
    }

    fn made(&self, element: Element) -> Option<Edge> {
        self.edges[element.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::sweep::sweep;

    /// The number of gates before and after, for ANDs over these inputs.
    fn gates(inputs: usize, ands: &[&[usize]]) -> (usize, usize) {
        let mut g = Builder::new(inputs);
        let outputs = ands.iter().map(|and| {
            let edges: Vec<Edge> = and.iter().map(|&i| g.input(i)).collect();
            // As a chain, so that equal parts are not shared by chance.
            edges.into_iter().reduce(|a, b| g.and_unshared(a, b))
        });
        let outputs = outputs.map(|edge| edge.unwrap_or(Edge::TRUE)).collect();
        let circuit = g.finish(outputs);
        let after = sweep(&share(&circuit, &Stop::new()));
        (circuit.gates(), after.gates())
    }

    #[test]
    fn common_pairs_are_made_once() {
        assert_eq!(gates(5, &[&[0, 1, 2], &[0, 3, 1], &[1, 4, 0]]), (6, 4));
    }

    #[test]
    fn a_gate_within_another_is_used_by_it() {
        assert_eq!(gates(5, &[&[0, 1, 2], &[4, 0, 3, 1, 2]]), (6, 4));
    }

    #[test]
    fn what_always_occurs_together_is_found_in_very_wide_gates() {
        let wide: Vec<usize> = (0..500).collect();
        let shifted: Vec<usize> = (1..501).rev().collect();
        assert_eq!(gates(501, &[&wide, &shifted]), (998, 500));
    }

    #[test]
    fn pieces_are_of_limited_size() {
        let operands: Vec<Element> = (0..1000).map(Element).collect();
        let pieces: Vec<&[Element]> = pieces(&operands).collect();
        assert!(pieces.iter().all(|piece| piece.len() <= MAX_OPERANDS));
        assert_eq!(pieces.concat(), operands);
    }
}
