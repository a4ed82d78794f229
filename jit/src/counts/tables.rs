//! Tables of wires over counts: finding the wires that have some, and filling them.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::symmetry::{CountFunction, FEWEST_VALUES, MAX_COMBINATIONS, Symmetry};
use super::variables::{Variables, in_loops};
use super::{Exclusive, Quantity, Table, Term};
use crate::circuit::{Circuit, Edge, Node, NodeId, NodeSet};
use propjit_stop::Stop;

/// The most work to recognise functions of counts, for each gate and in all: a value of a
/// variable is one for each node of a diagram.
const SYMMETRY_STEPS: usize = 2000;
const MAX_SYMMETRY_STEPS: usize = 200_000_000;

/// The least number of gates assumed: goals may be single propositions.
const MIN_GATES: usize = 64;

/// The most work to fill tables, for each gate: a combination is one for each gate above.
const EVALUATION: usize = 2000;

/// Finds the quantities and the tables for wires that only the roots need.
pub(super) fn find(
    circuit: &Circuit,
    roots: &[Edge],
    others: &[Edge],
    inputs: usize,
    groups: &[Exclusive],
    stop: &Stop,
) -> Option<(Vec<Quantity>, Vec<Table>)> {
    let needed = circuit.cone(others.iter().copied());
    let mut only = NodeSet::empty(circuit);
    for node in circuit.cone(roots.iter().copied()).iter() {
        if !needed.contains(node) {
            only.insert(node);
        }
    }
    let variables = Variables::new(circuit, roots, &only, groups, inputs, stop);
    if stop.is_set() {
        return None;
    }
    let gates = only.iter().count().max(MIN_GATES);
    let symmetry_steps = (SYMMETRY_STEPS * gates).min(MAX_SYMMETRY_STEPS);
    let mut finder = Finder {
        circuit,
        only,
        in_loop: in_loops(circuit),
        symmetry: Symmetry::new(&variables.diagrams, symmetry_steps),
        variables: &variables,
        known: FxHashMap::default(),
        stop,
    };
    let above = finder.above(roots)?;
    let functions: BTreeMap<NodeId, CountFunction> = (finder.known.into_iter())
        .filter(|(node, _)| above.counted.contains(node))
        .filter_map(|(node, function)| Some((node, function?)))
        .collect();
    let quantities = Quantities::new(&variables, &functions, &above.wires);
    let filler = Filler {
        circuit,
        functions: &functions,
        quantities: &quantities,
        above: &above,
    };
    let tables = filler.tables(roots, EVALUATION * gates, stop)?;
    (!tables.is_empty()).then_some((quantities.all, tables))
}

/// The search for functions of counts.
struct Finder<'a> {
    circuit: &'a Circuit,
    only: NodeSet,
    in_loop: NodeSet,
    variables: &'a Variables,
    symmetry: Symmetry<'a>,
    /// The nodes that were examined, and the functions of counts among them.
    known: FxHashMap<NodeId, Option<CountFunction>>,
    stop: &'a Stop,
}

/// The part of the circuit above functions of counts.
struct Above {
    /// The nodes that are functions of counts, ascending.
    counted: FxHashSet<NodeId>,
    /// The other nodes that are read, but not expanded.
    wires: Vec<NodeId>,
    /// The gates between the roots and those.
    gates: Vec<NodeId>,
}

/// The values by level of the groups that count as one.
type Counted = BTreeMap<usize, Vec<usize>>;

