//! Resynthesis of circuits from counters and tables.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::diagram::Diagrams;
use super::{Exclusive, Quantity, Table, Term};
use crate::circuit::number::{count, digits};
use crate::circuit::{Builder, Circuit, Edge, NodeId, NodeSet};
use crate::passes::rebuild::{Moved, rebuild as rebuild_nodes};

/// The factor by which the replacement must have fewer gates.
const WORTH_WHILE: usize = 2;

/// The circuit with the nodes of tables that count replaced, if it is smaller.
pub(super) fn rebuild(
    circuit: &Circuit,
    quantities: &[Quantity],
    tables: &[Table],
) -> Option<Circuit> {
    let counts = |table: &&Table| {
        let mut numbers = table.quantities.iter();
        let is_constant = table.quantities.is_empty();
        is_constant || numbers.any(|&number| matches!(quantities[number], Quantity::Count(_)))
    };
    let replaced: FxHashMap<NodeId, &Table> = tables
        .iter()
        .filter(counts)
        .map(|table| (table.node, table))
        .collect();
    let mut decisions = Decisions::new(quantities);
    let rebuilt = rebuild_nodes(circuit, |builder, moved, node| match replaced.get(&node) {
        Some(table) => Some(decisions.table(builder, moved, table)),
        None => moved.same(circuit, builder, node),
    });
    let size = |circuit: &Circuit| {
        circuit.extend_cone(
            &mut NodeSet::empty(circuit),
            circuit.outputs().iter().copied(),
        )
    };
    // The nodes that stay are in both.
    let kept = rebuild_nodes(circuit, |builder, moved, node| {
        match replaced.contains_key(&node) {
            true => Some(Edge::FALSE),
            false => moved.same(circuit, builder, node),
        }
    });
    let [before, after, kept] = [circuit, &rebuilt, &kept].map(size);
    let is_worth_while = (after.saturating_sub(kept)) * WORTH_WHILE <= before.saturating_sub(kept);
    (!replaced.is_empty() && is_worth_while).then_some(rebuilt)
}

/// A variable of the diagrams that tables become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Digit {
    /// The quantity with this number, as a whole.
    Whole(usize),
    /// A binary digit of it.
    Bit(usize, usize),
}

/// The gates that decide by quantities.
struct Decisions<'a> {
    quantities: &'a [Quantity],
    /// By level.
    digits: Vec<Digit>,
    diagrams: Diagrams,
    /// The binary digits of counts that were made.
    counters: Vec<Option<Vec<Edge>>>,
    /// The edges that nodes became.
    edges: FxHashMap<NodeId, Edge>,
}

