//! Sharing of values that one move selects, through one indirection.
//!
//! "A stone joins the group of the stone that is placed on d4 if it is in one of the groups that this
//! one touches" is an OR over groups, and there is one like it for each stone and each place.
//! But one stone is placed. So which groups it touches can be asked once, wherever that is, and a stone
//! joins the group of d4 if its own group is among these and a stone is placed on d4.
//!
//! In general: let functions `f = OR of (move & condition)` have different moves, those of one role.
//! Let `g` be the OR over all their moves; then `f = g & OR of f's moves`. So if functions of
//! several such classes have the same moves, "OR of (f & condition)" is "OR of (g & condition),
//! and one of the moves is made", and the first part is the same whatever the moves are.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::plan::Term;
use super::{Moves, any_case, any_of, roles};
use crate::assumptions::Assumptions;
use crate::circuit::{Builder, Circuit, Edge, InputId, NodeId};
use crate::passes::rebuild::{Moved, rebuild_late};
use crate::passes::wide::{Place, conjunction};
use propjit_stop::Stop;

type Map<K, V> = HashMap<K, V, FxBuildHasher>;

/// The group of moves of one role.
type Role = u32;

/// The circuit with gates sharing the values that moves select for the functions that they read.
pub(in crate::passes) fn indirection(
    circuit: &Circuit,
    assumptions: &Assumptions,
    stop: &Stop,
) -> Circuit {
    let roles = roles(circuit, assumptions);
    let mut moves = Moves::new(circuit, &roles);
    let functions = functions(&mut moves, stop);
    let readers = readers(&moves, &functions, stop);
    let Some(plan) = Plan::new(&roles, &functions, readers) else {
        return circuit.clone();
    };
    let Moves { wide, depends, .. } = &moves;
    let mut selected: Map<(usize, Role), Edge> = Map::default();
    let mut read: Vec<Option<Edge>> = vec![None; plan.lists.len()];
    let mut leaves = Vec::new();
    let is_late = |node: NodeId| depends.contains(node);
    rebuild_late(circuit, is_late, |builder, moved, node| {
        if !wide.is_gate(node) {
            return None;
        }
        let mut value = |builder: &mut Builder, class, role| {
            *(selected.entry((class, role)))
                .or_insert_with(|| plan.value(builder, moved, class, role))
        };
        let mut operands = Vec::new();
        if let Some(&class) = plan.class_of.get(&node) {
            for (role, inputs) in by_role(&roles, &functions[&node]) {
                let made = any_of(builder, &inputs);
                let value = value(builder, class, role);
                operands.push(!builder.and(value, made));
            }
            return Some(conjunction(builder, &mut operands));
        }
        wide.leaves(node, &mut leaves);
        if let Some(reader) = plan.readers.get(&node) {
            leaves.retain(|leaf| reader.replaced.binary_search(leaf).is_err());
            for (inputs, list) in &reader.lists {
                let any = *read[*list].get_or_insert_with(|| {
                    let (role, parts) = &plan.lists[*list];
                    let cases = parts.iter();
                    let cases = cases
                        .map(|(condition, class)| (&condition[..], value(builder, *class, *role)));
                    let cases: Vec<(&[Edge], Edge)> = cases.collect();
                    any_case(builder, moved, &cases)
                });
                let made = any_of(builder, inputs);
                operands.push(!builder.and(any, made));
            }
        }
        operands.extend(leaves.drain(..).map(|leaf| moved.edge(leaf)));
        Some(conjunction(builder, &mut operands))
    })
}

/// The functions of moves: shared gates that say that none of some moves is made where its
/// condition holds.
type Functions = Map<NodeId, Vec<Term>>;

/// The most terms of a function.
const MAX_TERMS: usize = 64;

fn functions(moves: &mut Moves, stop: &Stop) -> Functions {
    let mut ticker = stop.ticker();
    let mut functions = Functions::default();
    let mut leaves = Vec::new();
    for node in (0..moves.circuit.nodes().len() as u32).map(NodeId) {
        let is_shared = moves.wide.place(node) == Place::Shared && moves.depends.contains(node);
        if !is_shared || ticker.is_set() {
            continue;
        }
        leaves.clear();
        moves.wide.leaves(node, &mut leaves);
        let mut terms = Vec::new();
        let are_terms = leaves.iter().all(|&leaf| {
            if let Some(term) = moves.term(leaf) {
                terms.push(term);
            } else if let Some(reading) = reading(moves, &functions, leaf) {
                terms.extend(functions[&reading.function].iter().map(|term| {
                    let mut condition = [&reading.condition[..], &term.condition].concat();
                    condition.sort_unstable();
                    condition.dedup();
                    Term {
                        leaf,
                        inputs: term.inputs.clone(),
                        condition,
                    }
                }));
            } else {
                return false;
            }
            terms.len() <= MAX_TERMS
        });
        if are_terms {
            functions.insert(node, terms);
        }
    }
    functions
}

/// An operand of a gate: a function does not hold, or a condition that does not depend on moves.
struct Reading {
    leaf: Edge,
    function: NodeId,
    condition: Vec<Edge>,
}