impl Finder<'_> {
    /// Searches from the roots down.
    fn above(&mut self, roots: &[Edge]) -> Option<Above> {
        // A variable that is counted with others does not stand for itself.
        let mut counted_levels: FxHashSet<usize> = FxHashSet::default();
        loop {
            let above = self.descend(roots, &counted_levels)?;
            let before = counted_levels.len();
            for node in &above.counted {
                if let Some(Some(function)) = self.known.get(node) {
                    counted_levels.extend(&function.counted);
                }
            }
            if counted_levels.len() == before {
                return Some(above);
            }
        }
    }

    fn descend(&mut self, roots: &[Edge], counted_levels: &FxHashSet<usize>) -> Option<Above> {
        let mut above = Above {
            counted: FxHashSet::default(),
            wires: Vec::new(),
            gates: Vec::new(),
        };
        let mut seen = NodeSet::empty(self.circuit);
        let mut open: Vec<NodeId> = roots.iter().map(|root| root.node()).collect();
        while let Some(node) = open.pop() {
            if !seen.insert(node) || self.circuit.node(node) == Node::False {
                continue;
            }
            if self.stop.is_set() {
                return None;
            }
            if self.is_count_function(node, counted_levels) {
                above.counted.insert(node);
                continue;
            }
            match self.circuit.node(node) {
                Node::And(a, b) if self.only.contains(node) && !self.in_loop.contains(node) => {
                    above.gates.push(node);
                    open.extend([a.node(), b.node()]);
                }
                _ => above.wires.push(node),
            }
        }
        above.gates.sort_unstable();
        above.wires.sort_unstable();
        Some(above)
    }

    fn is_count_function(&mut self, node: NodeId, counted_levels: &FxHashSet<usize>) -> bool {
        let Some(diagram) = self.variables.functions[node.index()] else {
            return false;
        };
        let symmetry = &mut self.symmetry;
        let function = self
            .known
            .entry(node)
            .or_insert_with(|| symmetry.count_function(diagram));
        function.as_ref().is_some_and(|function| {
            let mut offsets = function.offsets.iter();
            offsets.all(|(level, _)| {
                function.counted.binary_search(level).is_ok() || !counted_levels.contains(level)
            })
        })
    }
}

/// All quantities, and how functions depend on them.
struct Quantities {
    all: Vec<Quantity>,
    /// For each quantity that is a count, the levels of the counted variables.
    levels: Vec<Vec<usize>>,
    /// For each function, the quantities that it depends on, with the offset of each value.
    of_function: FxHashMap<NodeId, Vec<(usize, Vec<usize>)>>,
    of_wire: FxHashMap<NodeId, usize>,
}

impl Quantities {
    /// Derives the quantities: counted values form one quantity if all functions count them
    /// alike.
    fn new(
        variables: &Variables,
        functions: &BTreeMap<NodeId, CountFunction>,
        wires: &[NodeId],
    ) -> Quantities {
        // For each value of each variable, its offsets in all functions.
        let mut profiles: BTreeMap<(usize, usize), Vec<(NodeId, usize)>> = BTreeMap::new();
        let mut chosen: BTreeMap<usize, Vec<NodeId>> = BTreeMap::new();
        for (&node, function) in functions {
            for (level, offsets) in &function.offsets {
                match function.counted.binary_search(level) {
                    Err(_) => chosen.entry(*level).or_default().push(node),
                    Ok(_) => {
                        for (value, &offset) in offsets.iter().enumerate() {
                            let profile = profiles.entry((*level, value)).or_default();
                            if offset > 0 {
                                profile.push((node, offset));
                            }
                        }
                    }
                }
            }
        }
        let mut kinds: BTreeMap<Vec<(NodeId, usize)>, Counted> = BTreeMap::new();
        for ((level, value), profile) in profiles {
            if !profile.is_empty() {
                let kind = kinds.entry(profile).or_default();
                kind.entry(level).or_default().push(value);
            }
        }
        let mut quantities = Quantities {
            all: Vec::new(),
            levels: Vec::new(),
            of_function: functions.keys().map(|&node| (node, Vec::new())).collect(),
            of_wire: FxHashMap::default(),
        };
        for (profile, counted) in kinds {
            let number = quantities.all.len();
            let most = counted.len();
            for (node, offset) in profile {
                let offsets = (0..=most).map(|count| count * offset).collect();
                quantities.add(node, number, offsets);
            }
            quantities.levels.push(counted.keys().copied().collect());
            let terms = counted.iter().map(|(&level, values)| {
                let group = &variables.groups[level];
                let none = usize::from(!group.is_exact);
                let is_inverted = none == 1 && values.contains(&0);
                let is_named = |place: &usize| values.contains(&(place + none)) != is_inverted;
                let places = (0..group.inputs.len()).filter(is_named);
                Term {
                    inputs: places.map(|place| group.inputs[place]).collect(),
                    is_inverted,
                }
            });
            quantities.all.push(Quantity::Count(terms.collect()));
        }
        for (level, nodes) in chosen {
            let number = quantities.all.len();
            for node in nodes {
                let mut offsets = functions[&node].offsets.iter();
                let found = offsets.find(|(other, _)| *other == level);
                let offsets = found.expect("it depends on the variable").1.clone();
                quantities.add(node, number, offsets);
            }
            let group = variables.groups[level].clone();
            debug_assert!(group.values() >= FEWEST_VALUES);
            quantities.levels.push(Vec::new());
            quantities.all.push(Quantity::Choice(group));
        }
        for &wire in wires {
            quantities.of_wire.insert(wire, quantities.all.len());
            quantities.levels.push(Vec::new());
            quantities.all.push(Quantity::Wire(wire));
        }
        quantities
    }