impl<'a> Decisions<'a> {
    fn new(quantities: &'a [Quantity]) -> Decisions<'a> {
        let mut levels: Vec<Digit> = Vec::new();
        let mut bits: Vec<(usize, usize)> = Vec::new();
        for (number, quantity) in quantities.iter().enumerate() {
            match quantity {
                Quantity::Count(terms) => {
                    bits.extend((0..digits(terms.len())).map(|bit| (bit, number)));
                }
                Quantity::Choice(_) | Quantity::Wire(_) => levels.push(Digit::Whole(number)),
            }
        }
        // The greatest digits of all counts first: that is how they are compared.
        bits.sort_by_key(|&(bit, number)| (Reverse(bit), number));
        levels.extend(
            bits.into_iter()
                .map(|(bit, number)| Digit::Bit(number, bit)),
        );
        let values = levels.iter().map(|digit| match *digit {
            Digit::Whole(number) => quantities[number].values(),
            Digit::Bit(..) => 2,
        });
        Decisions {
            quantities,
            diagrams: Diagrams::new(values.collect()),
            digits: levels,
            counters: vec![None; quantities.len()],
            edges: FxHashMap::default(),
        }
    }

    /// The node of a table as gates.
    fn table(&mut self, builder: &mut Builder, moved: &Moved, table: &Table) -> Edge {
        let levels = (0..self.digits.len()).filter(|&level| {
            let (Digit::Whole(number) | Digit::Bit(number, _)) = self.digits[level];
            table.quantities.contains(&number)
        });
        let levels: Vec<usize> = levels.collect();
        let mut strides = FxHashMap::default();
        let mut stride = 1;
        for &number in &table.quantities {
            strides.insert(number, stride);
            stride *= self.quantities[number].values();
        }
        let mut values = vec![0; self.quantities.len()];
        let function = self.decide(table, &strides, &levels, &mut values);
        self.gates(builder, moved, function.unwrap_or(Edge::FALSE))
    }

    /// Returns the diagram of a table over the other digits, given some; `None` if all of it is impossible.
    fn decide(
        &mut self,
        table: &Table,
        strides: &FxHashMap<usize, usize>,
        levels: &[usize],
        values: &mut [usize],
    ) -> Option<Edge> {
        let Some((&level, levels)) = levels.split_first() else {
            let numbers = table.quantities.iter();
            let at = numbers.map(|&number| {
                let exists = values[number] < self.quantities[number].values();
                exists.then(|| values[number] * strides[&number])
            });
            let value = table.values[at.sum::<Option<usize>>()?]?;
            return Some(Edge::FALSE.invert_if(value));
        };
        let digit = self.digits[level];
        let mut children = Vec::new();
        for value in 0..self.diagrams.values(level) {
            let (number, added) = match digit {
                Digit::Whole(number) => (number, value),
                Digit::Bit(number, bit) => (number, value << bit),
            };
            values[number] += added;
            children.push(self.decide(table, strides, levels, values));
            values[number] -= added;
        }
        // Impossible combinations may have any value: that of a possible one.
        let some = children.iter().find_map(|&child| child)?;
        let children: Vec<Edge> = children.iter().map(|child| child.unwrap_or(some)).collect();
        Some(self.diagrams.branch(level, &children))
    }

    fn gates(&mut self, builder: &mut Builder, moved: &Moved, function: Edge) -> Edge {
        let node = function.node();
        let Some(level) = self.diagrams.level(function) else {
            return function;
        };
        if let Some(edge) = self.edges.get(&node) {
            return edge.invert_if(function.inverted());
        }
        let children: Vec<Edge> = self.diagrams.children(node).to_vec();
        let children: Vec<Edge> = (children.into_iter())
            .map(|child| self.gates(builder, moved, child))
            .collect();
        let edge = match self.digits[level] {
            Digit::Bit(number, bit) => {
                let quantities = self.quantities;
                let counter = self.counters[number].get_or_insert_with(|| {
                    let Quantity::Count(terms) = &quantities[number] else {
                        unreachable!("only counts have digits");
                    };
                    counter(builder, terms)
                });
                choose(builder, counter[bit], children[1], children[0])
            }
            Digit::Whole(number) => match &self.quantities[number] {
                Quantity::Wire(wire) => {
                    let wire = moved.edge(Edge::from(*wire));
                    choose(builder, wire, children[1], children[0])
                }
                Quantity::Choice(group) => select(builder, group, &children),
                Quantity::Count(_) => unreachable!("counts have digits"),
            },
        };
        self.edges.insert(node, edge);
        edge.invert_if(function.inverted())
    }
}

/// Returns the binary digits of the number of terms that are true, least significant first.
fn counter(builder: &mut Builder, terms: &[Term]) -> Vec<Edge> {
    let term = |term: &Term| {
        let inputs: Vec<Edge> = (term.inputs.iter())
            .map(|input| builder.input(input.index()))
            .collect();
        builder.or_all(&inputs).invert_if(term.is_inverted)
    };
    let terms: Vec<Edge> = terms.iter().map(term).collect();
    count(builder, terms)
}

fn choose(builder: &mut Builder, condition: Edge, yes: Edge, no: Edge) -> Edge {
    let (yes, no) = (builder.and(condition, yes), builder.and(!condition, no));
    builder.or(yes, no)
}

/// The child for the member of the group that is true.
fn select(builder: &mut Builder, group: &Exclusive, children: &[Edge]) -> Edge {
    let none = usize::from(!group.is_exact);
    let inputs: Vec<Edge> = (group.inputs.iter())
        .map(|input| builder.input(input.index()))
        .collect();
    let mut kinds: Vec<Edge> = children.to_vec();
    kinds.sort_unstable();
    kinds.dedup();
    let mut parts = Vec::new();
    for kind in kinds {
        let places = (0..inputs.len()).filter(|&place| children[place + none] == kind);
        let chosen: Vec<Edge> = places.map(|place| inputs[place]).collect();
        let mut chosen = builder.or_all(&chosen);
        if none == 1 && children[0] == kind {
            let nothing = builder.or_all(&inputs);
            chosen = builder.or(chosen, !nothing);
        }
        parts.push(builder.and(chosen, kind));
    }
    builder.or_all(&parts)
}
