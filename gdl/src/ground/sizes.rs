//! Estimates of how many instances the conditions of a rule have.
//!
//! A relation that is complete has a known number of facts, and known numbers of values in
//! its columns, which are taken to be independent of each other (Selinger et al. 1979). The
//! others may hold for all values that rules let their arguments have.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ground::database::{Database, View, ViewId, shape_of};
use crate::ground::plan::positive_atom;
use crate::rules::{Atom, Keyword, Literal, Pattern, RelationId, Rule, Var};
use crate::term::{Symbol, TermId, Terms};

/// The assumed number of values of places that no rule restricts.
const UNKNOWN_VALUES: f64 = 10.0;

/// A place where terms may occur: an argument of a relation, or of a function anywhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Relation(RelationId, usize),
    Function(Symbol, usize, usize),
}

/// The numbers of places that variables are in.
#[derive(Default)]
struct Places {
    numbers: FxHashMap<Place, usize>,
    /// The number of values that each place may have, as known so far.
    values: Vec<f64>,
}

/// The places of the variables of a rule.
struct Occurrences {
    /// The occurrences in its conditions, with the number of the place.
    body: Vec<(usize, Var)>,
    head: Vec<(usize, Var)>,
}

impl Places {
    fn number(&mut self, place: Place) -> usize {
        let next = self.values.len();
        let number = *self.numbers.entry(place).or_insert(next);
        if number == next {
            self.values.push(0.0);
        }
        number
    }

    fn of_variables(&mut self, atom: &Atom, terms: &Terms, found: &mut Vec<(usize, Var)>) {
        each_place(atom, terms, &mut |place, pattern| {
            if let Pattern::Var(var) = *pattern {
                found.push((self.number(place), var));
            }
        });
    }

    /// Restricts the numbers of values of a rule's variables by the places in its conditions.
    fn restrict(&self, occurrences: &Occurrences, values: &mut [f64]) {
        for &(place, var) in &occurrences.body {
            let at_most = self.values[place];
            if at_most > 0.0 {
                let values = &mut values[var.index()];
                *values = values.min(at_most);
            }
        }
    }
}

/// Visits the arguments of an atom, recursively.
fn each_place(atom: &Atom, terms: &Terms, visit: &mut impl FnMut(Place, &Pattern)) {
    fn inner(pattern: &Pattern, terms: &Terms, visit: &mut impl FnMut(Place, &Pattern)) {
        match pattern {
            Pattern::Var(_) => {}
            Pattern::Ground(term) => {
                let (functor, args) = (terms.functor(*term), terms.args(*term));
                for (at, &arg) in args.iter().enumerate() {
                    let arg = Pattern::Ground(arg);
                    visit(Place::Function(functor, args.len(), at), &arg);
                    inner(&arg, terms, visit);
                }
            }
            Pattern::Compound(functor, args) => {
                for (at, arg) in args.iter().enumerate() {
                    visit(Place::Function(*functor, args.len(), at), arg);
                    inner(arg, terms, visit);
                }
            }
        }
    }
    let relation = match Keyword::ALL.get(atom.relation.index()) {
        Some(Keyword::Next | Keyword::Init) => Keyword::True.relation(),
        Some(Keyword::Legal) => Keyword::Does.relation(),
        _ => atom.relation,
    };
    for (at, arg) in atom.args.iter().enumerate() {
        visit(Place::Relation(relation, at), arg);
        inner(arg, terms, visit);
    }
}

/// The facts of a complete relation that a literal may match.
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

    /// The number of values in the columns of variables.
    fn values(&self, database: &mut Database) -> impl Iterator<Item = (Var, f64)> {
        let view = self.view(database);
        let columns = self.blanks.iter().enumerate();
        columns.filter_map(|(column, blank)| match blank {
            Pattern::Var(var) => Some((*var, view.distinct_values(column).max(1) as f64)),
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
pub(crate) struct Sizes {
    /// The number of values of each variable.
    values: Vec<f64>,
    literals: Vec<Selectivity>,
}

/// The selectivity of a literal.
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

    /// Derives sizes for rules that are evaluated together from complete relations. A place has as many
    /// values as there are constants in it, or as a variable has that some rule puts there.
    pub(super) fn of(rules: &[&Rule], terms: &Terms, database: &mut Database) -> Vec<Sizes> {
        /// Values are followed through at most this many rounds of rules.
        const ROUNDS: usize = 4;
        let mut sizes: Vec<Sizes> = (rules.iter())
            .map(|rule| Sizes::of_facts(rule, terms, database))
            .collect();
        let mut places = Places::default();
        let mut constants: FxHashSet<(usize, TermId)> = FxHashSet::default();
        for rule in rules {
            each_place(&rule.head, terms, &mut |place, pattern| {
                if let Pattern::Ground(term) = *pattern {
                    let place = places.number(place);
                    if constants.insert((place, term)) {
                        places.values[place] += 1.0;
                    }
                }
            });
        }
        let occurrences = rules.iter().map(|rule| {
            let (mut body, mut head) = (Vec::new(), Vec::new());
            for atom in rule.body.iter().filter_map(positive_atom) {
                places.of_variables(atom, terms, &mut body);
            }
            places.of_variables(&rule.head, terms, &mut head);
            Occurrences { body, head }
        });
        let occurrences: Vec<Occurrences> = occurrences.collect();
        let mut values = Vec::new();
        for _ in 0..ROUNDS {
            for (of_rule, sizes) in occurrences.iter().zip(&sizes) {
                values.clone_from(&sizes.values);
                places.restrict(of_rule, &mut values);
                for &(place, var) in &of_rule.head {
                    let found = values[var.index()];
                    if found.is_finite() {
                        places.values[place] = places.values[place].max(found);
                    }
                }
            }
        }
        for (of_rule, sizes) in occurrences.iter().zip(&mut sizes) {
            places.restrict(of_rule, &mut sizes.values);
            for values in &mut sizes.values {
                if !values.is_finite() {
                    *values = UNKNOWN_VALUES;
                }
            }
        }
        sizes
    }

    /// Derives the sizes of a rule from the facts of complete relations: the number of values is infinite
    /// for variables that are in none.
    fn of_facts(rule: &Rule, terms: &Terms, database: &mut Database) -> Sizes {
        let mut sizes = Sizes {
            values: vec![f64::INFINITY; rule.variables.len()],
            ..Sizes::unknown(rule)
        };
        for (at, literal) in rule.body.iter().enumerate() {
            let Some(facts) = Facts::new(literal, terms, database) else {
                continue;
            };
            for (var, count) in facts.values(database) {
                let values = &mut sizes.values[var.index()];
                *values = values.min(count);
            }
            let columns: Vec<usize> = (0..facts.blanks.len()).collect();
            sizes.literals[at] = Selectivity {
                share: facts.share(&columns, database),
                facts: Some(facts),
            };
        }
        sizes
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
