//! Estimates of how many instances the conditions of a rule have.
//!
//! A relation that is complete has a known number of facts, and known values in its columns, which are taken to be
//! independent of each other (Selinger et al. 1979). The others may hold for all values that rules let their arguments
//! have: the domains of their arguments.

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::ground::database::{Database, Values, View, ViewId, shape_of};
use crate::ground::plan::positive_atom;
use crate::rules::{Atom, Keyword, Literal, Pattern, RelationId, Rule, Rules, Var};
use crate::term::{Symbol, Terms};

/// The assumed number of values of places that no rule restricts.
const UNKNOWN_VALUES: f64 = 10.0;

/// A place where terms may occur: an argument of a relation, or of a function in some container.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Relation(RelationId, usize),
    Function(Container, Symbol, usize, usize),
}

/// An argument of a relation, or one of several between which rules pass compound terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Container {
    Argument(RelationId, usize),
    /// Any of those that pass terms in and out of functions, and functions inside of functions.
    Shared,
}

/// The containers of arguments.
#[derive(Default)]
struct Containers {
    /// For each argument another one of the same container, if it is not the first.
    parents: FxHashMap<Container, Container>,
}

impl Containers {
    /// The containers between which these rules pass terms: a variable stands for a whole term.
    fn of(rules: &[&Rule]) -> Containers {
        let mut containers = Containers::default();
        for rule in rules {
            let mut first: Vec<Option<Container>> = vec![None; rule.variables.len()];
            let atoms = rule.body.iter().filter_map(positive_atom);
            for atom in std::iter::once(&rule.head).chain(atoms) {
                for (at, arg) in atom.args.iter().enumerate() {
                    let is_whole = matches!(arg, Pattern::Var(_));
                    let container = match is_whole {
                        true => Container::Argument(ported(atom.relation), at),
                        false => Container::Shared,
                    };
                    arg.for_each_var(&mut |var| {
                        let other = *first[var.index()].get_or_insert(container);
                        containers.unite(container, other);
                    });
                }
            }
        }
        let all: Vec<Container> = containers.parents.keys().copied().collect();
        for container in all {
            containers.find_faster(container);
        }
        containers
    }

    fn find(&self, mut container: Container) -> Container {
        while let Some(&parent) = self.parents.get(&container) {
            container = parent;
        }
        container
    }

    /// As [`Containers::find`], and shortens the way for the next time.
    fn find_faster(&mut self, mut container: Container) -> Container {
        let root = self.find(container);
        while let Some(parent) = self.parents.get_mut(&container) {
            container = std::mem::replace(parent, root);
        }
        root
    }

    fn unite(&mut self, a: Container, b: Container) {
        let (a, b) = (self.find_faster(a), self.find_faster(b));
        match (a == b, a) {
            (true, _) => {}
            (false, Container::Shared) => _ = self.parents.insert(b, a),
            (false, _) => _ = self.parents.insert(a, b),
        }
    }
}

/// The values of a place, or of a variable, as known so far: those listed, or any if it is open.
#[derive(Clone, Default)]
struct Domain {
    values: Values,
    is_open: bool,
}

/// The domains of the places that variables are in.
#[derive(Default)]
struct Places {
    containers: Containers,
    numbers: FxHashMap<Place, usize>,
    domains: Vec<Domain>,
}

/// The places of the variables of a rule.
struct Occurrences {
    /// The occurrences in its conditions, with the number of the place.
    body: Vec<(usize, Var)>,
    head: Vec<(usize, Var)>,
    /// The values that complete relations allow for variables.
    columns: Vec<(Var, Rc<Values>)>,
}

impl Places {
    fn number(&mut self, place: Place) -> usize {
        let next = self.domains.len();
        let number = *self.numbers.entry(place).or_insert(next);
        if number == next {
            self.domains.push(Domain::default());
        }
        number
    }

    fn of_variables(&mut self, atom: &Atom, terms: &Terms, found: &mut Vec<(usize, Var)>) {
        let containers = std::mem::take(&mut self.containers);
        each_place(atom, &containers, terms, &mut |place, pattern| {
            if let Pattern::Var(var) = *pattern {
                found.push((self.number(place), var));
            }
        });
        self.containers = containers;
    }

