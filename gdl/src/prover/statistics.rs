//! How many answers a condition may have: rough numbers to order conditions by.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::rules::{Atom, Keyword, Pattern, RelationId};
use crate::term::{Symbol, TermId, Terms};

use super::order::Bound;
use super::program::{Facts, Origin};

/// The answers of a test of a derived relation with everything bound: below one,
/// but such a test costs more than a look at a fact.
const DERIVED_TEST: f64 = 0.8;
/// The answers that each free argument of a derived relation stands for.
const DERIVED_FAN_OUT: f64 = 3.0;
/// The same when no argument is bound: all of the relation will be derived.
const DERIVED_DOMAIN: f64 = 8.0;

/// The sizes of a set of rows.
#[derive(Clone, Default)]
struct Columns {
    rows: f64,
    /// The number of different values in each column.
    distinct: Vec<f64>,
}

impl Columns {
    fn new<'a>(arity: usize, rows: impl Iterator<Item = &'a [TermId]>) -> Columns {
        let mut values = vec![FxHashSet::default(); arity];
        let mut count = 0;
        for row in rows {
            count += 1;
            for (column, &value) in values.iter_mut().zip(row) {
                column.insert(value);
            }
        }
        Columns {
            rows: f64::from(count),
            distinct: values.iter().map(|column| column.len() as f64).collect(),
        }
    }

    /// The expected number of rows when some columns are given, taking the
    /// columns as independent.
    fn fan_out(&self, args: &[Pattern], bound: &Bound) -> f64 {
        let given = args.iter().zip(&self.distinct);
        let values = given.filter(|(arg, _)| bound.covers(arg)).map(|(_, n)| n);
        self.rows / values.product::<f64>().max(1.0)
    }
}

/// The sizes of what is known before a match: facts and the initial state.
pub struct Statistics {
    origins: Vec<Origin>,
    /// By relation.
    facts: Vec<Columns>,
    fluents: FxHashMap<(Symbol, usize), Columns>,
    all_fluents: f64,
    roles: f64,
}

impl Statistics {
    /// `origins` says where the answers of each relation come from; `facts` are
    /// those of the relations of the rulesheet.
    pub fn new(origins: Vec<Origin>, facts: &[Facts], terms: &Terms, roles: usize) -> Statistics {
        let init = &facts[Keyword::Init.relation().index()];
        let mut by_functor: FxHashMap<(Symbol, usize), Vec<&[TermId]>> = FxHashMap::default();
        for row in init.rows() {
            let args = terms.args(row[0]);
            let functor = (terms.functor(row[0]), args.len());
            by_functor.entry(functor).or_default().push(args);
        }
        Statistics {
            origins,
            facts: facts
                .iter()
                .map(|facts| Columns::new(facts.arity, facts.rows()))
                .collect(),
            fluents: by_functor
                .into_iter()
                .map(|(functor, rows)| (functor, Columns::new(functor.1, rows.into_iter())))
                .collect(),
            all_fluents: init.count as f64,
            roles: roles as f64,
        }
    }

    /// Whether the relation is defined by rules.
    pub fn is_derived(&self, relation: RelationId) -> bool {
        matches!(self.origins[relation.index()], Origin::Clauses(_))
    }

    /// How many answers the atom is expected to have when `bound` is known.
    pub fn fan_out(&self, atom: &Atom, bound: &Bound) -> f64 {
        let args = &atom.args;
        match self.origins[atom.relation.index()] {
            Origin::Facts(relation) => self.facts[relation.index()].fan_out(args, bound),
            Origin::Fluents => self.fluent_fan_out(&args[0], bound),
            Origin::Moves if bound.covers(&args[0]) => 1.0,
            Origin::Moves => self.roles,
            Origin::Clauses(_) => {
                let free = args.iter().filter(|arg| !bound.covers(arg)).count();
                match free {
                    0 => DERIVED_TEST,
                    _ if free == args.len() => DERIVED_DOMAIN.powi(free as i32),
                    _ => DERIVED_FAN_OUT.powi(free as i32),
                }
            }
        }
    }

    fn fluent_fan_out(&self, fluent: &Pattern, bound: &Bound) -> f64 {
        if bound.covers(fluent) {
            return 0.5;
        }
        let Pattern::Compound(functor, args) = fluent else {
            return self.all_fluents;
        };
        if let Some(columns) = self.fluents.get(&(*functor, args.len())) {
            return columns.fan_out(args, bound);
        }
        // Not in the initial state: a few by each argument.
        let free = args.iter().filter(|arg| !bound.covers(arg)).count();
        DERIVED_FAN_OUT.powi(free as i32)
    }
}
