//! Relations that are derived whole, once in a state, instead of goal by goal.
//!
//! To prove goals on demand derives nothing that is not asked for, but costs a proof for each goal. Where many goals of
//! a relation are asked in a state, it is cheaper to derive all its rows bottom-up, and to index them. `setup` tries
//! both with a sample of play, and counts steps.

use crate::rules::{Literal, Pattern, RelationId, Rule, Rules};

use super::definitions::Definitions;
use super::program::{Call, Origin};
use super::shape::Shape;
use super::store::TableUsage;

/// The mean number of values in a state up to which an argument that callers know stays known: it is the same for all
/// goals, as the player to move often is.
const SAME_VALUE: f64 = 1.25;

/// The relations that are derived whole. Those that depend on each other are so together, and so are all that they
/// depend on: else, these were proved for all values there are.
#[derive(Clone)]
pub(super) struct Whole {
    /// By component of relations.
    components: Vec<bool>,
    /// By component: those that depend on it.
    callers: Vec<Vec<usize>>,
    /// By relation: the arguments that stay known where callers know them.
    kept: Vec<Vec<bool>>,
}

impl Whole {
    /// No relation.
    pub(super) fn none(definitions: &Definitions) -> Whole {
        Whole {
            components: vec![false; definitions.components()],
            callers: vec![Vec::new(); definitions.components()],
            kept: vec![Vec::new(); definitions.component_of.len()],
        }
    }

    /// The candidates, after the goals of a sample of play were proved on demand.
    pub(super) fn candidates<'a>(
        definitions: &Definitions,
        usage: impl Iterator<Item = (&'a Call, &'a TableUsage)>,
    ) -> Whole {
        let mut whole = Whole::none(definitions);
        for (call, usage) in usage {
            let Origin::Clauses(relation) = call.origin else {
                continue;
            };
            whole.components[definitions.component_of[relation.index()]] |= usage.goals > 0;
            let kept = &mut whole.kept[relation.index()];
            kept.resize(call.shapes.len(), true);
            let most = SAME_VALUE * usage.fills as f64;
            let mut columns = usage.values.iter();
            for (shape, kept) in call.shapes.iter().zip(kept) {
                if *shape == Shape::Bound {
                    *kept &= columns.next().is_none_or(|&values| values as f64 <= most);
                } else {
                    columns.by_ref().take(shape.widths().0).for_each(drop);
                }
            }
        }
        let mut excluded = Vec::new();
        for (index, rules) in definitions.clauses.iter().enumerate() {
            let relation = RelationId(index as u32);
            let component = definitions.component_of[index];
            let is_excluded = Rules::keyword(relation).is_some()
                || definitions.negates_itself[index]
                || !rules.iter().all(|rule| is_bounded(rule, definitions));
            if is_excluded && !rules.is_empty() {
                excluded.push(component);
            }
            let atoms = rules
                .iter()
                .flat_map(|rule| &rule.body)
                .filter_map(Literal::atom);
            for atom in atoms {
                whole.callers[definitions.component_of[atom.relation.index()]].push(component);
            }
        }
        for component in excluded {
            whole.remove(component);
        }
        whole
    }

    /// Returns whether a relation is derived whole.
    pub(super) fn contains(&self, relation: RelationId, definitions: &Definitions) -> bool {
        self.components[definitions.component_of[relation.index()]]
            && matches!(definitions.origins[relation.index()], Origin::Clauses(_))
    }

    /// Returns whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        !self.components.contains(&true)
    }

    /// Removes the component that cost most.
    pub(super) fn remove_costliest(&mut self, costs: &[u64]) {
        let whole = (0..costs.len()).filter(|&component| self.components[component]);
        if let Some(costliest) = whole.max_by_key(|&component| costs[component]) {
            self.remove(costliest);
        }
    }

    /// Removes components that cost more than on demand, unless those that depend on them save more.
    pub(super) fn keep_better(&mut self, on_demand: &[u64], whole: &[u64]) {
        for component in 0..whole.len() {
            if self.components[component] && whole[component] >= on_demand[component] {
                let callers = self.dependents(component);
                let sum = |costs: &[u64]| callers.iter().map(|&caller| costs[caller]).sum::<u64>();
                if sum(whole) >= sum(on_demand) {
                    self.remove(component);
                }
            }
        }
    }

    /// Removes a component and those that depend on it.
    fn remove(&mut self, component: usize) {
        for dependent in self.dependents(component) {
            self.components[dependent] = false;
        }
    }

    /// A component and those derived whole that depend on it, maybe through others.
    fn dependents(&self, component: usize) -> Vec<usize> {
        let mut found = vec![component];
        let mut seen = vec![false; self.components.len()];
        seen[component] = true;
        let mut next = 0;
        while let Some(&callee) = found.get(next) {
            next += 1;
            for &caller in &self.callers[callee] {
                if self.components[caller] && !std::mem::replace(&mut seen[caller], true) {
                    found.push(caller);
                }
            }
        }
        found
    }

    /// The shapes in which a relation is derived for a caller that knows `shapes`.
    pub(super) fn shapes(&self, relation: RelationId, shapes: &[Shape]) -> Vec<Shape> {
        let kept = self.kept[relation.index()]
            .iter()
            .chain(std::iter::repeat(&false));
        let shapes = shapes.iter().zip(kept);
        let shape = |(shape, &kept): (&Shape, &bool)| match shape {
            Shape::Bound if kept => Shape::Bound,
            _ => Shape::Free,
        };
        shapes.map(shape).collect()
    }
}

