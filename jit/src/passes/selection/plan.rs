//! Planning of the functions of moves to select together.

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

/// The replacement of some terms of a function.
#[derive(Default)]
pub(super) struct Selections {
    /// The leaves that are replaced, sorted.
    pub(super) replaced: Vec<Edge>,
    /// Their replacement: classes, with the function's moves of each.
    pub(super) selections: Vec<(ClassId, Vec<InputId>)>,
}

/// An OR of terms.
struct Function {
    terms: Vec<Case>,
    /// Whether no move goes with two conditions.
    is_consistent: bool,
}

/// A term, with the class of each of its moves.
struct Case {
    leaf: Edge,
    condition: u32,
    moves: Vec<(InputId, ClassId)>,
}

/// The functions and classes.
pub(super) struct Plan<'a> {
    /// By input, the group of moves that it is in.
    roles: &'a [Option<u32>],
    functions: Map<NodeId, Function>,
    /// In the order of addition.
    order: Vec<NodeId>,
    conditions: Vec<Vec<Edge>>,
    condition_numbers: Map<Vec<Edge>, u32>,
    /// By class, the condition of each move.
    classes: Vec<Map<InputId, u32>>,
    chosen: Vec<bool>,
}

/// The class of a move before one is found.
const NO_CLASS: ClassId = ClassId(u32::MAX);

impl<'a> Plan<'a> {
    /// No functions yet.
    pub(super) fn new(roles: &'a [Option<u32>]) -> Plan<'a> {
        Plan {
            roles,
            functions: Map::default(),
            order: Vec::new(),
            conditions: Vec::new(),
            condition_numbers: Map::default(),
            classes: Vec::new(),
            chosen: Vec::new(),
        }
    }

    /// Adds a function.
    pub(super) fn add(&mut self, gate: NodeId, terms: Vec<Term>) {
        let mut condition_of: Map<InputId, u32> = Map::default();
        let mut is_consistent = true;
        let mut cases = Vec::new();
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
            for &input in &inputs {
                is_consistent &= *condition_of.entry(input).or_insert(number) == number;
            }
            let moves = inputs.iter().map(|&input| (input, NO_CLASS)).collect();
            cases.push(Case {
                leaf,
                condition: number,
                moves,
            });
        }
        self.functions.insert(
            gate,
            Function {
                terms: cases,
                is_consistent,
            },
        );
        self.order.push(gate);
    }

    /// Puts the moves of all functions in classes.
    pub(super) fn classify(&mut self) {
        // The class that a condition was first used in, by role.
        let mut class_of: Map<(Option<u32>, u32), ClassId> = Map::default();
        // Inconsistent functions need several classes: those of the others, if possible.
        let is_inconsistent = |gate: &NodeId| !self.functions[gate].is_consistent;
        self.order.sort_by_key(is_inconsistent);
        for gate in &self.order {
            let function = self
                .functions
                .get_mut(gate)
                .expect("a function of the plan");
            // Conditions that are new usually belong with the others of their function.
            let mut latest: Map<Option<u32>, ClassId> = Map::default();
            for case in &function.terms {
                for (input, _) in &case.moves {
                    let role = self.roles[input.index()];
                    if let Some(&class) = class_of.get(&(role, case.condition)) {
                        latest.entry(role).or_insert(class);
                    }
                }
            }
            for case in &mut function.terms {
                for (input, class) in &mut case.moves {
                    let role = self.roles[input.index()];
                    let candidates = [
                        class_of.get(&(role, case.condition)).copied(),
                        latest.get(&role).copied(),
                    ];
                    let fits = |class: &ClassId| {
                        let condition = self.classes[class.0 as usize].get(input);
                        condition.is_none_or(|&other| other == case.condition)
                    };
                    let found = candidates.into_iter().flatten().find(fits);
                    *class = found.unwrap_or_else(|| {
                        self.classes.push(Map::default());
                        ClassId(self.classes.len() as u32 - 1)
                    });
                    self.classes[class.0 as usize].insert(*input, case.condition);
                    class_of.entry((role, case.condition)).or_insert(*class);
                    latest.insert(role, *class);
                }
            }
        }
    }

    /// Decides which classes are worth it, by estimates of the gates before and after.
    pub(super) fn choose(&mut self, is_worth_it: impl Fn(f64, f64) -> bool) {
        let mut old_costs = vec![0.0; self.classes.len()];
        let mut new_costs = vec![0.0; self.classes.len()];
        // Sets of moves that are needed in several places are made only once.
        let mut sets: Map<Vec<InputId>, Vec<ClassId>> = Map::default();
        for gate in &self.order {
            let function = &self.functions[gate];
            for Case { moves, .. } in &function.terms {
                for (_, class) in moves {
                    old_costs[class.0 as usize] += 2.0 / moves.len() as f64;
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
        let costs = old_costs.iter().zip(&new_costs);
        self.chosen = costs.map(|(&old, &new)| is_worth_it(old, new)).collect();
    }

    /// The replacement of some terms of a gate.
    pub(super) fn selections(&self, gate: NodeId) -> Selections {
        let Some(function) = self.functions.get(&gate) else {
            return Selections::default();
        };
        let is_chosen = |(_, class): &(InputId, ClassId)| self.chosen[class.0 as usize];
        let is_replaced = |case: &&Case| case.moves.iter().all(is_chosen);
        let replaced = function.terms.iter().filter(is_replaced);
        let mut replaced: Vec<Edge> = replaced.map(|case| case.leaf).collect();
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
    fn selections(&self, accepts: impl Fn(&&Case) -> bool) -> Vec<(ClassId, Vec<InputId>)> {
        let cases = self.terms.iter().filter(accepts);
        let moves = cases.flat_map(|case| &case.moves);
        let mut moves: Vec<(ClassId, InputId)> = moves.map(|&(m, class)| (class, m)).collect();
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
