//! Which functions of moves to select together.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::circuit::{Edge, InputId, NodeId};

/// The number of a class: moves of one role, each with the condition that goes with it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct ClassId(u32);

/// One of some moves is made and a condition holds: an operand of a function.
pub(super) struct Term {
    /// The leaf of the function that says so, inverted.
    pub(super) leaf: Edge,
    /// The moves.
    pub(super) inputs: Vec<InputId>,
    /// Edges that all hold.
    pub(super) condition: Vec<Edge>,
}

type Map<K, V> = HashMap<K, V, FxBuildHasher>;

/// What becomes of a function.
#[derive(Default)]
pub(super) struct Selections {
    /// The leaves that are replaced, sorted.
    pub(super) replaced: Vec<Edge>,
    /// What replaces them: classes, with the function's moves of each.
    pub(super) selections: Vec<(ClassId, Vec<InputId>)>,
}

/// A function's terms, each with its condition and the class of each of its moves.
struct Function {
    terms: Vec<(Edge, u32, Vec<(InputId, ClassId)>)>,
}

/// The functions and classes.
#[derive(Default)]
pub(super) struct Plan {
    functions: Map<NodeId, Function>,
    /// In the order of addition.
    order: Vec<NodeId>,
    conditions: Vec<Vec<Edge>>,
    condition_numbers: Map<Vec<Edge>, u32>,
    /// By class, the condition of each move.
    classes: Vec<Map<InputId, u32>>,
    /// The class that a condition was first used in, by role.
    class_of: Map<(u32, u32), ClassId>,
    chosen: Vec<bool>,
}

impl Plan {
    /// Adds a function and finds classes for its moves.
    pub(super) fn add(
        &mut self,
        gate: NodeId,
        terms: Vec<Term>,
        role: impl Fn(InputId) -> Option<u32>,
    ) {
        // Conditions that are new usually belong with the others of their function.
        let mut latest: Map<u32, ClassId> = Map::default();
        let mut function = Function { terms: Vec::new() };
        for Term {
            leaf,
            inputs,
            condition,
        } in terms
        {
            let next = self.conditions.len() as u32;
            let number = *self
                .condition_numbers
                .entry(condition.clone())
                .or_insert(next);
            if number == next {
                self.conditions.push(condition);
            }
            let mut entries = Vec::new();
            for input in inputs {
                let role = role(input).unwrap_or(u32::MAX);
                let candidates = [
                    self.class_of.get(&(role, number)).copied(),
                    latest.get(&role).copied(),
                ];
                let fits = |class: &ClassId| {
                    let condition = self.classes[class.0 as usize].get(&input);
                    condition.is_none_or(|&other| other == number)
                };
                let class = candidates.into_iter().flatten().find(fits);
                let class = class.unwrap_or_else(|| {
                    self.classes.push(Map::default());
                    ClassId(self.classes.len() as u32 - 1)
                });
                self.classes[class.0 as usize].insert(input, number);
                self.class_of.entry((role, number)).or_insert(class);
                latest.insert(role, class);
                entries.push((input, class));
            }
            function.terms.push((leaf, number, entries));
        }
        self.functions.insert(gate, function);
        self.order.push(gate);
    }

    /// Decides which classes are worth it, by an estimate of gates with and without.
    pub(super) fn choose(&mut self) {
        let mut old_costs = vec![0.0; self.classes.len()];
        let mut new_costs = vec![0.0; self.classes.len()];
        // Sets of moves that are needed in several places are made only once.
        let mut sets: Map<Vec<InputId>, Vec<ClassId>> = Map::default();
        for gate in &self.order {
            let function = &self.functions[gate];
            for (_, _, entries) in &function.terms {
                for (_, class) in entries {
                    old_costs[class.0 as usize] += 2.0 / entries.len() as f64;
                }
            }
            for (class, inputs) in function.selections(|_| true) {
                new_costs[class.0 as usize] += 2.0;
                sets.entry(inputs).or_default().push(class);
            }
        }
        for class in (0..self.classes.len() as u32).map(ClassId) {
            for (_, inputs) in self.cases(class) {
                new_costs[class.0 as usize] += 2.0;
                sets.entry(inputs).or_default().push(class);
            }
        }
        for (inputs, users) in sets {
            let share = (inputs.len() - 1) as f64 / users.len() as f64;
            for class in users {
                new_costs[class.0 as usize] += share;
            }
        }
        let costs = new_costs.iter().zip(&old_costs);
        self.chosen = costs.map(|(new, old)| new < old).collect();
    }

    /// What becomes of a gate.
    pub(super) fn selections(&self, gate: NodeId) -> Selections {
        let Some(function) = self.functions.get(&gate) else {
            return Selections::default();
        };
        let is_chosen = |class: &ClassId| self.chosen[class.0 as usize];
        let is_replaced =
            |entries: &[(InputId, ClassId)]| entries.iter().all(|(_, class)| is_chosen(class));
        let terms = function.terms.iter();
        let replaced = terms.filter(|(_, _, entries)| is_replaced(entries));
        let mut replaced: Vec<Edge> = replaced.map(|&(leaf, _, _)| leaf).collect();
        replaced.sort_unstable();
        Selections {
            replaced,
            selections: function.selections(is_replaced),
        }
    }

    /// The conditions of a class, each with the moves that it goes with, sorted.
    pub(super) fn cases(&self, class: ClassId) -> Vec<(&[Edge], Vec<InputId>)> {
        let moves = self.classes[class.0 as usize].iter();
        let mut moves: Vec<(u32, InputId)> = moves.map(|(&m, &condition)| (condition, m)).collect();
        moves.sort_unstable();
        let cases = moves.chunk_by(|a, b| a.0 == b.0);
        let cases = cases.map(|case| {
            let inputs = case.iter().map(|&(_, input)| input).collect();
            (&self.conditions[case[0].0 as usize][..], inputs)
        });
        cases.collect()
    }
}

impl Function {
    /// The classes of the function's accepted terms, with its moves of each, sorted.
    fn selections(
        &self,
        accepts: impl Fn(&[(InputId, ClassId)]) -> bool,
    ) -> Vec<(ClassId, Vec<InputId>)> {
        let terms = self.terms.iter().filter(|(_, _, entries)| accepts(entries));
        let entries = terms.flat_map(|(_, _, entries)| entries);
        let mut moves: Vec<(ClassId, InputId)> = entries.map(|&(m, class)| (class, m)).collect();
        moves.sort_unstable();
        moves.dedup();
        let classes = moves.chunk_by(|a, b| a.0 == b.0);
        let classes = classes.map(|class| {
            let inputs = class.iter().map(|&(_, input)| input).collect();
            (class[0].0, inputs)
        });
        classes.collect()
    }
}