fn reading(moves: &Moves, functions: &Functions, leaf: Edge) -> Option<Reading> {
    let (function, condition) = moves.split(leaf)?;
    let is_function = function.inverted() && functions.contains_key(&function.node());
    is_function.then_some(Reading {
        leaf,
        function: function.node(),
        condition,
    })
}

/// The gates that read functions and are not read as such themselves, in order.
fn readers(moves: &Moves, functions: &Functions, stop: &Stop) -> Vec<(NodeId, Vec<Reading>)> {
    let mut ticker = stop.ticker();
    let mut readers = Vec::new();
    let mut leaves = Vec::new();
    for node in (0..moves.circuit.nodes().len() as u32).map(NodeId) {
        let may_read = moves.wide.is_gate(node) && moves.depends.contains(node);
        if may_read && !ticker.is_set() {
            moves.wide.leaves(node, &mut leaves);
            let readings = leaves
                .drain(..)
                .filter_map(|leaf| reading(moves, functions, leaf));
            let readings: Vec<Reading> = readings.collect();
            if !readings.is_empty() {
                readers.push((node, readings));
            }
        }
    }
    let read = readers.iter().flat_map(|(_, readings)| readings);
    let read: BTreeSet<NodeId> = read.map(|reading| reading.function).collect();
    readers.retain(|(node, _)| !read.contains(node));
    readers
}

/// The moves of a function by role.
fn by_role(roles: &[Option<u32>], terms: &[Term]) -> BTreeMap<Role, Vec<InputId>> {
    let mut moves: BTreeMap<Role, BTreeSet<InputId>> = BTreeMap::new();
    for &input in terms.iter().flat_map(|term| &term.inputs) {
        let role = roles[input.index()].expect("moves have a role");
        moves.entry(role).or_default().insert(input);
    }
    let moves = moves.into_iter();
    moves
        .map(|(role, inputs)| (role, inputs.into_iter().collect()))
        .collect()
}

/// A condition with the class of the functions that it is read with.
type Part = (Vec<Edge>, usize);

/// The replacement of operands of a gate.
struct Reader {
    /// The operands, sorted.
    replaced: Vec<Edge>,
    /// Moves of one role, and the list of conditions that must hold for the one that is made.
    lists: Vec<(Vec<InputId>, usize)>,
}

/// The functions that belong together, and the gates that share values read from them.
struct Plan<'a> {
    roles: &'a [Option<u32>],
    functions: &'a Functions,
    /// The functions of each class, no two of them with the same move.
    classes: Vec<Vec<NodeId>>,
    class_of: Map<NodeId, usize>,
    /// The parts of which one must hold for the move of a role.
    lists: Vec<(Role, Vec<Part>)>,
    readers: Map<NodeId, Reader>,
}

impl<'a> Plan<'a> {
    /// The plan, if it makes the circuit smaller by an estimate.
    fn new(
        roles: &'a [Option<u32>],
        functions: &'a Functions,
        readers: Vec<(NodeId, Vec<Reading>)>,
    ) -> Option<Plan<'a>> {
        let classes = classes(functions, &readers);
        let mut class_of = Map::default();
        for (number, class) in classes.iter().enumerate() {
            class_of.extend(class.iter().map(|&node| (node, number)));
        }
        let mut numbers: Map<(Role, Vec<Part>), usize> = Map::default();
        let mut users: Vec<usize> = Vec::new();
        let readers = readers.into_iter().filter_map(|(node, readings)| {
            let mut parts: BTreeMap<(Vec<InputId>, Role), Vec<Part>> = BTreeMap::new();
            let mut replaced = Vec::new();
            for reading in readings {
                let Some(&class) = class_of.get(&reading.function) else {
                    continue;
                };
                replaced.push(reading.leaf);
                for (role, inputs) in by_role(roles, &functions[&reading.function]) {
                    let parts = parts.entry((inputs, role)).or_default();
                    parts.push((reading.condition.clone(), class));
                }
            }
            let lists = parts.into_iter().map(|((inputs, role), mut parts)| {
                parts.sort_unstable();
                let next = numbers.len();
                let number = *numbers.entry((role, parts)).or_insert(next);
                users.resize(numbers.len(), 0);
                users[number] += 1;
                (inputs, number)
            });
            let lists = lists.collect();
            (!replaced.is_empty()).then_some((node, Reader { replaced, lists }))
        });
        let mut readers: Map<NodeId, Reader> = readers.collect();
        // A list that only one gate needs gains nothing.
        readers.retain(|_, reader| reader.lists.iter().all(|&(_, number)| users[number] > 1));
        let mut lists = vec![(0, Vec::new()); numbers.len()];
        for (list, number) in numbers {
            lists[number] = list;
        }
        // Each part takes an AND and an OR.
        let made: usize = lists.iter().map(|(_, parts)| 2 * parts.len()).sum();
        let before: usize = readers
            .values()
            .map(|reader| 2 * reader.replaced.len())
            .sum();
        let after = made + 2 * readers.len() + 3 * class_of.len();
        (after < before).then_some(Plan {
            roles,
            functions,
            classes,
            class_of,
            lists,
            readers,
        })
    }

    /// Whether a function of the class holds, for the move of a role that is made.
    fn value(&self, builder: &mut Builder, moved: &Moved, class: usize, role: Role) -> Edge {
        let mut moves: BTreeMap<&[Edge], Vec<InputId>> = BTreeMap::new();
        for term in self.classes[class]
            .iter()
            .flat_map(|node| &self.functions[node])
        {
            let inputs = term.inputs.iter();
            let inputs = inputs.filter(|input| self.roles[input.index()] == Some(role));
            moves.entry(&term.condition).or_default().extend(inputs);
        }
        let cases = moves.into_iter().map(|(condition, mut inputs)| {
            inputs.sort_unstable();
            inputs.dedup();
            (condition, any_of(builder, &inputs))
        });
        let cases: Vec<(&[Edge], Edge)> = cases.collect();
        any_case(builder, moved, &cases)
    }
}