    /// Enters what an atom that holds says of its places, but for its variables.
    fn enter(&mut self, head: &Atom, terms: &Terms) {
        let containers = std::mem::take(&mut self.containers);
        each_place(head, &containers, terms, &mut |place, pattern| {
            let number = self.number(place);
            let domain = &mut self.domains[number];
            match pattern {
                Pattern::Var(_) => {}
                Pattern::Ground(term) => {
                    domain.values.insert(*term);
                }
                Pattern::Compound(..) => domain.is_open = true,
            }
        });
        self.containers = containers;
    }

    /// Returns the values of a variable that all its occurrences in conditions allow, or `None` if they allow any.
    fn values(&self, occurrences: &Occurrences, var: Var) -> Option<Values> {
        let columns = occurrences.columns.iter();
        let columns = columns.filter(|(of, _)| *of == var).map(|(_, set)| &**set);
        let places = occurrences.body.iter().filter(|(_, of)| *of == var);
        let domains = places.map(|&(place, _)| &self.domains[place]);
        let known = domains.filter(|domain| !domain.is_open);
        let mut sets: Vec<&Values> = known.map(|domain| &domain.values).chain(columns).collect();
        sets.sort_by_key(|set| set.len());
        let (least, others) = sets.split_first()?;
        let values = least.iter().copied();
        let allowed = values.filter(|value| others.iter().all(|set| set.contains(value)));
        Some(allowed.collect())
    }

    /// Puts the values of a rule's variables in the places where its head has them. Returns those that had fewer.
    fn follow(&mut self, occurrences: &Occurrences) -> Vec<usize> {
        let mut changed = Vec::new();
        for &(place, var) in &occurrences.head {
            let domain = &self.domains[place];
            if domain.is_open {
                continue;
            }
            let before = domain.values.len();
            let values = self.values(occurrences, var);
            let domain = &mut self.domains[place];
            match values {
                Some(values) => domain.values.extend(values),
                None => domain.is_open = true,
            }
            if domain.is_open || domain.values.len() > before {
                changed.push(place);
            }
        }
        changed
    }

    /// Follows values through the rules until there are no more.
    fn complete(&mut self, rules: &[Occurrences]) {
        let mut readers = vec![Vec::new(); self.domains.len()];
        for (rule, occurrences) in rules.iter().enumerate() {
            for &(place, _) in &occurrences.body {
                readers[place].push(rule);
            }
        }
        let mut is_waiting = vec![true; rules.len()];
        let mut waiting: VecDeque<usize> = (0..rules.len()).collect();
        while let Some(rule) = waiting.pop_front() {
            is_waiting[rule] = false;
            for place in self.follow(&rules[rule]) {
                for &reader in &readers[place] {
                    if !std::mem::replace(&mut is_waiting[reader], true) {
                        waiting.push_back(reader);
                    }
                }
            }
        }
    }
}

/// The relation that an atom is about in the same state or move: fluents pass from `next` to `true`, moves from `legal`
/// to `does`.
fn ported(relation: RelationId) -> RelationId {
    match Rules::keyword(relation) {
        Some(Keyword::Next | Keyword::Init) => Keyword::True.relation(),
        Some(Keyword::Legal) => Keyword::Does.relation(),
        _ => relation,
    }
}

/// Visits the arguments of an atom, recursively.
fn each_place(
    atom: &Atom,
    containers: &Containers,
    terms: &Terms,
    visit: &mut impl FnMut(Place, &Pattern),
) {
    fn inner(
        pattern: &Pattern,
        container: Container,
        terms: &Terms,
        visit: &mut impl FnMut(Place, &Pattern),
    ) {
        match pattern {
            Pattern::Var(_) => {}
            Pattern::Ground(term) => {
                let (functor, args) = (terms.functor(*term), terms.args(*term));
                for (at, &arg) in args.iter().enumerate() {
                    let arg = Pattern::Ground(arg);
                    visit(Place::Function(container, functor, args.len(), at), &arg);
                    inner(&arg, Container::Shared, terms, visit);
                }
            }
            Pattern::Compound(functor, args) => {
                for (at, arg) in args.iter().enumerate() {
                    visit(Place::Function(container, *functor, args.len(), at), arg);
                    inner(arg, Container::Shared, terms, visit);
                }
            }
        }
    }
    let relation = ported(atom.relation);
    for (at, arg) in atom.args.iter().enumerate() {
        visit(Place::Relation(relation, at), arg);
        let container = containers.find(Container::Argument(relation, at));
        inner(arg, container, terms, visit);
    }
}