    fn add(&mut self, node: NodeId, number: usize, offsets: Vec<usize>) {
        let of_function = self.of_function.entry(node).or_default();
        of_function.push((number, offsets));
    }

    /// The number of combinations of values, if they are not too many.
    fn combinations(&self, numbers: &[usize]) -> Option<usize> {
        numbers.iter().try_fold(1usize, |all, &number| {
            let all = all * self.all[number].values();
            (all <= MAX_COMBINATIONS).then_some(all)
        })
    }

    /// Returns whether these counts are possible together: no more of all kinds than there are variables.
    fn can_be(&self, numbers: &[usize], values: &[usize]) -> bool {
        let mut sums: Vec<(&[usize], usize)> = Vec::new();
        for (&number, &value) in numbers.iter().zip(values) {
            let levels = &self.levels[number][..];
            if levels.is_empty() {
                continue;
            }
            match sums.iter_mut().find(|(other, _)| *other == levels) {
                Some((_, sum)) => *sum += value,
                None => sums.push((levels, value)),
            }
        }
        sums.iter().all(|(levels, sum)| *sum <= levels.len())
    }
}

/// Fills tables.
struct Filler<'a> {
    circuit: &'a Circuit,
    functions: &'a BTreeMap<NodeId, CountFunction>,
    quantities: &'a Quantities,
    above: &'a Above,
}

