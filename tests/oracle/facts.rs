//! Facts, and what follows from them by a rule.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::TooMuch;
use super::rules::{Atom, Formula, Pattern, Rule};
use super::terms::{Term, Terms};

/// The facts of a relation, which are terms with its name as their function.
#[derive(Clone, Default)]
pub(super) struct Table {
    pub(super) facts: Vec<Term>,
    known: FxHashSet<Term>,
    /// The facts with a term as an argument, by the argument's place.
    with: Vec<FxHashMap<Term, Vec<Term>>>,
}

impl Table {
    pub(super) fn new(arity: usize) -> Table {
        Table {
            with: vec![FxHashMap::default(); arity],
            ..Table::default()
        }
    }

    pub(super) fn clear(&mut self) {
        self.facts.clear();
        self.known.clear();
        self.with.iter_mut().for_each(FxHashMap::clear);
    }

    /// Adds a fact. Whether it is new.
    pub(super) fn insert(&mut self, fact: Term, terms: &Terms) -> bool {
        let is_new = self.known.insert(fact);
        if is_new {
            self.facts.push(fact);
            for (with, &argument) in self.with.iter_mut().zip(&terms.parts(fact)[1..]) {
                with.entry(argument).or_default().push(fact);
            }
        }
        is_new
    }

    /// The facts with a term as this argument.
    pub(super) fn with(&self, place: usize, argument: Term) -> &[Term] {
        self.with[place].get(&argument).map_or(&[], Vec::as_slice)
    }
}

/// The values of a rule's variables, as far as they have any.
type Values = [Option<Term>];

/// The facts with which rules are applied.
pub(super) struct Facts<'a> {
    pub(super) terms: &'a RefCell<Terms>,
    pub(super) tables: &'a [Table],
    /// Of these relations, the facts that are taken to hold under `not`.
    pub(super) supposed: Option<(&'a BTreeSet<usize>, &'a FxHashSet<Term>)>,
    /// How many facts may still be looked at.
    pub(super) work: &'a Cell<u64>,
}