/// The facts of a complete relation that a literal may match.
#[derive(Clone)]
struct Facts {
    view: ViewId,
    blanks: Vec<Pattern>,
}

impl Facts {
    fn new(literal: &Literal, terms: &Terms, database: &mut Database) -> Option<Facts> {
        let atom = positive_atom(literal).filter(|atom| database.is_complete(atom.relation))?;
        let mut blanks = Vec::new();
        let shape = shape_of(&atom.args, &mut blanks);
        let view = database.view(atom.relation, shape, terms, |_| true);
        Some(Facts { view, blanks })
    }

    fn view<'a>(&self, database: &'a mut Database) -> &'a mut View {
        &mut database.views[self.view.0 as usize]
    }

    /// The values in the columns of variables.
    fn values(&self, database: &mut Database) -> impl Iterator<Item = (Var, Rc<Values>)> {
        let view = self.view(database);
        let columns = self.blanks.iter().enumerate();
        columns.filter_map(|(column, blank)| match blank {
            Pattern::Var(var) => Some((*var, view.values(column))),
            _ => None,
        })
    }

    /// The fraction of all combinations of values in these columns that occur in facts.
    fn share(&self, columns: &[usize], database: &mut Database) -> f64 {
        let view = self.view(database);
        let values = columns
            .iter()
            .map(|&column| view.distinct_values(column).max(1) as f64);
        let combinations: f64 = values.product();
        view.distinct_rows(columns).max(1) as f64 / combinations
    }
}

/// The estimated sizes of a rule's conditions.
#[derive(Clone)]
pub(crate) struct Sizes {
    /// The number of values of each variable.
    values: Vec<f64>,
    literals: Vec<Selectivity>,
}

/// The selectivity of a literal.
#[derive(Clone)]
struct Selectivity {
    /// The fraction of all bindings of its variables that it allows.
    share: f64,
    /// The facts from which the fraction is known, if any.
    facts: Option<Facts>,
}

impl Selectivity {
    /// The selectivity of a literal of which nothing is known.
    const UNKNOWN: Selectivity = Selectivity {
        share: 1.0,
        facts: None,
    };
}

impl Sizes {
    /// Returns the sizes of a rule as long as no relation is complete.
    pub(super) fn unknown(rule: &Rule) -> Sizes {
        Sizes {
            values: vec![UNKNOWN_VALUES; rule.variables.len()],
            literals: rule.body.iter().map(|_| Selectivity::UNKNOWN).collect(),
        }
    }

    /// Derives sizes for rules that are evaluated together from complete relations. A place has the constants that
    /// rules put there, and the values of the variables that they put there.
    pub(super) fn of(rules: &[&Rule], terms: &Terms, database: &mut Database) -> Vec<Sizes> {
        let mut places = Places {
            containers: Containers::of(rules),
            ..Places::default()
        };
        let (mut sizes, mut occurrences) = (Vec::new(), Vec::new());
        for rule in rules {
            places.enter(&rule.head, terms);
            let (of_rule, columns) = Sizes::of_facts(rule, terms, database);
            sizes.push(of_rule);
            let (mut body, mut head) = (Vec::new(), Vec::new());
            for atom in rule.body.iter().filter_map(positive_atom) {
                if !database.is_complete(atom.relation) {
                    places.of_variables(atom, terms, &mut body);
                }
            }
            places.of_variables(&rule.head, terms, &mut head);
            occurrences.push(Occurrences {
                body,
                head,
                columns,
            });
        }
        places.complete(&occurrences);
        for (occurrences, sizes) in occurrences.iter().zip(&mut sizes) {
            for (var, values) in sizes.values.iter_mut().enumerate() {
                let known = places.values(occurrences, Var(var as u32));
                // Rules without any values are never used, or by terms that facts nest.
                if let Some(known) = known.filter(|known| !known.is_empty()) {
                    *values = known.len() as f64;
                }
            }
        }
        sizes
    }