impl Filler<'_> {
    /// The tables of the nodes nearest to the roots that have some.
    fn tables(&self, roots: &[Edge], mut work: usize, stop: &Stop) -> Option<Vec<Table>> {
        let mut depends: FxHashMap<NodeId, Option<Vec<usize>>> = FxHashMap::default();
        for (node, quantities) in &self.quantities.of_function {
            let mut numbers: Vec<usize> = quantities.iter().map(|&(number, _)| number).collect();
            numbers.sort_unstable();
            let fits = self.quantities.combinations(&numbers).is_some();
            depends.insert(*node, fits.then_some(numbers));
        }
        for (&wire, &number) in &self.quantities.of_wire {
            depends.insert(wire, Some(vec![number]));
        }
        depends.insert(Edge::FALSE.node(), Some(Vec::new()));
        let is_root = |node: NodeId| roots.iter().any(|root| root.node() == node);
        let mut tops: FxHashSet<NodeId> = roots.iter().map(|root| root.node()).collect();
        for &gate in &self.above.gates {
            let operands = self.operands(gate);
            let [a, b] = operands.map(|node| depends.get(&node).cloned().flatten());
            let union = a.zip(b).and_then(|(a, b)| {
                let mut union = [a, b].concat();
                union.sort_unstable();
                union.dedup();
                self.quantities.combinations(&union).map(|_| union)
            });
            if union.is_none() {
                tops.extend(operands);
            }
            depends.insert(gate, union);
        }
        // Nodes that depend on the same quantities are evaluated together.
        let mut together: BTreeMap<Vec<usize>, Vec<NodeId>> = BTreeMap::new();
        for top in tops {
            if let Some(Some(numbers)) = depends.get(&top)
                && self.is_useful(numbers, is_root(top))
            {
                together.entry(numbers.clone()).or_default().push(top);
            }
        }
        let mut tables = Vec::new();
        for (numbers, mut nodes) in together {
            if stop.is_set() {
                return None;
            }
            nodes.sort_unstable();
            tables.extend(self.fill(&numbers, &nodes, &mut work)?);
        }
        Some(tables)
    }

    /// Returns whether a table of these quantities gains over the circuit.
    fn is_useful(&self, numbers: &[usize], is_root: bool) -> bool {
        // Constants follow from the exclusions of groups.
        numbers.is_empty()
            || numbers
                .iter()
                .any(|&number| match self.quantities.all[number] {
                    Quantity::Count(_) => true,
                    Quantity::Choice(_) => is_root,
                    Quantity::Wire(_) => false,
                })
    }

    fn operands(&self, gate: NodeId) -> [NodeId; 2] {
        match self.circuit.node(gate) {
            Node::And(a, b) => [a.node(), b.node()],
            _ => unreachable!("only gates are looked into"),
        }
    }

    /// The tables of nodes that depend on these quantities.
    fn fill(&self, numbers: &[usize], nodes: &[NodeId], work: &mut usize) -> Option<Vec<Table>> {
        let combinations = self.quantities.combinations(numbers)?;
        let mut cone = NodeSet::empty(self.circuit);
        let mut order = Vec::new();
        let mut open = nodes.to_vec();
        while let Some(node) = open.pop() {
            if cone.insert(node) {
                order.push(node);
                if self.above.gates.binary_search(&node).is_ok() {
                    open.extend(self.operands(node));
                }
            }
        }
        *work = work.checked_sub(order.len() * combinations)?;
        order.sort_unstable();
        let mut all_values = Vec::with_capacity(combinations);
        let mut values = vec![0; numbers.len()];
        for _ in 0..combinations {
            all_values.push(values.clone());
            for (value, &number) in values.iter_mut().zip(numbers) {
                *value += 1;
                if *value < self.quantities.all[number].values() {
                    break;
                }
                *value = 0;
            }
        }
        let mut rows: FxHashMap<NodeId, Vec<u64>> = FxHashMap::default();
        for node in order {
            let row = match self.circuit.node(node) {
                Node::And(a, b) if self.above.gates.binary_search(&node).is_ok() => {
                    let [a, b] = [a, b].map(|edge| {
                        let flip = if edge.inverted() { u64::MAX } else { 0 };
                        rows[&edge.node()].iter().map(move |word| word ^ flip)
                    });
                    a.zip(b).map(|(a, b)| a & b).collect()
                }
                _ => self.row(node, numbers, &all_values),
            };
            rows.insert(node, row);
        }
        let table = |&node: &NodeId| {
            let row = &rows[&node];
            let values = all_values.iter().enumerate().map(|(at, values)| {
                let can_be = self.quantities.can_be(numbers, values);
                can_be.then_some(row[at / 64] >> (at % 64) & 1 == 1)
            });
            Table {
                node,
                quantities: numbers.to_vec(),
                values: values.collect(),
            }
        };
        Some(nodes.iter().map(table).collect())
    }

    /// Returns the values of a node that is not a gate above the functions of counts, for all combinations.
    fn row(&self, node: NodeId, numbers: &[usize], all_values: &[Vec<usize>]) -> Vec<u64> {
        let mut row = vec![0; all_values.len().div_ceil(64)];
        let place = |number: usize| numbers.binary_search(&number).expect("it depends on it");
        let mut set = |is_true: &dyn Fn(&[usize]) -> bool| {
            for (at, values) in all_values.iter().enumerate() {
                row[at / 64] |= u64::from(is_true(values)) << (at % 64);
            }
        };
        if let Some(&number) = self.quantities.of_wire.get(&node) {
            let place = place(number);
            set(&|values| values[place] == 1);
        } else if let Some(function) = self.functions.get(&node) {
            let quantities = &self.quantities.of_function[&node];
            let quantities: Vec<(usize, &[usize])> = (quantities.iter())
                .map(|(number, offsets)| (place(*number), &offsets[..]))
                .collect();
            set(&|values| {
                let offsets = quantities.iter();
                function.entry(
                    offsets
                        .map(|&(place, offsets)| offsets[values[place]])
                        .sum(),
                )
            });
        }
        row
    }
}
