//! Goal terms: sets of propositions that have to hold at the same time.

use std::ops::Range;

use propjit_jit::circuit::{Circuit, Edge, Node, disjuncts};
use propjit_stop::Stop;
use rustc_hash::{FxHashMap, FxHashSet};

use super::support::supports;

/// The terms that one part of a goal may be taken apart into.
const MAX_TERMS: usize = 2048;

/// The literals that all terms of a part may have.
const MAX_LITERALS: usize = 1 << 16;

/// A conjunction: the codes of its literals, ascending, which are twice the proposition, plus
/// one if it must not hold.
type Term = Vec<u32>;

/// Sets of propositions such that a wire is true if, in one of them, each has a certain value; of
/// those parts of it that cannot be taken apart, all propositions that they depend on.
#[derive(Debug)]
pub(super) struct Terms {
    /// The propositions of each, ascending.
    pub(super) propositions: Vec<Vec<u32>>,
    /// Whether all of it could be taken apart.
    pub(super) complete: bool,
}

/// Takes a wire apart.
pub(super) fn terms(circuit: &Circuit, bases: &Range<usize>, edge: Edge, stop: &Stop) -> Terms {
    let (terms, opaque) = apart(circuit, edge);
    let propositions = |term: Term| term.iter().map(|code| code / 2).collect();
    let mut found = Terms {
        propositions: terms.into_iter().map(propositions).collect(),
        complete: opaque.is_empty(),
    };
    let mut supported = vec![Vec::new(); opaque.len()];
    supports(circuit, bases, &opaque, stop, |number, base| {
        supported[number].push(base as u32);
    });
    found.propositions.append(&mut supported);
    found.propositions.sort();
    found.propositions.dedup();
    found
}

/// Returns sets of inputs that make a wire true if all of them hold, to the extent that it can be taken
/// apart; ascending, and none of them within another one.
pub(crate) fn conjunctions(circuit: &Circuit, edge: Edge) -> Vec<Vec<usize>> {
    let (terms, _) = apart(circuit, edge);
    let negates_nothing = |term: &Term| term.iter().all(|code| code % 2 == 0);
    let inputs = |term: Term| term.iter().map(|&code| code as usize / 2).collect();
    (terms.into_iter().filter(negates_nothing).map(inputs)).collect()
}

/// Returns the terms and the other edges that a wire is a disjunction of.
fn apart(circuit: &Circuit, edge: Edge) -> (Vec<Term>, Vec<Edge>) {
    let mut terms: Vec<Term> = Vec::new();
    let mut opaque = Vec::new();
    for edge in disjuncts(|node| circuit.node(node), edge) {
        match part(circuit, edge) {
            Some(mut part) if terms.len() + part.len() <= MAX_TERMS => terms.append(&mut part),
            _ => opaque.push(edge),
        }
    }
    // A term says nothing that a part of it says, too.
    terms.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    terms.dedup();
    let mut least: Vec<Term> = Vec::new();
    for term in terms {
        let is_in = |other: &Term| other.iter().all(|code| term.binary_search(code).is_ok());
        if !least.iter().any(is_in) {
            least.push(term);
        }
    }
    (least, opaque)
}

/// Returns the terms that an edge is a disjunction of; `None` if there are too many.
fn part(circuit: &Circuit, edge: Edge) -> Option<Vec<Term>> {
    let mut terms: FxHashMap<Edge, Vec<Term>> = FxHashMap::default();
    // Which edges are needed, from the last node to the first.
    let mut needed = vec![edge];
    let mut order = Vec::new();
    let mut seen = FxHashSet::default();
    while let Some(edge) = needed.pop() {
        if seen.insert(edge) {
            order.push(edge);
            match circuit.node(edge.node()) {
                Node::And(a, b) => {
                    needed.extend([a, b].map(|operand| operand.invert_if(edge.inverted())));
                }
                Node::Feedback => return None,
                Node::Input(_) | Node::False => {}
            }
        }
    }
    order.sort_unstable();
    let mut literals = 0;
    for edge in order {
        let found = match circuit.node(edge.node()) {
            Node::False if edge.inverted() => vec![Vec::new()],
            Node::False => Vec::new(),
            Node::Input(input) => vec![vec![2 * input.0 + u32::from(edge.inverted())]],
            Node::Feedback => return None,
            Node::And(a, b) => {
                let [a, b] = [a, b].map(|operand| &terms[&operand.invert_if(edge.inverted())]);
                match edge.inverted() {
                    true => [a.as_slice(), b].concat(),
                    false if a.len() * b.len() > MAX_TERMS => return None,
                    false => (a.iter())
                        .flat_map(|a| b.iter().filter_map(|b| both(a, b)))
                        .collect(),
                }
            }
        };
        literals += found.iter().map(Vec::len).sum::<usize>();
        if found.len() > MAX_TERMS || literals > MAX_LITERALS {
            return None;
        }
        terms.insert(edge, found);
    }
    terms.remove(&edge)
}

/// The conjunction of two terms, if they do not contradict each other.
fn both(a: &[u32], b: &[u32]) -> Option<Term> {
    let mut both = [a, b].concat();
    both.sort_unstable();
    both.dedup();
    let contradicts = both.windows(2).any(|pair| pair[0] ^ 1 == pair[1]);
    (!contradicts).then_some(both)
}