impl Facts<'_> {
    /// All that follows by a rule.
    pub(super) fn apply(&self, rule: &Rule) -> Result<Vec<Term>, TooMuch> {
        let body: Vec<&Formula> = rule.body.iter().collect();
        let mut found = Vec::new();
        let mut follows = |values: &Values| {
            found.push(self.fact(&rule.head, values).expect("the head is bound"));
        };
        self.solve(&body, &vec![None; rule.variables], &mut follows)?;
        Ok(found)
    }

    /// Finds all values with which the conditions hold. The next one is always that which has the fewest.
    fn solve(
        &self,
        conditions: &[&Formula],
        values: &Values,
        found: &mut dyn FnMut(&Values),
    ) -> Result<(), TooMuch> {
        self.look()?;
        let costs = conditions
            .iter()
            .map(|condition| self.cost(condition, values));
        let Some((cost, at)) = costs.zip(0..).min() else {
            found(values);
            return Ok(());
        };
        assert_ne!(cost, UNSAFE, "a variable has no value");
        let mut rest = conditions.to_vec();
        let next = rest.swap_remove(at);
        if cost == TEST {
            return match self.is_true(next, values) {
                true => self.solve(&rest, values, found),
                false => Ok(()),
            };
        }
        let mut more = values.to_vec();
        match next {
            Formula::Holds(atom) => {
                for &fact in self.candidates(atom, values) {
                    self.look()?;
                    more.copy_from_slice(values);
                    let terms = self.terms.borrow();
                    let mut pairs = atom.arguments.iter().zip(&terms.parts(fact)[1..]);
                    let matches =
                        pairs.all(|(pattern, &term)| fits(&terms, pattern, term, &mut more));
                    drop(terms);
                    if matches {
                        self.solve(&rest, &more, found)?;
                    }
                }
                Ok(())
            }
            Formula::Equal(a, b) => {
                let (known, other) = match self.value(a, values) {
                    Some(known) => (known, b),
                    None => (self.value(b, values).expect("a side is known"), a),
                };
                let matches = fits(&self.terms.borrow(), other, known, &mut more);
                match matches {
                    true => self.solve(&rest, &more, found),
                    false => Ok(()),
                }
            }
            Formula::All(parts) => {
                rest.extend(parts);
                self.solve(&rest, values, found)
            }
            Formula::Any(parts) => parts.iter().try_for_each(|part| {
                let case = [&rest[..], &[part]].concat();
                self.solve(&case, values, found)
            }),
            Formula::Fails(_) | Formula::Differ(..) => unreachable!("they only test"),
        }
    }

    /// Counts a step of the work.
    fn look(&self) -> Result<(), TooMuch> {
        let left = self.work.get().checked_sub(1).ok_or(TooMuch)?;
        self.work.set(left);
        Ok(())
    }

    /// About how many values a condition has.
    fn cost(&self, condition: &Formula, values: &Values) -> u64 {
        let has_value = |pattern| self.value(pattern, values).is_some();
        match condition {
            _ if is_bound(condition, values) => TEST,
            Formula::Holds(atom) => 1 + self.candidates(atom, values).len() as u64,
            Formula::Equal(a, b) if has_value(a) || has_value(b) => 1,
            Formula::All(_) => 1,
            Formula::Any(_) => LAST,
            _ => UNSAFE,
        }
    }

    /// The fewest facts of which one may fit.
    fn candidates(&self, atom: &Atom, values: &Values) -> &[Term] {
        let table = &self.tables[atom.relation];
        let known = atom.arguments.iter().enumerate();
        let known = known
            .filter_map(|(place, pattern)| Some(table.with(place, self.value(pattern, values)?)));
        known
            .chain([&table.facts[..]])
            .min_by_key(|facts| facts.len())
            .expect("there is one")
    }

    /// Whether a condition without unknown values holds.
    fn is_true(&self, condition: &Formula, values: &Values) -> bool {
        let is_fact = |atom: &Atom| {
            let fact = self.fact(atom, values).expect("the values are known");
            (fact, self.tables[atom.relation].known.contains(&fact))
        };
        match condition {
            Formula::Holds(atom) => is_fact(atom).1,
            Formula::Fails(atom) => match (is_fact(atom), self.supposed) {
                ((fact, _), Some((relations, facts))) if relations.contains(&atom.relation) => {
                    !facts.contains(&fact)
                }
                ((_, holds), _) => !holds,
            },
            Formula::Equal(a, b) => self.value(a, values) == self.value(b, values),
            Formula::Differ(a, b) => self.value(a, values) != self.value(b, values),
            Formula::All(parts) => parts.iter().all(|part| self.is_true(part, values)),
            Formula::Any(parts) => parts.iter().any(|part| self.is_true(part, values)),
        }
    }

    /// The term that a pattern is with these values.
    fn value(&self, pattern: &Pattern, values: &Values) -> Option<Term> {
        match pattern {
            Pattern::Variable(variable) => values[*variable],
            Pattern::Ground(term) => Some(*term),
            Pattern::Compound(function, arguments) => self.compound(*function, arguments, values),
        }
    }

    fn fact(&self, atom: &Atom, values: &Values) -> Option<Term> {
        self.compound(atom.name, &atom.arguments, values)
    }

    fn compound(&self, function: Term, arguments: &[Pattern], values: &Values) -> Option<Term> {
        let arguments = arguments
            .iter()
            .map(|argument| self.value(argument, values));
        let parts: Option<Vec<Term>> = [Some(function)].into_iter().chain(arguments).collect();
        Some(self.terms.borrow_mut().compound(&parts?))
    }
}

/// The costs of conditions that only test, of those that come last, and of those that cannot be next.
const TEST: u64 = 0;
const LAST: u64 = u64::MAX - 1;
const UNSAFE: u64 = u64::MAX;

/// Whether all variables of a condition have values.
fn is_bound(condition: &Formula, values: &Values) -> bool {
    fn is_known(pattern: &Pattern, values: &Values) -> bool {
        match pattern {
            Pattern::Variable(variable) => values[*variable].is_some(),
            Pattern::Ground(_) => true,
            Pattern::Compound(_, arguments) => {
                arguments.iter().all(|argument| is_known(argument, values))
            }
        }
    }
    match condition {
        Formula::Holds(atom) | Formula::Fails(atom) => atom
            .arguments
            .iter()
            .all(|argument| is_known(argument, values)),
        Formula::Equal(a, b) | Formula::Differ(a, b) => is_known(a, values) && is_known(b, values),
        Formula::All(parts) | Formula::Any(parts) => {
            parts.iter().all(|part| is_bound(part, values))
        }
    }
}

/// Whether a term is what a pattern stands for, with the values that this needs.
fn fits(terms: &Terms, pattern: &Pattern, term: Term, values: &mut Values) -> bool {
    match pattern {
        Pattern::Variable(variable) => *values[*variable].get_or_insert(term) == term,
        Pattern::Ground(known) => *known == term,
        Pattern::Compound(function, arguments) => {
            let parts = terms.parts(term);
            let mut pairs = arguments.iter().zip(&parts[1..]);
            parts[0] == *function
                && parts.len() == arguments.len() + 1
                && pairs.all(|(pattern, &term)| fits(terms, pattern, term, values))
        }
    }
}