/// Classes of functions with different moves, those together that are read with the same conditions.
fn classes(functions: &Functions, readers: &[(NodeId, Vec<Reading>)]) -> Vec<Vec<NodeId>> {
    let mut classes: Vec<Vec<NodeId>> = Vec::new();
    let mut moves: Vec<BTreeSet<InputId>> = Vec::new();
    let mut class_of: Map<NodeId, usize> = Map::default();
    let mut latest: Map<&[Edge], usize> = Map::default();
    let readings = readers.iter().flat_map(|(_, readings)| readings);
    let mut readings: Vec<&Reading> = readings.collect();
    readings.sort_by_key(|reading| (&reading.condition, reading.function));
    for reading in readings {
        let known = class_of.get(&reading.function).copied();
        let class = known.unwrap_or_else(|| {
            let terms = functions[&reading.function].iter();
            let inputs: BTreeSet<InputId> = terms.flat_map(|term| &term.inputs).copied().collect();
            let found = latest.get(&reading.condition[..]).copied();
            let found = found.filter(|&class| moves[class].is_disjoint(&inputs));
            let class = found.unwrap_or(classes.len());
            if class == classes.len() {
                classes.push(Vec::new());
                moves.push(BTreeSet::new());
            }
            classes[class].push(reading.function);
            moves[class].extend(inputs);
            class_of.insert(reading.function, class);
            class
        });
        latest.entry(&reading.condition).or_insert(class);
    }
    classes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::passes::sweep::sweep;
    use crate::passes::testing::one_move;

    /// Stones on a ring of places, each in a group. A move is to place a stone, which makes its
    /// place the group of those that are in a group of one of its neighbours.
    ///
    /// Inputs: the group of each place, which is one of the places or none; then the moves.
    fn ring(places: usize) -> (Circuit, Assumptions) {
        let mut g = Builder::new(places * places + places);
        let mut outputs = Vec::new();
        for place in 0..places {
            let is_empty: Vec<Edge> = (0..places)
                .map(|group| !g.input(place * places + group))
                .collect();
            outputs.push(g.and_all(&is_empty));
        }
        let touches: Vec<Vec<Edge>> = (0..places)
            .map(|placed| {
                let made = g.input(places * places + placed);
                let neighbours = [placed + 1, placed + places - 1].map(|n| n % places);
                let touch = |group| {
                    let [a, b] = neighbours.map(|n| {
                        let is_in = g.input(n * places + group);
                        g.and(made, is_in)
                    });
                    g.or(a, b)
                };
                (0..places).map(touch).collect()
            })
            .collect();
        for place in 0..places {
            for touches in &touches {
                let joins = (0..places).map(|group| {
                    let is_in = g.input(place * places + group);
                    g.and(is_in, touches[group])
                });
                let joins: Vec<Edge> = joins.collect();
                outputs.push(g.or_all(&joins));
            }
        }
        (g.finish(outputs), one_move(places * places, places))
    }

    #[test]
    fn what_a_stone_touches_is_asked_for_once() {
        let (circuit, assumptions) = ring(9);
        let after = sweep(&indirection(&circuit, &assumptions, &Stop::new()));
        // Before, for each of 81 pairs of places: 9 ANDs and 8 ORs, besides 3 gates for each of 81
        // functions. After: an AND for each pair, for each of 9 places 9 ANDs and 8 ORs, and
        // for each of 9 groups and places any of 2 moves and an AND, with 8 ORs for each group.
        let empty = 9 * 8;
        assert_eq!(circuit.gates(), empty + 81 * 17 + 81 * 3);
        assert_eq!(after.gates(), empty + 81 + 9 * 17 + 9 + 81 + 9 * 8);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn stones_join_the_same_groups(
            groups in prop::collection::vec(0..6usize, 6),
            placed in 0..6usize,
        ) {
            let (circuit, assumptions) = ring(6);
            let after = indirection(&circuit, &assumptions, &Stop::new());
            prop_assert!(after != circuit);
            let board = groups.iter().flat_map(|&of| (0..6).map(move |group| group == of));
            let inputs: Vec<bool> = board.chain((0..6).map(|place| place == placed)).collect();
            prop_assert_eq!(after.evaluate(&inputs), circuit.evaluate(&inputs));
        }
    }
}