/// Whether a rule has finitely many instances and finds each from one new row: recursion is linear, and makes no terms.
fn is_bounded(rule: &Rule, definitions: &Definitions) -> bool {
    let recursive = rule
        .body
        .iter()
        .filter(|literal| definitions.is_recursive(rule, literal));
    match recursive.count() {
        0 => true,
        1 => !rule
            .head
            .args
            .iter()
            .any(|arg| matches!(arg, Pattern::Compound(..))),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prover::{Prover, ProverLimits};

    /// The names of the relations that are derived whole.
    fn whole(text: &str) -> Vec<String> {
        let rules = Rules::parse("test.kif", text)
            .expect("a valid rulesheet")
            .rules;
        let prover = Prover::new(&rules, ProverLimits::default()).expect("safe rules");
        let calls = prover.machine.program().calls.iter();
        let relations = calls.filter_map(|call| match call.origin {
            Origin::Clauses(relation) if call.is_whole => Some(&rules.relations[relation.index()]),
            _ => None,
        });
        let mut names: Vec<String> = relations
            .map(|one| rules.terms.name(one.name).into())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    const BOARD: &str = "(role r) (init (at 0 0)) (<= terminal (true (at 7 7))) (goal r 100)
        (n 0) (n 1) (n 2) (n 3) (n 4) (n 5) (n 6) (n 7) (<= (next (at ?x ?y)) (true (at ?x ?y)) (not (left ?x ?y)))
        (<= (legal r (go ?x ?y)) (n ?x) (n ?y) (not (taken ?x ?y))) (<= (next (at ?x ?y)) (does r (go ?x ?y)))";

    #[test]
    fn what_is_asked_for_all_values_is_derived_whole() {
        let taken = "(<= (taken ?x ?y) (true (at ?x ?y))) (<= (left ?x ?y) (does r leave) (true (at ?x ?y)))";
        let names = whole(&format!("{BOARD} {taken}"));
        assert!(names.contains(&"taken".into()), "{names:?}");
    }

    #[test]
    fn what_is_endless_is_proved_on_demand() {
        let endless = "(<= (taken ?x ?y) (true (at ?x ?y)) (number (s (s (s ?x))) ?y)) (init (number 1 0))
            (<= (number ?x ?y) (true (number ?x ?y))) (<= (number (s ?x) ?y) (number ?x ?y)) (<= (left ?x ?y) (taken ?x ?y))";
        assert_eq!(whole(&format!("{BOARD} {endless}")), [""; 0]);
    }
}