    /// Derives the sizes of a rule from the facts of complete relations, and the values that these allow.
    fn of_facts(
        rule: &Rule,
        terms: &Terms,
        database: &mut Database,
    ) -> (Sizes, Vec<(Var, Rc<Values>)>) {
        let mut sizes = Sizes::unknown(rule);
        let mut allowed = Vec::new();
        for (at, literal) in rule.body.iter().enumerate() {
            let Some(facts) = Facts::new(literal, terms, database) else {
                continue;
            };
            allowed.extend(facts.values(database));
            let columns: Vec<usize> = (0..facts.blanks.len()).collect();
            sizes.literals[at] = Selectivity {
                share: facts.share(&columns, database),
                facts: Some(facts),
            };
        }
        (sizes, allowed)
    }

    /// The number of bindings of these variables.
    pub(super) fn bindings(&self, variables: impl IntoIterator<Item = usize>) -> f64 {
        variables.into_iter().map(|var| self.values[var]).product()
    }

    /// Returns the fraction of all bindings that these literals, taken together, allow.
    pub(super) fn share<'a>(&self, literals: impl IntoIterator<Item = &'a usize>) -> f64 {
        literals
            .into_iter()
            .map(|&at| self.literals[at].share)
            .product()
    }

    /// The number of atoms that a rule with these conditions derives, as far as single conditions restrict them.
    pub(super) fn atoms(&self, rule: &Rule) -> f64 {
        let mut in_head = vec![false; self.values.len()];
        for pattern in &rule.head.args {
            pattern.for_each_var(&mut |var| in_head[var.index()] = true);
        }
        let restricts = |at: &usize| {
            let mut is_inside = true;
            rule.body[*at].for_each_var(&mut |var| is_inside &= in_head[var.index()]);
            is_inside
        };
        let restricting: Vec<usize> = (0..rule.body.len()).filter(restricts).collect();
        let variables = (0..in_head.len()).filter(|&var| in_head[var]);
        self.bindings(variables) * self.share(&restricting)
    }

    /// The number of instances of a rule with these conditions.
    pub(super) fn instances(&self, rule: &Rule) -> f64 {
        let mut used = vec![false; self.values.len()];
        let mut mark = |var: Var| used[var.index()] = true;
        for pattern in &rule.head.args {
            pattern.for_each_var(&mut mark);
        }
        for literal in &rule.body {
            literal.for_each_var(&mut mark);
        }
        let used = (0..used.len()).filter(|&var| used[var]);
        let shares = self.literals.iter().map(|literal| literal.share);
        self.bindings(used) * shares.product::<f64>()
    }

    /// Updates the sizes after a literal was removed from the rule.
    pub(super) fn remove(&mut self, at: usize) {
        self.literals.remove(at);
    }

    /// Updates the sizes after a literal of which nothing is known was appended to the rule.
    pub(super) fn push_unknown(&mut self) {
        self.literals.push(Selectivity::UNKNOWN);
    }

    /// Updates the sizes after literals of the rule were replaced by one, its last, that allows at most this
    /// fraction of all bindings of the variables that it shares with the rest.
    pub(super) fn replace(
        &mut self,
        literals: &[usize],
        interface: &[Var],
        at_most: f64,
        database: &mut Database,
    ) {
        let projections = literals
            .iter()
            .filter_map(|&at| self.literals[at].facts.as_ref());
        let shares = projections.map(|facts| {
            let columns = facts.blanks.iter().enumerate();
            let columns = columns.filter(|(_, blank)| match blank {
                Pattern::Var(var) => interface.contains(var),
                _ => false,
            });
            let columns: Vec<usize> = columns.map(|(column, _)| column).collect();
            facts.share(&columns, database)
        });
        let share = shares.product::<f64>().min(at_most);
        let mut at = 0;
        self.literals.retain(|_| {
            at += 1;
            !literals.contains(&(at - 1))
        });
        let facts = None;
        self.literals.push(Selectivity { share, facts });
    }
}
